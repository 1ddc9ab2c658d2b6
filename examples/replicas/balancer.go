package main

import (
	"context"
	"errors"
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
}

// balance starts a balancer for the servers on the loopback interface.
func balance(ctx context.Context, servers ...string) (*balancer, error) {
	b := &balancer{}
	for _, s := range servers {
		u, err := url.Parse(s)
		if err != nil {
			return nil, err
		}
		b.servers = append(b.servers, u)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b.url = "http://" + listener.Addr().String() + "/mcp"
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(b.turn()) },
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
