package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// httpClients is the number of concurrent clients over HTTP.
const httpClients = 1000

// httpGroup has many clients at once, on loopback, without sessions. A batch is
// so long that each includes several garbage collections.
func httpGroup() group {
	return group{name: "http", batch: 250 * time.Millisecond, variants: []variant{
		overHTTP("http_1000_mcpgo_bare", func() (http.Handler, func(), error) { return plainHTTP(mcpgoBare) }),
		overHTTP("http_1000_mcpgo_validated", func() (http.Handler, func(), error) { return plainHTTP(mcpgoValidated) }),
		overHTTP("http_1000_full", guardedHTTP),
	}}
}

func plainHTTP(p plain) (http.Handler, func(), error) {
	s, err := p.serve(toolName)
	if err != nil {
		return nil, nil, err
	}
	return server.NewStreamableHTTPServer(s, server.WithStateLess(true)), func() {}, nil
}

func guardedHTTP() (http.Handler, func(), error) {
	t, err := full()
	if err != nil {
		return nil, nil, err
	}
	g, end, err := newGuard(discarded(), guard.WithPrincipal(mcpgo.Bearer(func(context.Context, string) (guard.Principal, error) {
		return guard.Principal{Issuer: "bench", Subject: "bench", Permissions: []string{permission}}, nil
	})))
	if err != nil {
		return nil, nil, err
	}
	s, err := mcpgo.NewServer("bench", "1.0.0", g, mcpgo.WithTools(t))
	if err != nil {
		return nil, nil, err
	}
	h, err := mcpgo.HandlerOf(s, server.WithStateLess(true))
	return h, end, err
}

// overHTTP measures one call of every client, all at once.
func overHTTP(name string, serve func() (http.Handler, func(), error)) variant {
	return variant{name: name, times: httpClients, clock: busyTime, open: func() (func() error, func(), error) {
		h, endServer, err := serve()
		if err != nil {
			return nil, nil, err
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			endServer()
			return nil, nil, err
		}
		web := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
		go func() { _ = web.Serve(l) }()
		clients, err := connect(l.Addr(), httpClients)
		end := func() {
			for _, c := range clients {
				_ = c.Close()
			}
			_ = web.Close()
			endServer()
		}
		if err != nil {
			end()
			return nil, nil, err
		}
		return func() error {
			var wg sync.WaitGroup
			errs := make([]error, len(clients))
			for i, c := range clients {
				wg.Go(func() { errs[i] = c.call() })
			}
			wg.Wait()
			return errors.Join(errs...)
		}, end, nil
	}}
}
