package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/risk"
)

// payAgain calls the second tool of a chain.
var payAgain = round{who: alice, tool: "pay.again", arguments: validPay}

// chain returns a kit with tools that never ask: pay.now and pay.again, whose
// changes cannot be undone, and books.read.
func chain(t testing.TB, n *counter, opts ...guard.Option) *kit {
	t.Helper()
	return newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild(), n.payer("pay.again").MustBuild(),
		reader("books.read", func(context.Context) (string, error) { return "read", nil }).MustBuild()}, append(opts, unlimited)...)
}

// bounded returns the option under test, with a bound on irreversible calls.
func bounded(irreversible int) guard.Option {
	return guard.WithSessionBound(risk.Chain{Irreversible: irreversible})
}

// allowed asserts that a call runs without a question.
func (k *kit) allowed(r round) {
	k.t.Helper()
	result, err := k.round(r)
	require.NoError(k.t, err)
	require.Equal(k.t, contract.StatusOK, result.Outcome.Status, result.Text)
}

// before returns what the question about a call says about its session, or "".
func (k *kit) before(r round) string {
	k.t.Helper()
	const begin = "So far in this session: "
	facts := k.asked(r).Question.Facts
	i := slices.IndexFunc(facts, func(f string) bool { return len(f) > len(begin) && f[:len(begin)] == begin })
	if i < 0 {
		return ""
	}
	return facts[i][len(begin):]
}

func TestSessionBound_EachFieldIsABound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bound risk.Chain
		free  int // the number of payments without a question
	}{
		"none":          {risk.Chain{}, 4},
		"calls":         {risk.Chain{Calls: 3}, 2},
		"irreversible":  {risk.Chain{Irreversible: 2}, 1},
		"class":         {risk.Chain{Reversibility: risk.ReversibleOutside}, 0},
		"risk":          {risk.Chain{Level: risk.Medium}, 0},
		"risk too high": {risk.Chain{Level: risk.High}, 4},
		"two":           {risk.Chain{Calls: 4, Irreversible: 3}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := chain(t, n, guard.WithSessionBound(c.bound))
			for range c.free {
				k.allowed(payNow)
			}
			if c.free < 4 {
				k.asked(payNow)
			}
			assert.EqualValues(t, c.free, n.runs.Load())
			k.allowed(round{who: alice, tool: "books.read", arguments: `{}`})
		})
	}
}

func TestSessionBound_EveryQuestionSaysWhatTheSessionDid(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild(), n.asking("pay.again").MustBuild()},
		guard.WithSessionBound(risk.Chain{}))
	assert.Empty(t, k.before(payAgain), "there was nothing before")
	k.allowed(payNow)
	assert.Equal(t, "1 call, 1 that cannot be undone, highest risk medium.", k.before(payAgain))
	assert.Empty(t, newKit(t, []*contract.Tool{n.asking("pay.again").MustBuild()}).before(payAgain), "without the option")
}

// An approval of a call that only the bound asks about is like any other: it
// counts once, however the person is asked.
func TestSessionBound_ApprovedCallRuns(t *testing.T) {
	t.Parallel()
	n := &counter{}
	t.Run("in rounds", func(t *testing.T) {
		t.Parallel()
		k := chain(t, n, bounded(1))
		q := k.asked(payNow)
		k.asked(payNow) // nothing has happened in between
		k.allowed(payNow.with(q.State, confirmed))
		assert.Equal(t, "1 call, 1 that cannot be undone, highest risk medium.", k.before(payAgain))
	})
	t.Run("within the call", func(t *testing.T) {
		t.Parallel()
		n := &counter{}
		k := chain(t, n, bounded(1))
		k.within(confirmed)
		assert.EqualValues(t, 1, n.runs.Load())
		k.within(declined)
		k.within(confirmed) // a person has just declined it
		assert.EqualValues(t, 1, n.runs.Load())
	})
	t.Run("on a page", func(t *testing.T) {
		t.Parallel()
		n := &counter{}
		d := &door{address: desk}
		k := chain(t, n, bounded(1), guard.WithPeople(guard.PeopleOptions{Approver: d}))
		waits(t, k.call(alice, "pay.now", validPay))
		q, _ := d.last(t)
		k.decide(q, true)
		require.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
		require.EqualValues(t, 1, n.runs.Load())
	})
}

func TestSessionBound_DeclinedCallDoesNotCount(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := chain(t, n, guard.WithSessionBound(risk.Chain{Level: risk.Medium}))
	q := k.asked(payNow)
	r, err := k.round(payNow.with(q.State, declined))
	require.NoError(t, err)
	refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
	assert.Empty(t, k.before(payAgain))
}

func TestSessionBound_CountsOnlyCallsWhoseHandlersBegin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool  func(*counter) *contract.Tool
		calls func(*kit)
		want  string
	}{
		"a refused call": {
			func(n *counter) *contract.Tool { return n.payer("pay.now").MustBuild() },
			func(k *kit) {
				k.call(alice, "pay.now", `{"pay":{"amount":101}}`)
				k.call(guard.Principal{Issuer: "test", Subject: "alice"}, "pay.now", validPay)
			}, "",
		},
		"a dry run": {
			func(n *counter) *contract.Tool { return n.payer("pay.now").DryRun(dryrun.By(previewPay)).MustBuild() },
			func(k *kit) { k.call(alice, "pay.now", dryPay) }, "",
		},
		"a call that a precheck ends": {
			func(n *counter) *contract.Tool {
				return n.payer("pay.now").Precheck(func(context.Context, payInput) error { return errNoFunds }).MustBuild()
			},
			func(k *kit) { k.call(alice, "pay.now", validPay) }, "",
		},
		"a replay": {
			func(n *counter) *contract.Tool { return n.managedPayer("pay.now", byArguments, nil).MustBuild() },
			func(k *kit) {
				k.call(alice, "pay.now", validPay)
				require.Equal(k.t, contract.StatusReplayed, k.call(alice, "pay.now", validPay).Outcome.Status)
			}, "1 call, 1 that cannot be undone, highest risk medium.",
		},
		"a call that fails": {
			func(n *counter) *contract.Tool {
				return n.managedPayer("pay.now", byArguments, func(context.Context, payInput) error { return errors.New("lost") }).MustBuild()
			},
			func(k *kit) { k.call(alice, "pay.now", validPay) }, "1 call, 1 that cannot be undone, highest risk medium.",
		},
		"a lookup": {
			func(n *counter) *contract.Tool { return n.managedPayer("pay.now", byArguments, nil).MustBuild() },
			func(k *kit) { k.lookUp(alice, k.call(alice, "pay.now", validPay).Outcome.OperationID) },
			"1 call, 1 that cannot be undone, highest risk medium.",
		},
		"a call with weaker clauses": {
			func(n *counter) *contract.Tool {
				return n.payer("pay.now").Resolve(contract.Least{Effect: risk.ReadOnly, Risk: risk.Low}, func(payInput) contract.Resolution {
					return contract.Resolution{Effect: risk.ReadOnly, Risk: risk.Low}
				}).MustBuild()
			},
			func(k *kit) { k.call(alice, "pay.now", validPay) }, "1 call, no changes, highest risk low.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{c.tool(n), n.asking("pay.again").MustBuild()}, guard.WithSessionBound(risk.Chain{}),
				guard.WithOperations(lookup))
			c.calls(k)
			assert.Equal(t, c.want, k.before(payAgain))
		})
	}
}

// The bound follows the resolved clauses of a call: one that its arguments make
// read-only causes no question, but counts.
func TestSessionBound_FollowsTheClausesOfTheCall(t *testing.T) {
	t.Parallel()
	n := &counter{}
	least := contract.Least{Effect: risk.ReadOnly, Risk: risk.Low}
	reads := n.payer("pay.now").Resolve(least, func(in payInput) contract.Resolution {
		if in.Pay.Amount > 10 {
			return contract.Resolution{}
		}
		return contract.Resolution{Effect: risk.ReadOnly, Risk: risk.Low}
	}).MustBuild()
	k := newKit(t, []*contract.Tool{reads}, guard.WithSessionBound(risk.Chain{Calls: 2}))
	k.allowed(payNow)
	k.allowed(payNow)
	more := payNow
	more.arguments = `{"pay":{"amount":11}}`
	k.asked(more)
}

func TestSessionBound_EndsWithAPauseOf30Minutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := chain(t, n, bounded(2))
		k.allowed(payNow)
		for range 3 {
			time.Sleep(29 * time.Minute)
			k.asked(payNow) // it counts as a call for the pause
		}
		time.Sleep(30*time.Minute - time.Nanosecond)
		k.asked(payNow)
		time.Sleep(30 * time.Minute)
		k.allowed(payNow)
		k.asked(payNow)
	})
}

func TestSessionBound_LastsWhileACallRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		hour := contract.New("pay.slowly", func(context.Context, empty) (string, error) { time.Sleep(time.Hour); return "", nil }).
			From(writing()).Timeout(2 * time.Hour).MustBuild()
		k := newKit(t, []*contract.Tool{hour, n.payer("pay.now").MustBuild()}, bounded(3))
		go k.allowed(round{who: alice, tool: "pay.slowly", arguments: `{}`})
		time.Sleep(59 * time.Minute)
		k.allowed(payNow) // a running call counts once
		k.asked(payNow)
		time.Sleep(time.Hour)
	})
}

func TestSessionBound_IsThatOfOnePrincipal(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := chain(t, n, bounded(2))
	k.allowed(payNow)
	for _, other := range []guard.Principal{
		carol, {Issuer: "other", Subject: "alice", Permissions: alice.Permissions},
		{Issuer: "test", Tenant: "a", Subject: "alice", Permissions: alice.Permissions},
	} {
		k.allowed(round{who: other, tool: "pay.now", arguments: validPay})
	}
	k.asked(payNow)
}

func TestSessionBound_AnonymousCallersShareOneAndAreNotAsked(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.open().MustBuild()}, bounded(2))
	name := k.set.Tools()[0].Name()
	require.False(t, k.call(guard.Principal{}, name, validPay).IsError)
	refused(t, k.call(guard.Principal{}, name, validPay), contract.CodeConfirmationRequired, contract.ClassFatal)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestSessionBound_ForgetsThePrincipalThatCalledLongestAgo(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := chain(t, n, bounded(2))
	k.allowed(payNow)
	other := payNow
	for i := range 10_000 {
		if i == 5_000 {
			k.asked(payNow)
		}
		other.who.Subject = fmt.Sprint("other", i)
		k.allowed(other)
	}
	k.asked(payNow) // which was called in between
	other.who.Subject = "other0"
	k.allowed(other) // which was forgotten
}

// Somebody who can invent principals cannot end a session with reads.
func TestSessionBound_ForgetsPrincipalsThatOnlyReadFirst(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := chain(t, n, bounded(2))
	k.allowed(payNow)
	read := round{tool: "books.read", arguments: `{}`}
	for i := range 10_010 {
		read.who = guard.Principal{Issuer: "test", Subject: fmt.Sprint("reader", i)}
		k.allowed(read)
	}
	k.asked(payNow)
}

// All sessions may have open calls. Once they have ended, the guard forgets as
// many as it must.
func TestSessionBound_OpenCallsAreNotForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, goOn := &counter{}, make(chan struct{})
		slow := reader("books.wait", func(context.Context) (string, error) { <-goOn; return "read", nil }).Risk(risk.Low).MustBuild()
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild(), slow}, bounded(2), unlimited)
		k.allowed(payNow)
		var open sync.WaitGroup
		for i := range 10_010 {
			open.Go(func() { k.call(guard.Principal{Issuer: "test", Subject: fmt.Sprint("reader", i)}, "books.wait", `{}`) })
		}
		synctest.Wait()
		k.allowed(payNow) // its session was idle, so it was forgotten
		k.asked(payNow)
		close(goOn)
		open.Wait()
		k.asked(payNow)
	})
}

func TestSessionBound_CallsAgreeWithTheListedContract(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tools := []*contract.Tool{
		n.payer("pay.now").MustBuild(), n.asking("pay.again").MustBuild(),
		n.payer("pay.high").Risk(risk.High).ConfirmNever("It is safe.").MustBuild(),
		n.payer("pay.when").ConfirmWhen(func(payInput) bool { return false }).MustBuild(),
		reader("books.read", func(context.Context) (string, error) { return "", nil }).MustBuild(),
	}
	for name, c := range map[string]struct {
		opts []guard.Option
		want map[string]contract.Confirmation
	}{
		"without the option":  {nil, nil},
		"with the zero bound": {[]guard.Option{guard.WithSessionBound(risk.Chain{})}, nil},
		"with a bound": {[]guard.Option{bounded(2)},
			map[string]contract.Confirmation{"pay.now": contract.ConfirmationWhen, "pay.high": contract.ConfirmationWhen}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, tools, c.opts...)
			for _, tool := range k.set.Tools() {
				declared, served := tool.Document(), k.set.Adapter().Document(tool.Name())
				want, changes := c.want[tool.Name()]
				if !changes {
					assert.Equal(t, declared, served)
					continue
				}
				assert.Equal(t, want, served.Confirmation)
				assert.False(t, served.Autonomous)
				assert.Empty(t, served.ConfirmationReason)
				assert.Contains(t, served.Summary().FailureCodes, contract.CodeConfirmationRequired)
				assert.NotContains(t, declared.Summary().FailureCodes, contract.CodeConfirmationRequired)
			}
		})
	}
}

func TestSessionBound_EffectiveDecidesAboutTheNextCall(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := chain(t, n, bounded(2))
	pay, ctx := k.set.Tools()[2], as(t.Context(), alice)
	require.Equal(t, "pay.now", pay.Name())
	const never, always = contract.ConfirmationNever, contract.ConfirmationAlways
	for _, want := range []contract.Confirmation{never, always, always} {
		d, err := k.guard.Effective(ctx, pay, json.RawMessage(validPay))
		require.NoError(t, err)
		assert.Equal(t, want, d.Confirmation)
		assert.Equal(t, want == never, d.Autonomous)
		if want == never {
			k.allowed(payNow)
		}
	}
	d, err := k.guard.Effective(as(t.Context(), carol), pay, json.RawMessage(validPay))
	require.NoError(t, err)
	assert.Equal(t, never, d.Confirmation, "another principal")
}

func TestSessionBound_TheAuditLogSaysThatAPersonHadToAgree(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := chain(t, n, bounded(2))
	k.allowed(payNow)
	k.allowed(payAgain.with(k.asked(payAgain).State, confirmed))
	ended, asked := k.events(audit.Terminal), k.log.Events(audit.Asked)
	require.Len(t, ended, 2)
	assert.Empty(t, ended[0].Confirmation)
	assert.Equal(t, "always", ended[1].Confirmation)
	require.Len(t, asked, 1)
	assert.Equal(t, "always", asked[0].Confirmation)
}

// Then neither the list nor Effective announces a question. The audit log says
// that one was waived.
func TestSessionBound_IsWaivedWithTheConfirmation(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := chain(t, n, bounded(1), guard.WithAuditOnly("pay.now", "confirmation"))
	pay := k.set.Tools()[2]
	require.Equal(t, "pay.now", pay.Name())
	assert.Equal(t, pay.Document(), k.set.Adapter().Document("pay.now"))
	d, err := k.guard.Effective(as(t.Context(), alice), pay, json.RawMessage(validPay))
	require.NoError(t, err)
	assert.Equal(t, contract.ConfirmationNever, d.Confirmation)
	assert.True(t, d.Autonomous)
	k.allowed(payNow)
	assert.Equal(t, []string{"confirmation"}, k.events(audit.Terminal)[0].AuditOnly)
	k.asked(payAgain)
}

// The bound does not change what a resolution may return.
func TestSessionBound_CallsResolveAsTheToolDeclares(t *testing.T) {
	t.Parallel()
	const never, when = contract.ConfirmationNever, contract.ConfirmationWhen
	least := contract.Least{Risk: risk.Medium, Effect: risk.LowRiskWrite, Confirmation: never}
	for name, c := range map[string]struct{ declared, resolved contract.Confirmation }{
		"nothing":            {never, 0},
		"never":              {never, never},
		"when":               {when, 0},
		"never, of when":     {when, never},
		"stricter, so fails": {never, contract.ConfirmationAlways},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			b := n.payer("pay.now").Resolve(least, func(payInput) contract.Resolution {
				return contract.Resolution{Confirmation: c.resolved}
			})
			if c.declared == when {
				b = b.ConfirmWhen(func(payInput) bool { return false })
			}
			tool := b.MustBuild()
			with, without := newKit(t, []*contract.Tool{tool}, bounded(2)), newKit(t, []*contract.Tool{tool})
			for _, k := range []*kit{with, without} {
				d, err := k.guard.Effective(as(t.Context(), alice), tool, json.RawMessage(validPay))
				r := k.call(alice, "pay.now", validPay)
				if c.resolved > c.declared {
					require.ErrorAs(t, err, new(*contract.ResolutionError))
					refused(t, r, contract.CodeInternalError, contract.ClassFatal)
					continue
				}
				require.NoError(t, err)
				assert.Equal(t, never, d.Confirmation)
				require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
			}
			if c.resolved <= c.declared {
				with.asked(payNow) // the bound is reached
			}
		})
	}
}

// A tool without a contract counts by what its author says about it.
func TestSessionBound_CountsToolsWithoutAContract(t *testing.T) {
	t.Parallel()
	for readOnly, want := range map[bool]string{
		true: "1 call, no changes, highest risk low.", false: "1 call, 1 that cannot be undone, highest risk critical.",
	} {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.again").MustBuild()}, bounded(1))
		passed := &bound.Passed{}
		r, err := k.set.Adapter().Plain(bound.Plain{
			Name: "ping", ReadOnly: readOnly, Concurrent: 1, ResultBytes: 1 << 20,
			CheckInput:  func([]byte) []schema.Violation { return nil },
			CheckOutput: func([]byte) []schema.Violation { return nil },
		})(as(t.Context(), alice), guard.Request{Run: func(context.Context) (*bound.Passed, error) { return passed, nil }})
		require.NoError(t, err)
		require.Equal(t, contract.StatusOK, r.Outcome.Status)
		assert.Equal(t, want, k.before(payAgain))
	}
}

func TestWithSessionBound_RefusesABoundThatDoesNotExist(t *testing.T) {
	t.Parallel()
	for _, bound := range []risk.Chain{{Calls: -1}, {Irreversible: -1}, {Reversibility: 9}, {Level: 99}} {
		_, err := guard.New(guard.WithSessionBound(bound))
		require.Error(t, err, "%+v", bound)
	}
}

func TestThreat231_AChainOfAllowedCallsEndsInAQuestion(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := chain(t, n, bounded(4))
	for _, r := range []round{payNow, payAgain, payNow} {
		k.allowed(r)
		k.allowed(round{who: alice, tool: "books.read", arguments: `{}`})
	}
	assert.Equal(t, "6 calls, 3 that cannot be undone, highest risk medium.", k.before(payAgain))
	refused(t, k.call(alice, "pay.now", validPay), contract.CodeConfirmationRequired, contract.ClassFatal)
	assert.EqualValues(t, 3, n.runs.Load())
}

// Run this with -race.
func TestThreat232_CallsAtTheSameTimeDoNotAllStayBelowTheBound(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := chain(t, n, bounded(6))
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() {
			r, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay)})
			assert.NoError(t, err)
			assert.True(t, !r.IsError || r.Outcome.Code == contract.CodeConfirmationRequired, r.Text)
		})
	}
	calls.Wait()
	assert.LessOrEqual(t, n.runs.Load(), int64(5))
	// Calls that were refused have given back what they held.
	for n.runs.Load() < 5 {
		k.allowed(payNow)
	}
	k.asked(payNow)
}

// While a person is asked about one call, other calls count it.
func TestThreat232_ACallThatMayStillBeginCounts(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild(), n.payer("pay.again").MustBuild()}, bounded(2))
	_, err := k.set.Call(as(t.Context(), alice), guard.Request{
		Tool: "pay.now", Arguments: json.RawMessage(validPay),
		Client: guard.Client{Ask: func(context.Context, people.Question) (json.RawMessage, error) {
			assert.Empty(t, k.before(payAgain), "it may be declined")
			return json.RawMessage(declined), nil
		}},
	})
	require.NoError(t, err)
	k.allowed(payAgain)
}

// Another connection, another server, a flood of refused calls or a flood of
// reads does not start another session.
func TestThreat233_ACallerCannotBeginAnotherSession(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := chain(t, n, bounded(2))
	k.allowed(payNow)
	for i := range 100 {
		k.call(alice, "pay.now", `{}`)
		k.allowed(round{who: alice, tool: "books.read", arguments: `{}`})
		elsewhere := payNow
		elsewhere.server = fmt.Sprint("server", i)
		k.asked(elsewhere)
	}
	for _, session := range []string{"", "one", "another"} {
		asked := false
		r, err := k.set.Call(as(t.Context(), alice), guard.Request{
			Tool: "pay.again", Arguments: json.RawMessage(`{"pay":{"amount":` + fmt.Sprint(len(session)+1) + `}}`),
			Client: guard.Client{Session: session, Ask: func(context.Context, people.Question) (json.RawMessage, error) {
				asked = true
				return json.RawMessage(declined), nil
			}},
		})
		require.NoError(t, err)
		refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		assert.True(t, asked)
	}
	assert.EqualValues(t, 1, n.runs.Load())
}
