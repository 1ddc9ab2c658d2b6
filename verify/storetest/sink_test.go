package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/verify/storetest"
)

var (
	errFull   = errors.New("no space left on device")
	errClosed = errors.New("closed")
)

// memory is a sink that follows every rule. The broken sinks wrap it.
type memory struct {
	mu     sync.Mutex
	events []audit.Event
	text   strings.Builder
	full   bool
	closed bool
	gate   chan struct{}
}

func (m *memory) Write(ctx context.Context, e audit.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	gate := m.gate
	m.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return m.keep(e)
}

func (m *memory) keep(e audit.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return errClosed
	case m.full:
		return errFull
	}
	m.events = append(m.events, e)
	line, err := e.MarshalJSON()
	m.text.Write(append(line, '\n'))
	return err
}

// moveUp swaps an event with the previous event of the same goroutine. Their
// call IDs differ in the number at the end.
func (m *memory) moveUp(e audit.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.index(e.CallID)
	writer := e.CallID[:strings.LastIndex(e.CallID, "-")+1]
	for i, o := range slices.Backward(m.events[:last]) {
		if strings.HasPrefix(o.CallID, writer) {
			m.events[i], m.events[last] = m.events[last], m.events[i]
			return
		}
	}
}

func (m *memory) forget(e audit.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.index(e.CallID)
	m.events = slices.Delete(m.events, i, i+1)
}

// index returns the position of a kept event.
func (m *memory) index(callID string) int {
	return slices.IndexFunc(m.events, func(e audit.Event) bool { return e.CallID == callID })
}

func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

func (m *memory) kept() ([]audit.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]audit.Event(nil), m.events...), nil
}

// harness returns a harness with every hook of the memory, and sink wrapped
// around it.
func (m *memory) harness(sink audit.Sink) storetest.SinkHarness {
	return storetest.SinkHarness{
		Sink: sink,
		Kept: m.kept,
		Raw: func() ([]byte, error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			return []byte(m.text.String()), nil
		},
		Fail: func() error {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.full = true
			return nil
		},
		Stall: func() func() {
			gate := make(chan struct{})
			m.mu.Lock()
			defer m.mu.Unlock()
			m.gate = gate
			return func() { close(gate) }
		},
	}
}

// closing is a sink with a Close method, made of two functions.
type closing struct {
	audit.Func
	close func() error
}

func (c closing) Close() error { return c.close() }

// rejectedSink returns the names of the rules that the suite reports as broken.
func rejectedSink(t *testing.T, newHarness func() storetest.SinkHarness) []string {
	t.Helper()
	var names []string
	synctest.Test(t, func(t *testing.T) {
		violations, err := storetest.CheckSink(newHarness)
		for _, violation := range violations {
			assert.NotEmpty(t, violation.Message)
			names = append(names, violation.Rule)
		}
		assert.Equal(t, len(names) == 0, err == nil)
		time.Sleep(2 * time.Hour) // until the calls that hang in a broken sink have ended
	})
	return names
}

func TestSinkSuite_AcceptsASinkThatFollowsTheRules(t *testing.T) {
	t.Parallel()
	assert.Empty(t, rejectedSink(t, func() storetest.SinkHarness {
		m := &memory{}
		return m.harness(m)
	}))
	storetest.RunSink(t, func(*testing.T) storetest.SinkHarness {
		m := &memory{}
		return m.harness(m)
	})
}

func TestSinkSuite_RejectsEverySinkThatBreaksARule(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		// broken wraps a correct sink in one that breaks some rules.
		broken func(m *memory) audit.Sink
		want   []string
	}{
		{
			"a sink that forgets", func(*memory) audit.Sink {
				return audit.Func(func(context.Context, audit.Event) error { return nil })
			},
			[]string{"kept", "order", "concurrent", "failure", "cancelled", "stalled", "context", "text"},
		},
		{
			"a sink that forgets intents", func(m *memory) audit.Sink {
				return audit.Func(func(ctx context.Context, e audit.Event) error {
					if e.Kind == audit.Intent {
						return nil
					}
					return m.Write(ctx, e)
				})
			},
			[]string{"kept", "concurrent", "failure", "cancelled", "stalled"},
		},
		{
			"a sink that keeps events twice", func(m *memory) audit.Sink {
				return audit.Func(func(ctx context.Context, e audit.Event) error {
					return errors.Join(m.Write(ctx, e), m.Write(ctx, e))
				})
			},
			[]string{"kept", "order", "concurrent", "context"},
		},
		{
			"a sink that loses a member", func(m *memory) audit.Sink {
				return audit.Func(func(ctx context.Context, e audit.Event) error {
					e.NotPersisted = false
					return m.Write(ctx, e)
				})
			},
			[]string{"kept"},
		},
		{
			"a sink that sorts events", func(m *memory) audit.Sink {
				return audit.Func(func(ctx context.Context, e audit.Event) error {
					err := m.Write(ctx, e)
					if err == nil && strings.HasSuffix(e.CallID, "7") {
						m.moveUp(e)
					}
					return err
				})
			},
			[]string{"order", "concurrent"},
		},
		{
			"a sink that is not safe for concurrent use", func(m *memory) audit.Sink {
				return audit.Func(func(ctx context.Context, e audit.Event) error {
					before, _ := m.kept()
					time.Sleep(time.Millisecond) // lets another goroutine run
					if err := m.Write(ctx, e); err != nil {
						return err
					}
					m.mu.Lock()
					defer m.mu.Unlock()
					m.events = slices.Concat(before, []audit.Event{e})
					return nil
				})
			},
			[]string{"concurrent"},
		},
		{
			"a sink that ignores errors", func(m *memory) audit.Sink {
				return audit.Func(func(ctx context.Context, e audit.Event) error {
					_ = m.Write(ctx, e)
					return nil
				})
			},
			[]string{"failure", "cancelled", "stalled"},
		},
		{
			"a sink that ignores its context", func(m *memory) audit.Sink {
				return audit.Func(func(_ context.Context, e audit.Event) error {
					return m.Write(context.Background(), e)
				})
			},
			[]string{"stalled"},
		},
		{
			"a sink that keeps events later, while their context lasts", func(m *memory) audit.Sink {
				return audit.Func(func(ctx context.Context, e audit.Event) error {
					go func() {
						time.Sleep(time.Millisecond)
						_ = m.Write(ctx, e)
					}()
					return nil
				})
			},
			[]string{"kept", "order", "concurrent", "failure", "cancelled", "stalled", "context", "text"},
		},
		{
			"a sink that needs the context after Write has returned", func(m *memory) audit.Sink {
				return audit.Func(func(ctx context.Context, e audit.Event) error {
					err := m.Write(ctx, e)
					if err == nil {
						context.AfterFunc(ctx, func() { m.forget(e) })
					}
					return err
				})
			},
			[]string{"context"},
		},
		{
			"a sink that writes unescaped text", func(m *memory) audit.Sink {
				return audit.Func(func(ctx context.Context, e audit.Event) error {
					err := m.Write(ctx, e)
					m.mu.Lock()
					defer m.mu.Unlock()
					fmt.Fprintf(&m.text, "%s %s\n", e.CallID, e.Tool)
					return err
				})
			},
			[]string{"text"},
		},
		{
			"a sink that lets a line be forged", func(m *memory) audit.Sink {
				return audit.Func(func(ctx context.Context, e audit.Event) error {
					m.mu.Lock()
					fmt.Fprintln(&m.text, strings.ReplaceAll(e.Tool[:min(15, len(e.Tool))], "\r", ""))
					m.mu.Unlock()
					return m.Write(ctx, e)
				})
			},
			[]string{"text"},
		},
		{
			"a sink that panics", func(*memory) audit.Sink {
				return audit.Func(func(context.Context, audit.Event) error { panic("hunter2") })
			},
			[]string{"kept", "order", "concurrent", "failure", "cancelled", "stalled", "context", "text"},
		},
		{
			"a sink that never returns", func(m *memory) audit.Sink {
				return audit.Func(func(ctx context.Context, e audit.Event) error {
					time.Sleep(time.Hour)
					return m.Write(ctx, e)
				})
			},
			[]string{"kept", "order", "concurrent", "failure", "cancelled", "stalled", "context", "text"},
		},
		{
			"a sink that returns nil after Close", func(m *memory) audit.Sink {
				return closing{func(ctx context.Context, e audit.Event) error {
					if err := m.Write(ctx, e); !errors.Is(err, errClosed) {
						return err
					}
					return nil
				}, m.Close}
			},
			[]string{"closed"},
		},
		{
			"a sink that loses events at Close", func(m *memory) audit.Sink {
				return closing{m.Write, func() error {
					m.mu.Lock()
					defer m.mu.Unlock()
					m.closed, m.events = true, nil
					return nil
				}}
			},
			[]string{"closed"},
		},
		{
			"a sink whose Close hangs", func(m *memory) audit.Sink {
				return closing{m.Write, func() error {
					time.Sleep(time.Hour)
					return m.Close()
				}}
			},
			[]string{"closed"},
		},
		{
			"a sink that cannot be closed twice", func(m *memory) audit.Sink {
				once := make(chan struct{})
				return closing{m.Write, func() error {
					close(once)
					return m.Close()
				}}
			},
			[]string{"closed"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, rejectedSink(t, func() storetest.SinkHarness {
				m := &memory{}
				return m.harness(tt.broken(m))
			}))
		})
	}
}

func TestSinkSuite_NamesTheHooksThatTheHarnessLacks(t *testing.T) {
	t.Parallel()
	m := &memory{}
	assert.Equal(t, []string{"kept", "order", "concurrent", "cancelled", "context"}, rejectedSink(t, func() storetest.SinkHarness {
		return storetest.SinkHarness{Sink: audit.Func(m.Write)}
	}), "without Kept nothing can be checked, and rules without their hook are left out")
	unreadable := errors.New("unreadable")
	violations, err := storetest.CheckSink(func() storetest.SinkHarness {
		h := m.harness(m)
		h.Kept = func() ([]audit.Event, error) { return nil, unreadable }
		return h
	})
	assert.NotEmpty(t, violations)
	for _, violation := range violations {
		assert.ErrorContains(t, err, "storetest: "+violation.Rule+": ")
	}
}

func ExampleRunSink_violations() {
	_, err := storetest.CheckSink(func() storetest.SinkHarness {
		return storetest.SinkHarness{
			Sink: audit.Slog(slog.New(slog.DiscardHandler)),
			Kept: func() ([]audit.Event, error) { return nil, nil },
		}
	})
	fmt.Println(err)
	// Output:
	// storetest: kept: Write returned an error without a reason: audit: logger drops events of this level
	// storetest: order: Write returned an error without a reason: audit: logger drops events of this level
	// storetest: concurrent: Write returned an error without a reason: audit: logger drops events of this level
	// storetest: cancelled: Write returned an error without a reason: audit: logger drops events of this level
	// storetest: context: Write returned an error without a reason: audit: logger drops events of this level
}
