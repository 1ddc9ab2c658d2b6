package adapters_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
)

// newRaw returns an adapter without an SDK.
func newRaw(s Settings) (*raw, error) {
	table, err := adapter.NewTable(s.Guard, s.Config)
	return &raw{table, s}, err
}

// connect connects a client to a server through pipes.
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

// capabilities returns those of the adapter without an SDK.
func capabilities() Capabilities {
	c := All()
	c.Sessions = false
	return c
}

func harness() Harness {
	return Harness{
		Stream: func(s Settings) (io.ReadWriteCloser, error) {
			r, err := newRaw(s)
			if err != nil {
				return nil, err
			}
			return connect(r.serveStream), nil
		},
		HTTP:         func(s Settings) (http.Handler, error) { return newRaw(s) },
		Bearer:       adapter.Bearer,
		Capabilities: capabilities(),
	}
}

func TestSuite_AcceptsAnAdapterThatFollowsTheRules(t *testing.T) {
	t.Parallel()
	Run(t, func(*testing.T) Harness { return harness() })
}

// Without a capability, the rules that need it are left out; all others still
// apply.
func TestSuite_LeavesOutRulesWithoutTheirCapability(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Capabilities{
		"only older requests": {Older: true},
		"only newer requests": {Newer: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness()
			h.HTTP, h.Capabilities = nil, c
			assert.NoError(t, Check(func() Harness { return h }))
		})
	}
}

func TestSuite_ReportsAHarnessThatIsIncomplete(t *testing.T) {
	t.Parallel()
	for lacking, change := range map[string]func(*Harness){
		"Stream or HTTP": func(h *Harness) { h.Stream, h.HTTP = nil, nil },
		"Bearer":         func(h *Harness) { h.Bearer = nil },
		"Capabilities.Older or Capabilities.Newer": func(h *Harness) { h.Capabilities = Capabilities{} },
	} {
		h := harness()
		change(&h)
		all := RuleErrors(Check(func() Harness { return h }))
		require.Len(t, all, len(Rules()), lacking)
		assert.Equal(t, "the harness lacks "+lacking, all[0].Message)
	}
}

func TestSuite_ReportsAServerThatDoesNotStart(t *testing.T) {
	t.Parallel()
	all := RuleErrors(Check(func() Harness {
		return Harness{
			Stream:       func(Settings) (io.ReadWriteCloser, error) { return nil, errors.New("not written yet") },
			Capabilities: Capabilities{Older: true},
		}
	}))
	require.NotEmpty(t, all)
	assert.Equal(t, "over a stream, 2025-11-25: Stream returned the error not written yet", all[0].Message)
}

func TestSuite_ReportsWhatWasSentAndWhatWasExpected(t *testing.T) {
	t.Parallel()
	q := quirk{out: onResult(func(_, outcome map[string]any) { delete(outcome, "class") })}
	all := RuleErrors(CheckOnly([]string{"call-refused"}, q.harness))
	require.Len(t, all, 1)
	for _, part := range []string{
		"over a stream, 2025-11-25: sent ", `"method":"tools/call","params":{"name":"calc.double","arguments":{"n":"x"}}`,
		"; got ", `"code":"invalid_input"`, "; expected the class retryable",
	} {
		assert.Contains(t, all[0].Message, part)
	}
}

func TestRules_HaveNamesAndExplanations(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range Rules() {
		assert.Regexp(t, `^[a-z]+(-[a-z]+)+$`, r.Name)
		assert.NotEmpty(t, r.Explanation, r.Name)
		assert.False(t, seen[r.Name], r.Name)
		seen[r.Name] = true
	}
}
