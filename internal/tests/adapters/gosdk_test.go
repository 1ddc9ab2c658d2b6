package adapters_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/gosdk"
)

// The rules for adapters, over stdio and over HTTP with sessions.
func TestGoSDK_FollowsTheRules(t *testing.T) {
	t.Parallel()
	capabilities := All()
	capabilities.Tasks = false // the SDK drops task
	Run(t, func(*testing.T) Harness {
		return Harness{Stream: gosdkStream, HTTP: gosdkHandler, Bearer: gosdk.Bearer, Capabilities: capabilities}
	})
}

func gosdkHandler(s Settings) (http.Handler, error) {
	return gosdk.NewHandler(s.Server, s.Version, s.Guard, gosdkOptions(s)...)
}

func gosdkStream(s Settings) (io.ReadWriteCloser, error) {
	srv, err := gosdk.NewServer(s.Server, s.Version, s.Guard, gosdkOptions(s)...)
	if err != nil {
		return nil, err
	}
	return connect(func(in io.Reader, out io.Writer) {
		_ = gosdk.ServeStreams(context.Background(), srv, in, out)
	}), nil
}

func gosdkOptions(s Settings) []gosdk.Option {
	opts := []gosdk.Option{
		gosdk.WithTools(s.Tools...), gosdk.WithTier(s.Tier), gosdk.WithNames(s.Naming),
		gosdk.WithServerOptions(mcp.ServerOptions{PageSize: s.PageSize}),
	}
	if s.ResourceMetadata != nil {
		opts = append(opts, gosdk.WithResourceMetadata(*s.ResourceMetadata))
	}
	return opts
}
