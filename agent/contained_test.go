package agent_test

import (
	"context"
	"encoding/json"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
)

// A wild is a dialer and a session with one function that does not return
// normally.
type wild struct {
	fake

	in  string // the function
	end func()
}

func (w *wild) when(function string) {
	if w.in == function {
		w.end()
	}
}

func (w *wild) Dial(ctx context.Context, p client.Person) (client.Session, error) {
	w.when("Dial")
	if _, err := w.fake.Dial(ctx, p); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *wild) Modern() bool {
	w.when("Modern")
	return w.fake.Modern()
}

func (w *wild) ListTools(ctx context.Context, cursor string) (json.RawMessage, error) {
	w.when("ListTools")
	return w.fake.ListTools(ctx, cursor)
}

func (w *wild) CallTool(ctx context.Context, p client.CallParams) (json.RawMessage, error) {
	w.when("CallTool")
	if w.in == "Error" {
		return nil, wildError{w.end}
	}
	return w.fake.CallTool(ctx, p)
}

func (w *wild) Close() error {
	w.when("Close")
	return w.fake.Close()
}

// A wildError is an error whose method does not return normally.
type wildError struct{ end func() }

func (e wildError) Error() string {
	e.end()
	return ""
}

// eachEnd runs a test in a bubble for each way in which a function can fail to
// return. A function that hangs ends with the test.
func eachEnd(t *testing.T, test func(t *testing.T, hangs bool, end func())) {
	t.Helper()
	for name, end := range map[string]func(release <-chan struct{}){
		"panics":             func(<-chan struct{}) { panic("a secret") },
		"ends its goroutine": func(<-chan struct{}) { runtime.Goexit() },
		"hangs":              func(release <-chan struct{}) { <-release },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				test(t, name == "hangs", func() { end(release) })
			})
		})
	}
}

// took asserts how long something took, if it had to wait for the bound.
func took(t *testing.T, began time.Time, hangs bool, bound time.Duration) {
	t.Helper()
	if !hangs {
		bound = 0
	}
	assert.Equal(t, bound, time.Since(began))
}

func TestContained_ConnectIsAnErrorIfTheClientDoesNotReturn(t *testing.T) {
	t.Parallel()
	for _, function := range []string{"Dial", "Modern", "ListTools"} {
		t.Run(function, func(t *testing.T) {
			t.Parallel()
			eachEnd(t, func(t *testing.T, hangs bool, end func()) {
				w := &wild{fake: fake{tools: []string{contracted("a.b", reading)}}, in: function, end: end}
				began := time.Now()
				_, err := connectTo(t.Context(), w, withLimits(agent.Limits{Call: 7 * time.Second}))
				require.Error(t, err)
				assert.NotContains(t, err.Error(), "secret")
				took(t, began, hangs, 7*time.Second)
			})
		})
	}
}

func TestContained_CallIsAnErrorIfTheClientDoesNotReturn(t *testing.T) {
	t.Parallel()
	for _, function := range []string{"CallTool", "Error"} {
		t.Run(function, func(t *testing.T) {
			t.Parallel()
			eachEnd(t, func(t *testing.T, hangs bool, end func()) {
				w := &wild{fake: fake{tools: []string{contracted("a.b", writing)}}, in: function, end: end}
				a := connect(t, w, withLimits(agent.Limits{Request: 7 * time.Second}))
				began := time.Now()
				failed := fatalOf(t, second(a.Call(t.Context(), "a.b", nil)))
				assert.Equal(t, contract.CodeOutcomeUnknown, failed.Code, "the server may have received the request")
				assert.NotContains(t, failed.Error(), "secret")
				took(t, began, hangs, 7*time.Second)
			})
		})
	}
}

func TestContained_CloseReturnsIfTheSessionDoesNot(t *testing.T) {
	t.Parallel()
	eachEnd(t, func(t *testing.T, hangs bool, end func()) {
		w := &wild{fake: fake{tools: []string{contracted("a.b", reading)}}, in: "Close", end: end}
		a, err := connectTo(t.Context(), w)
		require.NoError(t, err)
		began := time.Now()
		require.Error(t, a.Close())
		took(t, began, hangs, 30*time.Second)
	})
}

func TestContained_ToolIsQuarantinedIfTheHostDoesNotDecide(t *testing.T) {
	t.Parallel()
	eachEnd(t, func(t *testing.T, hangs bool, end func()) {
		began := time.Now()
		f := &fake{tools: []string{contracted("a.b", reading), contracted("a.c", reading)}}
		a := connect(t, f, withQuarantine(func(tool agent.Tool) string {
			if tool.Name == "a.b" {
				end()
			}
			return ""
		}))
		took(t, began, hangs, 10*time.Second)
		refused, _ := a.Tool("a.b")
		assert.NotEmpty(t, refused.Refusal)
		other, _ := a.Tool("a.c")
		assert.Empty(t, other.Refusal)
	})
}

func TestContained_StepsDoNotBreakACall(t *testing.T) {
	t.Parallel()
	eachEnd(t, func(t *testing.T, hangs bool, end func()) {
		var steps atomic.Int64
		f := &fake{
			tools:  []string{contracted("a.b", reading)},
			answer: func(int, client.CallParams) (string, error) { return `{"content":[]}`, nil },
		}
		a := connect(t, f, withSteps(func(agent.Step) {
			steps.Add(1)
			end()
		}))
		began := time.Now()
		_, err := a.Call(t.Context(), "a.b", nil)
		require.NoError(t, err)
		took(t, began, hangs, 10*time.Second)
		if hangs {
			assert.EqualValues(t, 1, steps.Load(), "it gets no more steps of the call")
		} else {
			assert.EqualValues(t, 2, steps.Load())
		}
	})
}

func TestContained_PersonWhoCannotBeAskedCancels(t *testing.T) {
	t.Parallel()
	eachEnd(t, func(t *testing.T, hangs bool, end func()) {
		f := &fake{tools: []string{hinted("a", "")}}
		a := connect(t, f, withLimits(agent.Limits{Call: 7 * time.Second}), withHost(agent.Host{
			Ask: func(context.Context, agent.Question) (agent.Answer, error) {
				end()
				return agent.Answer{Action: agent.Accept}, nil
			},
		}))
		began := time.Now()
		require.Error(t, second(a.Call(t.Context(), "a", nil)))
		assert.Zero(t, f.calls.Load(), "nothing was sent")
		took(t, began, hangs, 7*time.Second)
	})
}

// A session that the dialer opens too late is closed.
func TestContained_LateSessionIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		w := &wild{in: "Dial", end: func() { time.Sleep(time.Minute) }}
		late := &wild{in: "Close", end: func() { close(closed) }}
		_, err := connectTo(t.Context(), dialerFunc(func(ctx context.Context, p client.Person) (client.Session, error) {
			_, err := w.Dial(ctx, p)
			return late, err
		}), withLimits(agent.Limits{Call: time.Second}))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		<-closed
	})
}

type dialerFunc func(context.Context, client.Person) (client.Session, error)

func (f dialerFunc) Dial(ctx context.Context, p client.Person) (client.Session, error) {
	return f(ctx, p)
}
