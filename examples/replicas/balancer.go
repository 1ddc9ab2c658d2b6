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

// A balancer hands each request to the next server. No session has to stay with
// one: requests of protocol version 2026-07-28 stand for themselves.
type balancer struct {
	url string
	web *http.Server

	mu      sync.Mutex
	servers []*url.URL
	next    int
}

// balance serves a round robin over the servers on the loopback interface.
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
		// A server that is gone is no news here: its call is an error to who made it.
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

// drop takes a server that is gone out of the round.
func (b *balancer) drop(server string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.servers = slices.DeleteFunc(b.servers, func(u *url.URL) bool { return u.String() == server })
	if len(b.servers) == 0 {
		return errors.New("no server is left")
	}
	return nil
}
