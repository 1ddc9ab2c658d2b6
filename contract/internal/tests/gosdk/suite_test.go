package gosdk_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract/gosdk"
	"github.com/toolcontract/toolcontract/contract/internal/adaptertest"
)

// The rules on the wire that every adapter has to pass.
func TestAdapter(t *testing.T) {
	adaptertest.Run(t, func(*testing.T) adaptertest.Harness {
		capabilities := adaptertest.All()
		capabilities.Tasks = false // the SDK drops task
		return adaptertest.Harness{Stream: serveStream, HTTP: newEndpoint, Bearer: gosdk.Bearer, Capabilities: capabilities}
	})
}

// suiteOptions returns the options for a server of the suite.
func suiteOptions(s adaptertest.Settings) []gosdk.Option {
	opts := []gosdk.Option{
		gosdk.WithTools(s.Tools...), gosdk.WithTier(s.Tier), gosdk.WithNames(s.Naming),
		gosdk.WithServerOptions(mcp.ServerOptions{PageSize: s.PageSize}),
	}
	if s.ResourceMetadata != nil {
		opts = append(opts, gosdk.WithResourceMetadata(*s.ResourceMetadata))
	}
	return opts
}

func newEndpoint(s adaptertest.Settings) (http.Handler, error) {
	return gosdk.NewHandler(s.Server, s.Version, s.Guard, suiteOptions(s)...)
}

// A stream is the client's end of a server's standard streams.
type stream struct {
	io.Reader

	in *io.PipeWriter
}

func (s stream) Write(p []byte) (int, error) { return s.in.Write(p) }
func (s stream) CloseWrite() error           { return s.in.Close() }
func (s stream) Close() error {
	if closer, ok := s.Reader.(io.Closer); ok {
		return errors.Join(s.in.Close(), closer.Close())
	}
	return s.in.Close()
}

func serveStream(s adaptertest.Settings) (io.ReadWriteCloser, error) {
	server, err := gosdk.NewServer(s.Server, s.Version, s.Guard, suiteOptions(s)...)
	if err != nil {
		return nil, err
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go func() {
		_ = gosdk.ServeStreams(context.Background(), server, in, out)
		_ = out.Close()
	}()
	return stream{fromServer, toServer}, nil
}
