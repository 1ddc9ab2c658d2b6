package adaptertest_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/toolcontract/toolcontract/contract/adapter"
	"github.com/toolcontract/toolcontract/contract/adapter/adaptertest"
)

// newRaw returns an adapter without an SDK.
func newRaw(s adaptertest.Settings) (*raw, error) {
	table, err := adapter.NewTable(s.Guard, s.Config)
	return &raw{table, s}, err
}

// connect connects a client to a server on streams, which are pipes.
func connect(serve func(in io.Reader, out io.Writer)) io.ReadWriteCloser {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	p := &pipes{fromServer, toServer, make(chan struct{})}
	go func() {
		defer close(p.ended)
		serve(in, out)
		_ = out.Close()
	}()
	return p
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

// capabilities are those of the adapter without an SDK.
func capabilities() adaptertest.Capabilities {
	c := adaptertest.All()
	c.Sessions = false
	return c
}

func harness() adaptertest.Harness {
	return adaptertest.Harness{
		Stream: func(s adaptertest.Settings) (io.ReadWriteCloser, error) {
			r, err := newRaw(s)
			if err != nil {
				return nil, err
			}
			return connect(r.serveStream), nil
		},
		HTTP:         func(s adaptertest.Settings) (http.Handler, error) { return newRaw(s) },
		Bearer:       adapter.Bearer,
		Capabilities: capabilities(),
	}
}

func TestSuite_AcceptsAnAdapterThatFollowsTheRules(t *testing.T) {
	t.Parallel()
	adaptertest.Run(t, func(*testing.T) adaptertest.Harness { return harness() })
}
