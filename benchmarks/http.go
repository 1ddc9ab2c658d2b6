package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"

	"context"
)

// httpClients is the number of concurrent clients over HTTP.
const httpClients = 1000

// httpGroup has many clients at once, on loopback, without sessions.
func httpGroup() group {
	return group{name: "http", batch: time.Millisecond, variants: []variant{
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
	g, end, err := newGuard(guard.WithPrincipal(mcpgo.Bearer(func(context.Context, string) (guard.Principal, error) {
		return guard.Principal{Issuer: "bench", Subject: "bench", Permissions: []string{permission}}, nil
	})))
	if err != nil {
		return nil, nil, err
	}
	h, err := mcpgo.NewHandler("bench", "1.0.0", g, mcpgo.WithTools(t), mcpgo.WithHTTPOptions(server.WithStateLess(true)))
	return h, end, err
}

// overHTTP measures one call of every client, all at once.
func overHTTP(name string, serve func() (http.Handler, func(), error)) variant {
	return variant{name: name, times: httpClients, open: func() (func() error, func(), error) {
		h, endServer, err := serve()
		if err != nil {
			return nil, nil, err
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, nil, err
		}
		web := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
		go func() { _ = web.Serve(l) }()
		transport := &http.Transport{MaxIdleConnsPerHost: httpClients, MaxConnsPerHost: httpClients}
		client := &http.Client{Transport: transport}
		end := func() {
			transport.CloseIdleConnections()
			_ = web.Close()
			endServer()
		}
		body := message(validArguments)
		post := func() ([]byte, error) {
			req, err := http.NewRequest(http.MethodPost, "http://"+l.Addr().String(), bytes.NewReader(body))
			if err != nil {
				return nil, err
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			req.Header.Set("Authorization", "Bearer bench")
			resp, err := client.Do(req)
			if err != nil {
				return nil, err
			}
			defer resp.Body.Close()
			answer, err := io.ReadAll(resp.Body)
			if resp.StatusCode != http.StatusOK {
				err = errors.Join(err, fmt.Errorf("status %d: %.200s", resp.StatusCode, answer))
			}
			return answer, err
		}
		answer, err := post()
		if err == nil {
			err = checkOrder(answer)
		}
		if err != nil {
			end()
			return nil, nil, err
		}
		return func() error {
			var wg sync.WaitGroup
			failed := make(chan error, 1)
			for range httpClients {
				wg.Go(func() {
					if _, err := post(); err != nil {
						select {
						case failed <- err:
						default:
						}
					}
				})
			}
			wg.Wait()
			select {
			case err := <-failed:
				return err
			default:
				return nil
			}
		}, end, nil
	}}
}
