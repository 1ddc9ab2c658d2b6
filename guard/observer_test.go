package guard_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
)

// A seen holds what an observer got about one call.
type seen struct {
	info   guard.CallInfo
	events []audit.Event
	stored []guard.StoreOperation
	ends   int
}

// An observer keeps what it got, by call.
type observer struct {
	mu       sync.Mutex
	calls    []*seen
	outside  []audit.Event // events without a call
	guard    *guard.Guard
	detached int
}

func (o *observer) Attach(g *guard.Guard) (func(), error) {
	o.guard = g
	return func() { o.detached++ }, nil
}

type seenKey struct{}

func (o *observer) Begin(ctx context.Context, c guard.CallInfo) (context.Context, func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := &seen{info: c}
	o.calls = append(o.calls, s)
	return context.WithValue(ctx, seenKey{}, s), func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		s.ends++
	}
}

func (o *observer) Audited(ctx context.Context, e audit.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s, ok := ctx.Value(seenKey{}).(*seen); ok {
		s.events = append(s.events, e)
		return
	}
	o.outside = append(o.outside, e)
}

func (o *observer) Stored(ctx context.Context, op guard.StoreOperation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s, ok := ctx.Value(seenKey{}).(*seen); ok {
		s.stored = append(s.stored, op)
	}
}

// kinds returns the kinds and codes of the events of a call.
func (s *seen) kinds() []string {
	var kinds []string
	for _, e := range s.events {
		kinds = append(kinds, strings.TrimSpace(string(e.Kind)+" "+e.Code))
	}
	return kinds
}

func (s *seen) operations() []string {
	var names []string
	for _, op := range s.stored {
		names = append(names, op.Name)
	}
	return names
}

func TestGuard_WithObserver(t *testing.T) {
	t.Parallel()
	var inHandler *seen
	n := &counter{}
	tools := func() []*contract.Tool {
		return []*contract.Tool{
			n.payer("pay.now").Aliases("pay.old").MustBuild(),
			n.high("pay.high").MustBuild(),
			n.managedPayer("pay.once", byArguments, nil).MustBuild(),
			n.payer("pay.never").Risk(risk.Forbidden).MustBuild(),
			n.payer("pay.asked").Effect(risk.Destructive).MustBuild(),
			reader("handler.context", func(ctx context.Context) (empty, error) {
				inHandler, _ = ctx.Value(seenKey{}).(*seen)
				return empty{}, nil
			}).MustBuild(),
			reader("handler.panics", func(context.Context) (empty, error) { panic("no") }).MustBuild(),
			reader("handler.goexit", func(context.Context) (empty, error) { runtime.Goexit(); return empty{}, nil }).MustBuild(),
		}
	}
	for name, c := range map[string]struct {
		tool, arguments string
		by              guard.Principal
		registered      string // empty: the name is not
		kinds           []string
		stored          []string
	}{
		"success":            {"pay.now", validPay, alice, "pay.now", []string{"terminal"}, nil},
		"alias":              {"pay.old", validPay, alice, "pay.now", []string{"terminal"}, nil},
		"with an intent":     {"pay.high", validPay, alice, "pay.high", []string{"intent", "terminal"}, nil},
		"managed":            {"pay.once", validPay, alice, "pay.once", []string{"terminal"}, []string{"claim", "complete"}},
		"invalid arguments":  {"pay.now", `{}`, alice, "pay.now", []string{"terminal invalid_input"}, nil},
		"without permission": {"pay.now", validPay, bob, "pay.now", []string{"terminal permission_denied"}, nil},
		"forbidden":          {"pay.never", validPay, alice, "pay.never", []string{"terminal unknown_tool"}, nil},
		"a made-up name":     {"secret.name", validPay, alice, "", []string{"terminal unknown_tool"}, nil},
		"a question":         {"pay.asked", validPay, alice, "pay.asked", []string{"asked"}, nil},
		"the handler":        {"handler.context", `{}`, alice, "handler.context", []string{"terminal"}, nil},
		"a panic":            {"handler.panics", `{}`, alice, "handler.panics", []string{"terminal internal_error"}, nil},
		"Goexit":             {"handler.goexit", `{}`, alice, "handler.goexit", []string{"terminal internal_error"}, nil},
	} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // the handlers share variables
			o := &observer{}
			k := newKit(t, tools(), guard.WithObserver(o))
			_, _ = k.set.Call(as(t.Context(), c.by), guard.Request{
				Tool: c.tool, Arguments: json.RawMessage(c.arguments), Isolate: true,
				Client: guard.Client{Rounds: true},
			})
			require.Len(t, o.calls, 1)
			call := o.calls[0]
			assert.Equal(t, 1, call.ends)
			assert.Equal(t, c.registered, call.info.Tool)
			assert.Equal(t, c.kinds, call.kinds())
			for _, operation := range c.stored {
				assert.Contains(t, call.operations(), operation)
			}
			for _, op := range call.stored {
				assert.True(t, op.Local)
				assert.False(t, op.Outage)
				assert.False(t, op.Start.IsZero())
			}
			if c.registered == "" {
				assert.Equal(t, guard.CallInfo{}, call.info)
				return
			}
			i := slices.IndexFunc(k.set.Tools(), func(t *contract.Tool) bool { return t.Name() == c.registered })
			doc := k.set.Tools()[i].Document()
			assert.Equal(t, guard.CallInfo{Tool: doc.Name, Risk: doc.Risk, Effect: doc.Effect, Version: doc.Version,
				Digest: k.set.Tools()[i].Digest()}, call.info)
			if c.registered == "handler.context" {
				assert.Same(t, call, inHandler)
			}
		})
	}
}

// A panicking observer panics in each method, and in the function at the end.
type panickingObserver struct{ at string }

func (o panickingObserver) Attach(*guard.Guard) (func(), error) {
	return func() { o.panics("detach") }, nil
}

func (o panickingObserver) Begin(context.Context, guard.CallInfo) (context.Context, func()) {
	o.panics("begin")
	if o.at == "nothing" {
		return nil, nil
	}
	return nil, func() { o.panics("end") }
}

func (o panickingObserver) Audited(context.Context, audit.Event)         { o.panics("audited") }
func (o panickingObserver) Stored(context.Context, guard.StoreOperation) { o.panics("stored") }

func (o panickingObserver) panics(at string) {
	if o.at == at {
		panic(at)
	}
}

func TestGuard_AnObserverThatPanicsChangesNoCall(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"begin", "end", "audited", "stored", "detach", "nothing"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			var logged strings.Builder
			k := newKit(t, []*contract.Tool{n.managedPayer("pay.once", byArguments, nil).MustBuild()},
				guard.WithObserver(panickingObserver{at}), guard.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
			assert.Equal(t, contract.StatusOK, k.call(alice, "pay.once", validPay).Outcome.Status)
			assert.Equal(t, contract.StatusReplayed, k.call(alice, "pay.once", validPay).Outcome.Status)
			assert.EqualValues(t, 1, n.runs.Load())
			require.NoError(t, k.guard.Close(t.Context()))
			assert.Len(t, k.log.Events(), 2)
			assert.Equal(t, at != "nothing", logged.Len() > 0)
		})
	}
}

func TestGuard_Stats(t *testing.T) {
	t.Parallel()
	var k *kit
	inHandler, asked := guard.Stats{}, guard.Stats{}
	n := &counter{}
	k = newKit(t, []*contract.Tool{
		reader("handler.stats", func(context.Context) (empty, error) { inHandler = k.guard.Stats(); return empty{}, nil }).MustBuild(),
		n.payer("pay.asked").Effect(risk.Destructive).MustBuild(),
	})
	k.call(alice, "handler.stats", `{}`)
	assert.Equal(t, 1, inHandler.Handlers)
	_, err := k.set.Call(as(t.Context(), alice), guard.Request{
		Tool: "pay.asked", Arguments: json.RawMessage(validPay),
		Client: guard.Client{
			Session: "1",
			Ask: func(context.Context, people.Question) (json.RawMessage, error) {
				asked = k.guard.Stats()
				return json.RawMessage(`{"action":"decline"}`), nil
			},
		},
	})
	require.NoError(t, err)
	assert.Equal(t, 1, asked.Questions)
	require.NoError(t, k.guard.Close(t.Context()))
	k.call(alice, "handler.stats", `{}`) // after Close: refused, and its event is lost
	assert.Equal(t, guard.Stats{AuditLost: 1}, k.guard.Stats())
}

// A refusing observer cannot attach.
type refusingObserver struct{ panickingObserver }

func (refusingObserver) Attach(*guard.Guard) (func(), error) { return nil, guard.ErrUnavailable }

func TestGuard_AttachesItsObserver(t *testing.T) {
	t.Parallel()
	o := &observer{}
	k := newKit(t, nil, guard.WithObserver(o))
	assert.Same(t, k.guard, o.guard)
	assert.Zero(t, o.detached)
	for range 2 {
		require.NoError(t, k.guard.Close(t.Context()))
		assert.Equal(t, 1, o.detached)
	}
	_, err := guard.New(guard.WithObserver(refusingObserver{}))
	assert.ErrorIs(t, err, guard.ErrUnavailable)
}

func TestGuard_WithObserverOfNilIsAnError(t *testing.T) {
	t.Parallel()
	_, err := guard.New(guard.WithObserver(nil))
	assert.ErrorContains(t, err, "WithObserver")
}
