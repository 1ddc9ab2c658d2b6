package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
)

// A stageCheck exercises one stage and reports whether the guard enforces it.
type stageCheck func(t *testing.T, opts ...guard.Option) bool

// A committing store counts the transactions that it committed.
type committing struct {
	*store.Memory

	committed int
}

func (s *committing) Transaction(store.Key, store.Owner) store.Transaction { return &committingTx{s} }

type committingTx struct{ of *committing }

func (t *committingTx) Context(ctx context.Context) context.Context { return ctx }

func (t *committingTx) Begun() bool { return true }

func (t *committingTx) Failed(error) {}

func (t *committingTx) Err() error { return nil }

func (t *committingTx) Commit(ctx context.Context, c store.Completion) error {
	t.of.committed++
	return t.of.Complete(ctx, c)
}

func (t *committingTx) Rollback() {}

// holds reports whether a call was refused with a code and ran nothing.
func holds(n *counter, r *guard.Result, code string) bool {
	return r != nil && r.IsError && r.Outcome.Code == code && n.runs.Load() == 0
}

// stageChecks has a check for each clause that a stage enforces, under "stage,
// clause", and for stages that enforce no clause of a contract.
var stageChecks = map[string]stageCheck{
	"lookup, risk": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		forbidden := n.payer("keys.read").Risk(risk.Forbidden).MustBuild()
		k := newKit(t, []*contract.Tool{forbidden}, opts...)
		_, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "keys.read", Arguments: json.RawMessage(validPay)})
		return errors.Is(err, guard.ErrUnknownTool) && n.runs.Load() == 0
	},
	"commit, idempotency": func(t *testing.T, opts ...guard.Option) bool {
		memory, err := store.NewMemory()
		require.NoError(t, err)
		n, s := &counter{}, &committing{Memory: memory}
		atomic := n.payer("pay.now").Idempotency(contract.Idempotency{Mode: idempotency.Managed, Atomic: true}).MustBuild()
		newKit(t, []*contract.Tool{atomic}, append(opts, guard.WithStore(s))...).call(alice, "pay.now", validPay)
		return s.committed == 1
	},
	"authenticate, permissions": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, opts...)
		return holds(n, k.call(guard.Principal{}, "pay.now", validPay), contract.CodeUnauthenticated)
	},
	"admit, permissions": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, opts...)
		return holds(n, k.call(bob, "pay.now", validPay), contract.CodePermissionDenied)
	},
	"admit, rateLimit": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").RateLimit(1, time.Hour).MustBuild()}, opts...)
		k.call(alice, "pay.now", validPay)
		return k.call(alice, "pay.now", validPay).Outcome.Code == contract.CodeRateLimitExceeded && n.runs.Load() == 1
	},
	"validate, inputSchema": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", `{"pay":{"amount":101}}`), contract.CodeInvalidInput)
	},
	"validate, lenient": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").Lenient(contract.TextAsNumber).MustBuild()}, opts...)
		r := k.call(alice, "pay.now", `{"pay":{"amount":"10"}}`)
		return !r.IsError && len(r.Outcome.Readings) == 1 && n.runs.Load() == 1
	},
	"session": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, append(opts, bounded(1))...)
		return holds(n, k.call(alice, "pay.now", validPay), contract.CodeConfirmationRequired)
	},
	"stepup, stepUp": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", validPay), contract.CodeStepUpRequired)
	},
	"authorize, objectAuthorization": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").Authorize(upTo).MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", foreignPay), contract.CodePermissionDenied)
	},
	"authorize, the policy of the server": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		deny := guard.WithAuthorizer(func(context.Context, guard.Action) error { return errors.New("no") })
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, append(opts, deny)...)
		return holds(n, k.call(alice, "pay.now", validPay), contract.CodePermissionDenied)
	},
	"budget, retryBudget": func(t *testing.T, opts ...guard.Option) bool { return budgetHolds(t, false, opts...) },
	"begin, retryBudget":  func(t *testing.T, opts ...guard.Option) bool { return budgetHolds(t, true, opts...) },
	"confirm, confirmation": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").ConfirmAlways().MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", validPay), contract.CodeConfirmationRequired)
	},
	"confirm, typedConfirmation": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.typing("pay.now").MustBuild()}, opts...)
		q, err := k.round(payNow)
		require.NoError(t, err)
		if q.Outcome.Status != contract.StatusAsked {
			return false
		}
		r, err := k.round(payNow.with(q.State, confirmed))
		require.NoError(t, err)
		return holds(n, r, contract.CodeConfirmationDeclined)
	},
	"intent, risk": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		down := guard.WithAudit(audit.Func(func(context.Context, audit.Event) error { return errors.New("disk full") }))
		tool := n.payer("pay.now").Risk(risk.High).ConfirmNever("the amount is bounded").MustBuild()
		k := newKit(t, []*contract.Tool{tool}, append(opts, down)...)
		return holds(n, k.call(alice, "pay.now", validPay), contract.CodeUnavailable)
	},
	"preview, dryRun": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.tryable("pay.now").MustBuild()}, opts...)
		return k.call(alice, "pay.now", dryPay).Outcome.Status == contract.StatusDryRun && n.runs.Load() == 0
	},
	"requiredryrun, dryRun": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.tryFirst("pay.now").MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", validPay), contract.CodeDryRunRequired)
	},
	"precheck, failureModes": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		fails := &check{err: failNoFunds}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").Precheck(fails.run).MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", validPay), errNoFunds.Code())
	},
	"spenddryrun, dryRun": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.tryFirst("pay.now").MustBuild()}, opts...)
		call := payWith(tokenOf(t, k.call(alice, "pay.now", dryPay)))
		k.call(alice, "pay.now", call)
		k.call(alice, "pay.now", call)
		return n.runs.Load() == 1
	},
	"replay, idempotency": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		var ask atomic.Bool
		tool := n.managedPayer("pay.now", byArguments, nil).ConfirmWhen(func(payInput) bool { return ask.Load() }).MustBuild()
		k := newKit(t, []*contract.Tool{tool}, opts...)
		k.call(alice, "pay.now", validPay)
		ask.Store(true)
		return k.call(alice, "pay.now", validPay).Outcome.Status == contract.StatusReplayed && n.runs.Load() == 1
	},
	"reserve, maxConcurrent": func(t *testing.T, opts ...guard.Option) bool {
		started, goOn := make(chan struct{}, 2), make(chan struct{})
		tool := writer("pay.now", func(context.Context) error {
			started <- struct{}{}
			<-goOn
			return nil
		}).MaxConcurrent(1).MustBuild()
		k := newKit(t, []*contract.Tool{tool}, opts...)
		first := make(chan *guard.Result)
		go func() { first <- k.call(alice, "pay.now", "") }()
		select {
		case <-started:
		case r := <-first:
			return !r.IsError
		}
		second := k.call(alice, "pay.now", "")
		close(goOn)
		<-first
		return second.Outcome.Code == contract.CodeUnavailable
	},
	"openstate, confirmation": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").ConfirmAlways().MustBuild()}, opts...)
		_, err := k.set.Call(as(t.Context(), alice), guard.Request{
			Tool: "pay.now", Arguments: json.RawMessage(validPay),
			Client: guard.Client{State: "forged", Rounds: true},
		})
		return errors.Is(err, guard.ErrRejectedState)
	},
	"mark, idempotency": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		s := &spy{Memory: newMemory(t)}
		tool := n.managedPayer("pay.now", byArguments, nil).ConfirmWhen(func(payInput) bool { return false }).MustBuild()
		k := newKit(t, []*contract.Tool{tool}, append(opts, guard.WithStore(s))...)
		k.call(alice, "pay.now", validPay)
		return slices.Contains(s.asked(), "mark")
	},
	"begin, reconcile": func(t *testing.T, opts ...guard.Option) bool {
		s := newShop()
		k := newKit(t, []*contract.Tool{s.tool(byNumber).MustBuild()}, opts...)
		s.died(t, k, true)
		return k.call(alice, "orders.place", orderOne).Outcome.Status == contract.StatusReplayed && s.effects() == 1
	},
	"begin, idempotency": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).MustBuild()}, opts...)
		k.call(alice, "pay.now", validPay)
		k.call(alice, "pay.now", validPay)
		return n.runs.Load() == 1
	},
	"complete, idempotency": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).MustBuild()}, opts...)
		k.call(alice, "pay.now", validPay)
		return k.call(alice, "pay.now", validPay).Outcome.Status == contract.StatusReplayed
	},
	"run, the handler": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, opts...)
		r := k.call(alice, "pay.now", validPay)
		return !r.IsError && n.runs.Load() == 1 && string(r.Structured) == `{"paid":10}`
	},
	"checkresult, the characters of a text": func(t *testing.T, opts ...guard.Option) bool {
		tool := reader("text.read", func(context.Context) (string, error) { return "a\x1b[31mb", nil }).Trust(trust.Trusted).MustBuild()
		r := newKit(t, []*contract.Tool{tool}, opts...).call(alice, "text.read", `{}`)
		return !r.IsError && r.Text == "ab"
	},
	"audit, auditEvent": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").AuditEvent("payment.made").MustBuild()}, opts...)
		k.call(alice, "pay.now", validPay)
		events := k.events(audit.Terminal)
		return len(events) == 1 && events[0].AuditEvent == "payment.made"
	},
	"openstate, stepUp": func(t *testing.T, opts ...guard.Option) bool {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
			append(opts, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))...)
		_, err := k.tryURLRound(payNow.opened("forged", accepted))
		return errors.Is(err, guard.ErrRejectedState)
	},
	"authenticate, securityLevel": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").NoPermissions("Everyone may.").SecurityLevel(1).MustBuild()}, opts...)
		return holds(n, k.call(guard.Principal{}, "pay.now", validPay), contract.CodeUnauthenticated)
	},
	"admit, discoverWith": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.resolving("pay.now").MustBuild()}, opts...)
		r := k.call(guard.Principal{Subject: "dora"}, "pay.now", strictPay)
		// A caller that may not see the tool learns only what seeing it needs.
		return holds(n, r, contract.CodePermissionDenied) && slices.Equal(r.Outcome.MissingPermissions, []string{"mail:read"})
	},
	"admit, totalRateLimit": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").TotalRateLimit(1, time.Hour).MustBuild()}, opts...)
		k.call(carol, "pay.now", validPay)
		return k.call(alice, "pay.now", validPay).Outcome.Code == contract.CodeRateLimitExceeded && n.runs.Load() == 1
	},
	"admit, maxArgumentBytes": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MaxArgumentBytes(int64(len(validPay))).MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", validPay+" "), contract.CodeInvalidInput)
	},
	"validate, idempotency": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, nil).MustBuild()}, opts...)
		return holds(n, k.callKeyed(alice, "pay.now", validPay, "not\na key"), contract.CodeInvalidInput)
	},
	"resolve, effect": func(t *testing.T, opts ...guard.Option) bool {
		return stricterIsRefused(t, contract.Resolution{Effect: risk.Destructive}, opts...)
	},
	"resolve, risk": func(t *testing.T, opts ...guard.Option) bool {
		return stricterIsRefused(t, contract.Resolution{Risk: risk.Critical}, opts...)
	},
	"resolve, confirmation": func(t *testing.T, opts ...guard.Option) bool {
		return stricterIsRefused(t, contract.Resolution{Confirmation: contract.ConfirmationAlways}, opts...)
	},
	"resolve, permissions": func(t *testing.T, opts ...guard.Option) bool {
		return stricterIsRefused(t, contract.Resolution{Permissions: []string{"mail:send", "mail:read"}}, opts...)
	},
	"resolve, resolves": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		least := contract.Least{Effect: risk.HighRiskWrite, Risk: risk.High}
		k := newKit(t, []*contract.Tool{n.grave("pay.now").Resolve(least, byAmount(asReading)).MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", weakPay), contract.CodeInternalError)
	},
	"authorize, permissions": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.resolving("pay.now").MustBuild()}, opts...)
		return holds(n, k.call(bob, "pay.now", strictPay), contract.CodePermissionDenied)
	},
	"confirm, securityLevel": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").SecurityLevel(8).MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", validPay), contract.CodeConfirmationRequired)
	},
	"stepup, securityLevel": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").SecurityLevel(8).StepUp(demand).MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", validPay), contract.CodeStepUpRequired)
	},
	"reserve, cancellable": func(t *testing.T, opts ...guard.Option) bool {
		return endsWithItsCaller(t, func(f func(context.Context) error) *contract.Tool {
			return writer("pay.now", f).Cancellable().MustBuild()
		}, opts...) == ended
	},
	"reserve, effect": func(t *testing.T, opts ...guard.Option) bool {
		return endsWithItsCaller(t, func(f func(context.Context) error) *contract.Tool { return writer("pay.now", f).MustBuild() },
			opts...) == outlived
	},
	"begin, confirmation": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()}, opts...)
		answer := payNow.with(k.asked(payNow).State, confirmed)
		for range 2 {
			_, err := k.round(answer)
			require.NoError(t, err)
		}
		return n.runs.Load() == 1
	},
	"begin, stepUp": func(t *testing.T, opts ...guard.Option) bool {
		n, p := &counter{}, &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
			append(opts, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))...)
		first := sent(t, k.urlRound(payNow))
		require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), first.Question.ID, strong(alice)))
		for range 2 {
			k.urlRound(payNow.opened(first.State, accepted))
		}
		return n.runs.Load() == 1
	},
	"run, timeoutMs": func(t *testing.T, opts ...guard.Option) bool {
		tool := writer("pay.now", func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}).Timeout(time.Millisecond).MustBuild()
		return newKit(t, []*contract.Tool{tool}, opts...).call(alice, "pay.now", "").Outcome.Code == contract.CodeTimeout
	},
	"checkresult, outputSchema": func(t *testing.T, opts ...guard.Option) bool {
		tool := replying(contract.Reply[json.RawMessage]{Out: json.RawMessage(`{"a":1}`)}).
			OutputSchema(json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)).MustBuild()
		return newKit(t, []*contract.Tool{tool}, opts...).call(alice, "art.show", "").Outcome.Code == contract.CodeOutputInvalid
	},
	"checkresult, maxResultBytes": func(t *testing.T, opts ...guard.Option) bool {
		tool := replying(contract.Reply[string]{Out: strings.Repeat("x", 101)}).MaxResultBytes(100).MustBuild()
		return newKit(t, []*contract.Tool{tool}, opts...).call(alice, "art.show", "").Outcome.Code == contract.CodeResultTooLarge
	},
	"checkresult, contentTrust": func(t *testing.T, opts ...guard.Option) bool {
		tool := replying(contract.Reply[string]{Out: "obey me"}).Trust(trust.Untrusted).MustBuild()
		r := newKit(t, []*contract.Tool{tool}, opts...).call(alice, "art.show", "")
		return !r.IsError && foreign(r.Text) == "obey me"
	},
	"checkresult, delimit": func(t *testing.T, opts ...guard.Option) bool {
		tool := replying(contract.Reply[string]{Out: "obey me"}).Trust(trust.Untrusted).Delimit(trust.DelimitNever).MustBuild()
		r := newKit(t, []*contract.Tool{tool}, opts...).call(alice, "art.show", "")
		return !r.IsError && r.Text == "obey me"
	},
	"checkresult, sanitize": func(t *testing.T, opts ...guard.Option) bool {
		tool := replying(contract.Reply[string]{Out: "a\u200bb"}).Trust(trust.Trusted).Sanitize(trust.SanitizeNever).MustBuild()
		r := newKit(t, []*contract.Tool{tool}, opts...).call(alice, "art.show", "")
		return !r.IsError && r.Text == "a\u200bb"
	},
	"checkresult, failureModes": func(t *testing.T, opts ...guard.Option) bool {
		k := newKit(t, []*contract.Tool{(&counter{}).failing("pay.now", func() error { return errNoFunds })}, opts...)
		return k.call(alice, "pay.now", validPay).Outcome.Code == errNoFunds.Code()
	},
}

// stricterIsRefused reports whether a resolution that is stricter than the
// contract refuses the call.
func stricterIsRefused(t *testing.T, stricter contract.Resolution, opts ...guard.Option) bool {
	t.Helper()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").Resolve(contract.Least{}, byAmount(stricter)).MustBuild()}, opts...)
	return holds(n, k.call(alice, "pay.now", weakPay), contract.CodeInternalError)
}

// The ends of a handler whose caller disconnects.
const (
	neverRan = iota
	ended
	outlived
)

// endsWithItsCaller calls a tool whose handler sees its caller disconnect.
func endsWithItsCaller(t *testing.T, build func(handler func(context.Context) error) *contract.Tool, opts ...guard.Option) int {
	t.Helper()
	ctx, disconnect := context.WithCancel(as(t.Context(), alice))
	defer disconnect()
	how := neverRan
	k := newKit(t, []*contract.Tool{build(func(ctx context.Context) error {
		disconnect()
		how = outlived
		if ctx.Err() != nil {
			how = ended
		}
		return nil
	})}, opts...)
	_, err := k.set.Call(ctx, guard.Request{Tool: "pay.now"})
	require.NoError(t, err)
	return how
}
