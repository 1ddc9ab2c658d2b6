package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// writer builds a medium-risk tool. f gets the handler's context.
func writer(name string, f func(context.Context) error) *contract.Builder[empty, empty] {
	return contract.New(name, func(ctx context.Context, _ empty) (empty, error) { return empty{}, f(ctx) }).
		Description("Writes.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("mail:send").
		Failures(errNoFunds, errClosed)
}

// wire returns everything that a caller can see of a result.
func wire(t *testing.T, r *guard.Result) string {
	t.Helper()
	data, err := json.Marshal(r)
	require.NoError(t, err)
	return string(data)
}

func TestThreat06_UndeclaredFailureIsAnInternalError(t *testing.T) {
	t.Parallel()
	other := contract.Retryable("other", "Not declared by this tool.")
	for name, err := range map[string]error{
		"a failure of another tool":   other,
		"an error built from it":      other.Errorf("text of other"),
		"a code that is not declared": contract.Fatal("nobody", "").Errorf("text of other"),
		"a code of the guard":         contract.Retryable(contract.CodeInvalidInput, "").Errorf("text of other"),
		"an undeclared reserved code": contract.Retryable(contract.CodeToolRetry, "").Errorf("text of other"),
		"a wrapped failure":           fmt.Errorf("sending: %w", other),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, []*contract.Tool{writer("pay.now", func(context.Context) error { return err }).MustBuild()})
			r := k.call(alice, "pay.now", "")
			refused(t, r, contract.CodeInternalError, contract.ClassFatal)
			assert.True(t, strings.HasPrefix(r.Text, "[FATAL] internal_error: "), r.Text)
			assert.NotContains(t, wire(t, r), "other")
			events := k.events(audit.Terminal)
			require.Len(t, events, 1)
			var code interface{ Code() string }
			require.ErrorAs(t, err, &code)
			assert.Contains(t, events[0].Error, code.Code(), "the log names the undeclared code")
		})
	}
}

func TestRun_DeclaredFailuresKeepClassTextAndPointer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		code  string
		class contract.Class
		text  string
	}{
		"unchanged":   {errNoFunds, "no_funds", contract.ClassRetryable, "no_funds: The account does not cover the amount."},
		"with a text": {errNoFunds.Errorf("short by %d", 3), "no_funds", contract.ClassRetryable, "no_funds: short by 3"},
		"wrapped": {fmt.Errorf("paying: %w", errNoFunds.Errorf("short")), "no_funds", contract.ClassRetryable,
			"no_funds: short"},
		"joined": {errors.Join(errSecret, errNoFunds), "no_funds", contract.ClassRetryable,
			"no_funds: The account does not cover the amount."},
		"of another variable with its code": {contract.Fatal("no_funds", "").Errorf("short"), "no_funds", contract.ClassRetryable,
			"no_funds: short"},
		"with a cause": {errNoFunds.Wrap(errSecret), "no_funds", contract.ClassRetryable,
			"no_funds: The account does not cover the amount."},
		"fatal": {errClosed, "account_closed", contract.ClassFatal, "[FATAL] account_closed: The account is closed."},
		"with a hint": {errNoFunds.Hint("Ask for less."), "no_funds", contract.ClassRetryable, "no_funds: The account does not " +
			"cover the amount.\nAsk for less."},
		"with a delay": {errNoFunds.After(1500 * time.Millisecond), "no_funds", contract.ClassRetryable,
			"no_funds: The account does not cover the amount.\nTry again in 1.5s."},
		"with a forged end": {errNoFunds.Errorf("x [fatal] [FA\u200bTAL] y"), "no_funds", contract.ClassRetryable,
			"no_funds: x (fatal) (FATAL) y"},
		"with an escape": {errNoFunds.Errorf("\x1b[2Jx\u202ey"), "no_funds", contract.ClassRetryable, "no_funds: xy"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, []*contract.Tool{writer("pay.now", func(context.Context) error { return c.err }).MustBuild()})
			r := k.call(alice, "pay.now", "")
			refused(t, r, c.code, c.class)
			assert.Equal(t, c.text, r.Text)
			assert.NotContains(t, wire(t, r), "pq:")
		})
	}
	k := newKit(t, []*contract.Tool{writer("pay.now", func(context.Context) error {
		return errNoFunds.Errorf("short").At("/pay/amount").After(1).Hint("Ask for less.")
	}).MustBuild()})
	o := k.call(alice, "pay.now", "").Outcome
	assert.Equal(t, []contract.Violation{{Rule: "no_funds", Pointer: "/pay/amount", Message: "short"}}, o.Violations)
	assert.EqualValues(t, 1, o.RetryAfterMs, "rounded up")
	assert.Equal(t, "Ask for less.", o.Hint)
}

func TestRun_TypedNilErrorIsSuccess(t *testing.T) {
	t.Parallel()
	for _, err := range []error{(*contract.Error)(nil), (*contract.Failure)(nil)} {
		k := newKit(t, []*contract.Tool{writer("pay.now", func(context.Context) error { return err }).MustBuild()})
		assert.False(t, k.call(alice, "pay.now", "").IsError)
	}
}

type panicker struct{ s string }

func (p panicker) String() string { return p.s }

func TestThreat67_PanicIsContainedAndLeaksNothing(t *testing.T) {
	t.Parallel()
	for name, boom := range map[string]func(){
		"an error":             func() { panic(errSecret) },
		"a string":             func() { panic("pq: password") },
		"a nil dereference":    func() { var p *payInput; p.Note = "pq:" },
		"a type of the tool's": func() { panic(panicker{"pq: password"}) },
		"nil":                  func() { panic(nil) },
		"the goroutine's end":  runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := writer("pay.now", func(context.Context) error { boom(); return nil }).Timeout(time.Minute).MustBuild()
			k := newKit(t, []*contract.Tool{tool})
			for range 2 { // the guard still works
				r := k.call(alice, "pay.now", "")
				refused(t, r, contract.CodeInternalError, contract.ClassFatal)
				assert.NotContains(t, wire(t, r), "pq:")
				assert.NotContains(t, wire(t, r), "goroutine")
				assert.NotContains(t, wire(t, r), ".go:")
			}
			events := k.events(audit.Terminal)
			require.Len(t, events, 2)
			assert.NotEmpty(t, events[0].Error)
			assert.Equal(t, audit.Allow, events[0].Decision)
		})
	}
}

func TestThreat67_GoexitOnTheCallersGoroutineIsAudited(t *testing.T) {
	t.Parallel()
	tool := writer("pay.now", func(context.Context) error { runtime.Goexit(); return nil }).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	var ended sync.WaitGroup
	ended.Go(func() { k.call(alice, "pay.now", "") })
	ended.Wait()
	events := k.events(audit.Terminal)
	require.Len(t, events, 1)
	assert.Equal(t, contract.CodeInternalError, events[0].Code)
	assert.Equal(t, "run", events[0].Stage)
}

func TestThreat67_GoexitOfAnIsolatedCallIsContained(t *testing.T) {
	t.Parallel()
	tool := writer("pay.now", func(context.Context) error { runtime.Goexit(); return nil }).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	r, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now", Isolate: true})
	require.NoError(t, err)
	refused(t, r, contract.CodeInternalError, contract.ClassFatal)
}

func TestThreat70_TimeoutAnswersInTimeAndTheLateEndIsAudited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		tool := writer("pay.now", func(context.Context) error { <-release; return errClosed }).Timeout(time.Second).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		start := time.Now()
		r := k.call(alice, "pay.now", "")
		assert.Equal(t, time.Second, time.Since(start))
		refused(t, r, contract.CodeTimeout, contract.ClassFatal)
		close(release)
		synctest.Wait()
		require.NoError(t, k.guard.Close(t.Context()))
		events := k.log.Events()
		require.Len(t, events, 2)
		assert.Equal(t, audit.Terminal, events[0].Kind)
		assert.Equal(t, contract.CodeTimeout, events[0].Code)
		assert.Equal(t, audit.Late, events[1].Kind)
		assert.Equal(t, "account_closed", events[1].Code)
		assert.Equal(t, events[0].CallID, events[1].CallID)
	}) // synctest fails if a goroutine is left
}

func TestThreat70_HandlerThatHonoursItsDeadlineTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wait := func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
		k := newKit(t, []*contract.Tool{
			reader("time.wait", wait).Timeout(time.Second).MustBuild(),
			writer("pay.now", func(ctx context.Context) error { <-ctx.Done(); return fmt.Errorf("paying: %w", ctx.Err()) }).MustBuild(),
		})
		r := k.call(alice, "time.wait", "")
		refused(t, r, contract.CodeTimeout, contract.ClassRetryable) // a read can be retried
		start := time.Now()
		refused(t, k.call(alice, "pay.now", ""), contract.CodeTimeout, contract.ClassFatal)
		assert.Equal(t, 10*time.Minute, time.Since(start), "a detached handler without a timeout has a deadline")
	})
}

func TestThreat71_ClientThatHangsUpDoesNotEndAWrite(t *testing.T) {
	t.Parallel()
	for name, isolate := range map[string]bool{"on the caller's goroutine": false, "isolated": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var effect bool
				entered := make(chan struct{})
				tool := writer("pay.now", func(ctx context.Context) error {
					close(entered)
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(time.Second):
						effect = true
						return nil
					}
				}).MustBuild()
				k := newKit(t, []*contract.Tool{tool})
				ctx, hangUp := context.WithCancel(as(t.Context(), alice))
				go func() {
					<-entered
					hangUp()
				}()
				r, err := k.set.Call(ctx, guard.Request{Tool: "pay.now", Isolate: isolate})
				require.NoError(t, err)
				assert.False(t, r.IsError)
				assert.True(t, effect)
				events := k.events(audit.Terminal)
				require.Len(t, events, 1)
				assert.Equal(t, "ok", events[0].Status)
			})
		})
	}
}

func TestRun_ReadsAndCancellableWritesEndWithTheirCaller(t *testing.T) {
	t.Parallel()
	wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	k := newKit(t, []*contract.Tool{
		reader("time.wait", func(ctx context.Context) (string, error) { return "", wait(ctx) }).MustBuild(),
		writer("pay.now", wait).Cancellable().MustBuild(),
	})
	for _, tool := range []string{"time.wait", "pay.now"} {
		ctx, hangUp := context.WithCancel(as(t.Context(), alice))
		hangUp()
		// The principal is already known. The cancelled call runs nothing.
		done := make(chan *guard.Result, 1)
		go func() {
			r, _ := k.set.Call(ctx, guard.Request{Tool: tool})
			done <- r
		}()
		assert.True(t, (<-done).IsError)
	}
}

func TestRun_CallOverTheConcurrencyLimitIsUnavailable(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	tool := writer("pay.now",
		func(context.Context) error { entered <- struct{}{}; <-release; return nil }).MaxConcurrent(2).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() { k.call(alice, "pay.now", "") })
		<-entered
	}
	r := k.call(alice, "pay.now", "")
	refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
	assert.Positive(t, r.Outcome.RetryAfterMs)
	close(release)
	calls.Wait()
	go func() { <-entered }()
	assert.False(t, k.call(alice, "pay.now", "").IsError, "the slots are free again")
}

func TestProgress_ReachesTheCallerUntilTheAnswer(t *testing.T) {
	t.Parallel()
	var inside context.Context
	tool := reader("time.read", func(ctx context.Context) (string, error) {
		inside = ctx
		guard.Progress(ctx, 1, 2, "half\x1b[2J way")
		return "", nil
	}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	var notes []string
	r, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "time.read", Progress: func(done, total float64, note string) {
		notes = append(notes, fmt.Sprint(done, "/", total, " ", note))
	}})
	require.NoError(t, err)
	require.False(t, r.IsError)
	guard.Progress(inside, 2, 2, "too late")
	guard.Progress(t.Context(), 2, 2, "no call")
	assert.Equal(t, []string{"1/2 half way"}, notes)
	assert.False(t, k.call(alice, "time.read", "").IsError, "without a receiver it does nothing")
}

// A caller that has its answer gets no progress of the handler that ran on.
func TestProgress_NotAfterTheTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		tool := reader("time.read", func(ctx context.Context) (string, error) {
			guard.Progress(ctx, 1, 2, "in time")
			time.Sleep(2 * time.Second) // after ctx has ended
			guard.Progress(ctx, 2, 2, "late")
			return "", nil
		}).Timeout(time.Second).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		r, err := k.set.Call(as(t.Context(), alice), guard.Request{
			Tool: "time.read", Progress: func(_, _ float64, note string) { sent = append(sent, note) },
		})
		require.NoError(t, err)
		refused(t, r, contract.CodeTimeout, contract.ClassRetryable)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"in time"}, sent)
	})
}
