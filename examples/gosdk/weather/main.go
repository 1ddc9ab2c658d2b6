// Command weather is a server of the official Go SDK that knows nothing about
// contracts. Its tools have a few hints, as most servers do. examples/gateway
// puts it behind a guard. In examples/gosdk:
//
//	go run ./weather                        over stdio
//	go run ./weather -http 127.0.0.1:8080   over HTTP, at /mcp
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	address := flag.String("http", "", "serve streamable HTTP at `HOST:PORT`/mcp instead of stdio; port 0 selects a free port")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "weather: only flags are accepted; remove the other arguments")
		os.Exit(2)
	}
	serve := func() error { return newServer().Run(ctx, &mcp.StdioTransport{}) }
	if *address != "" {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", *address)
		if err != nil {
			fmt.Fprintln(os.Stderr, "weather: -http:", err)
			os.Exit(2)
		}
		serve = func() error { return serveHTTP(ctx, l) }
	}
	err := serve()
	stopped := ctx.Err() != nil
	stop()
	if err != nil && !stopped {
		fmt.Fprintln(os.Stderr, "weather:", err)
		os.Exit(1)
	}
}

func serveHTTP(ctx context.Context, l net.Listener) error {
	s := newServer()
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true}))
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { _ = web.Close() })
	fmt.Fprintf(os.Stderr, "listening on http://%s/mcp\n", l.Addr())
	return web.Serve(l)
}

type region struct {
	Region string `json:"region" jsonschema:"the region, such as north"`
}

type forecast struct {
	Region string `json:"region"`
	Text   string `json:"text"`
}

type alert struct {
	Region string `json:"region" jsonschema:"the region, such as north"`
	Text   string `json:"text"   jsonschema:"what everybody there gets on the telephone"`
}

type published struct {
	// Alerts is how many alerts were published since the server began.
	Alerts int64 `json:"alerts"`
}

func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "weather", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{
		Name: "forecast_get", Description: "Returns the forecast of a region.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, func(_ context.Context, _ *mcp.CallToolRequest, in region) (*mcp.CallToolResult, forecast, error) {
		return nil, forecast{Region: in.Region, Text: "Rain, then sun."}, nil
	})
	var alerts atomic.Int64
	destroys := false
	mcp.AddTool(s, &mcp.Tool{
		Name: "alerts_publish", Description: "Sends an alert to everybody in a region.",
		Annotations: &mcp.ToolAnnotations{DestructiveHint: &destroys},
	}, func(context.Context, *mcp.CallToolRequest, alert) (*mcp.CallToolResult, published, error) {
		return nil, published{alerts.Add(1)}, nil
	})
	return s
}
