package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"time"
)

// A balancer sends each request to the next server. It needs no sticky
// sessions, because requests of protocol version 2026-07-28 are stateless.
type balancer struct {
	url string
	web *http.Server

	mu      sync.Mutex
	servers []*url.URL
	next    int

	lost chan string
}

// lostHeader is the header of a request whose answer the balancer loses.
const lostHeader = "Lose-Answer"

// balance starts a balancer for the servers on the loopback interface.
func balance(ctx context.Context, servers ...string) (*balancer, error) {
	b := &balancer{lost: make(chan string)}
	for _, s := range servers {
		if err := b.add(s); err != nil {
			return nil, err
		}
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b.url = "http://" + listener.Addr().String() + "/mcp"
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(b.turn()) },
		Transport:     b,
		FlushInterval: -1,
		// Don't log that a server is gone: its callers get an error.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	b.web = &http.Server{Handler: proxy, ReadHeaderTimeout: 5 * time.Second}
	go b.web.Serve(listener) //nolint:errcheck // it ends with close
	return b, nil
}

func (b *balancer) close() error { return b.web.Close() }

func (b *balancer) turn() *url.URL {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	return b.servers[b.next%len(b.servers)]
}

// RoundTrip passes a request on to its server. If the answer is to be lost, it
// sends the server's address to b.lost once the server has answered.
func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || r.Header.Get(lostHeader) == "" {
		return resp, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	b.lost <- (&url.URL{Scheme: r.URL.Scheme, Host: r.URL.Host}).String()
	return nil, errors.Join(err, resp.Body.Close(), errors.New("the answer is lost"))
}

// add adds a server.
func (b *balancer) add(server string) error {
	u, err := url.Parse(server)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.servers = append(b.servers, u)
	return nil
}

// drop removes a server that is gone.
func (b *balancer) drop(server string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.servers = slices.DeleteFunc(b.servers, func(u *url.URL) bool { return u.String() == server })
	if len(b.servers) == 0 {
		return errors.New("no server is left")
	}
	return nil
}
