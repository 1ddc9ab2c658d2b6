package mcpgo_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract/internal/adaptertest"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
)

// The rules for adapters, over stdio and over HTTP with sessions.
func TestAdapter_FollowsTheRules(t *testing.T) {
	t.Parallel()
	adaptertest.Run(t, func(*testing.T) adaptertest.Harness {
		return adaptertest.Harness{
			Stream:       overStreams,
			HTTP:         overHTTP,
			Bearer:       mcpgo.Bearer,
			Capabilities: adaptertest.All(),
		}
	})
}

// options returns the options for a server with some settings.
func options(s adaptertest.Settings) []mcpgo.Option {
	opts := []mcpgo.Option{mcpgo.WithTools(s.Tools...), mcpgo.WithTier(s.Tier), mcpgo.WithNames(s.Naming)}
	if s.ResourceMetadata != nil {
		opts = append(opts, mcpgo.WithResourceMetadata(*s.ResourceMetadata))
	}
	if s.PageSize > 0 {
		opts = append(opts, mcpgo.WithServerOptions(server.WithPaginationLimit(s.PageSize)))
	}
	return opts
}

func overHTTP(s adaptertest.Settings) (http.Handler, error) {
	return mcpgo.NewHandler(s.Server, s.Version, s.Guard, options(s)...)
}

// overStreams serves over pipes in place of standard input and output.
func overStreams(s adaptertest.Settings) (io.ReadWriteCloser, error) {
	srv, err := mcpgo.NewServer(s.Server, s.Version, s.Guard, options(s)...)
	if err != nil {
		return nil, err
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	p := &pipes{fromServer, toServer, make(chan struct{})}
	go func() {
		defer close(p.ended)
		_ = mcpgo.ServeStreams(context.Background(), srv, in, out) // the end of the guard is the suite's
		_ = out.Close()
	}()
	return p, nil
}

// pipes are the client's ends of two pipes.
type pipes struct {
	*io.PipeReader
	in    *io.PipeWriter
	ended chan struct{}
}

func (p *pipes) Write(b []byte) (int, error) { return p.in.Write(b) }

// CloseWrite ends the input of the server.
func (p *pipes) CloseWrite() error { return p.in.Close() }

// Close ends the input of the server and waits for its end.
func (p *pipes) Close() error {
	_ = p.in.Close()
	_ = p.PipeReader.Close()
	<-p.ended
	return nil
}
