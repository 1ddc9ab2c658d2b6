package adapters_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/mcpgo"
)

// The rules for adapters, over stdio and over HTTP with sessions.
func TestMCPGo_FollowsTheRules(t *testing.T) {
	t.Parallel()
	Run(t, func(*testing.T) Harness {
		return Harness{Stream: mcpgoStream, HTTP: mcpgoHandler, Bearer: mcpgo.Bearer, Capabilities: All()}
	})
}

func mcpgoHandler(s Settings) (http.Handler, error) {
	return mcpgo.NewHandler(s.Server, s.Version, s.Guard, mcpgoOptions(s)...)
}

func mcpgoStream(s Settings) (io.ReadWriteCloser, error) {
	srv, err := mcpgo.NewServer(s.Server, s.Version, s.Guard, mcpgoOptions(s)...)
	if err != nil {
		return nil, err
	}
	return connect(func(in io.Reader, out io.Writer) {
		_ = mcpgo.ServeStreams(context.Background(), srv, in, out) // the suite closes the guard
	}), nil
}

func mcpgoOptions(s Settings) []mcpgo.Option {
	opts := []mcpgo.Option{mcpgo.WithTools(s.Tools...), mcpgo.WithTier(s.Tier), mcpgo.WithNames(s.Naming)}
	if s.ResourceMetadata != nil {
		opts = append(opts, mcpgo.WithResourceMetadata(*s.ResourceMetadata))
	}
	if s.PageSize > 0 {
		opts = append(opts, mcpgo.WithServerOptions(sdk.WithPaginationLimit(s.PageSize)))
	}
	return opts
}
