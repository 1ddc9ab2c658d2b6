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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A stageCheck exercises one stage and reports whether the guard enforces it.
type stageCheck func(t *testing.T, opts ...guard.Option) bool

// holds reports whether a call was refused with a code and ran nothing.
func holds(n *counter, r *guard.Result, code string) bool {
	return r != nil && r.IsError && r.Outcome.Code == code && n.runs.Load() == 0
}

var stageChecks = map[string]stageCheck{
	"lookup": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		forbidden := n.payer("keys.read").Risk(risk.Forbidden).MustBuild()
		k := newKit(t, []*contract.Tool{forbidden}, opts...)
		_, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "keys.read", Arguments: json.RawMessage(validPay)})
		return errors.Is(err, guard.ErrUnknownTool) && n.runs.Load() == 0
	},
	"authenticate": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, opts...)
		return holds(n, k.call(guard.Principal{}, "pay.now", validPay), contract.CodeUnauthenticated)
	},
	"admit": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, opts...)
		return holds(n, k.call(bob, "pay.now", validPay), contract.CodePermissionDenied)
	},
	"admit, rate limit": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").RateLimit(1, time.Hour).MustBuild()}, opts...)
		k.call(alice, "pay.now", validPay)
		return k.call(alice, "pay.now", validPay).Outcome.Code == contract.CodeRateLimitExceeded && n.runs.Load() == 1
	},
	"validate": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", `{"pay":{"amount":101}}`), contract.CodeInvalidInput)
	},
	"resolve": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		wild := n.payer("pay.now").Resolve(byAmount(contract.Resolution{Risk: risk.Critical})).MustBuild()
		k := newKit(t, []*contract.Tool{wild}, opts...)
		return holds(n, k.call(alice, "pay.now", weakPay), contract.CodeInternalError)
	},
	"stepup": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", validPay), contract.CodeStepUpRequired)
	},
	"authorize": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		deny := guard.WithAuthorizer(func(context.Context, guard.Action) error { return errors.New("no") })
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, append(opts, deny)...)
		return holds(n, k.call(alice, "pay.now", validPay), contract.CodePermissionDenied)
	},
	"budget": func(t *testing.T, opts ...guard.Option) bool { return budgetHolds(t, false, opts...) },
	"confirm": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").ConfirmAlways().MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", validPay), contract.CodeConfirmationRequired)
	},
	"intent": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		down := guard.WithAudit(audit.Func(func(context.Context, audit.Event) error { return errors.New("disk full") }))
		tool := n.payer("pay.now").Risk(risk.High).ConfirmNever("the amount is bounded").MustBuild()
		k := newKit(t, []*contract.Tool{tool}, append(opts, down)...)
		return holds(n, k.call(alice, "pay.now", validPay), contract.CodeUnavailable)
	},
	"preview": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.tryable("pay.now").MustBuild()}, opts...)
		return k.call(alice, "pay.now", dryPay).Outcome.Status == contract.StatusDryRun && n.runs.Load() == 0
	},
	"requiredryrun": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.tryFirst("pay.now").MustBuild()}, opts...)
		return holds(n, k.call(alice, "pay.now", validPay), contract.CodeDryRunRequired)
	},
	"spenddryrun": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.tryFirst("pay.now").MustBuild()}, opts...)
		call := payWith(tokenOf(t, k.call(alice, "pay.now", dryPay)))
		k.call(alice, "pay.now", call)
		k.call(alice, "pay.now", call)
		return n.runs.Load() == 1
	},
	"replay": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		var ask atomic.Bool
		tool := n.managedPayer("pay.now", byArguments, nil).ConfirmWhen(func(payInput) bool { return ask.Load() }).MustBuild()
		k := newKit(t, []*contract.Tool{tool}, opts...)
		k.call(alice, "pay.now", validPay)
		ask.Store(true)
		return k.call(alice, "pay.now", validPay).Outcome.Status == contract.StatusReplayed && n.runs.Load() == 1
	},
	"reserve": func(t *testing.T, opts ...guard.Option) bool {
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
	"openstate": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").ConfirmAlways().MustBuild()}, opts...)
		_, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay), State: "forged", Rounds: true})
		return errors.Is(err, guard.ErrRejectedState)
	},
	"mark": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		s := &spy{Memory: newMemory(t)}
		tool := n.managedPayer("pay.now", byArguments, nil).ConfirmWhen(func(payInput) bool { return false }).MustBuild()
		k := newKit(t, []*contract.Tool{tool}, append(opts, guard.WithStore(s))...)
		k.call(alice, "pay.now", validPay)
		return slices.Contains(s.asked(), "mark")
	},
	"begin": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).MustBuild()}, opts...)
		k.call(alice, "pay.now", validPay)
		k.call(alice, "pay.now", validPay)
		return n.runs.Load() == 1
	},
	"complete": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).MustBuild()}, opts...)
		k.call(alice, "pay.now", validPay)
		return k.call(alice, "pay.now", validPay).Outcome.Status == contract.StatusReplayed
	},
	"run": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, opts...)
		r := k.call(alice, "pay.now", validPay)
		return !r.IsError && n.runs.Load() == 1 && string(r.Structured) == `{"paid":10}`
	},
	"checkresult": func(t *testing.T, opts ...guard.Option) bool {
		tool := reader("text.read", func(context.Context) (string, error) { return "a\x1b[31mb", nil }).Trust(trust.Trusted).MustBuild()
		r := newKit(t, []*contract.Tool{tool}, opts...).call(alice, "text.read", `{}`)
		return !r.IsError && r.Text == "ab"
	},
	"audit": func(t *testing.T, opts ...guard.Option) bool {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, opts...)
		k.call(alice, "pay.now", validPay)
		return len(k.events(audit.Terminal)) == 1
	},
}

// budgetHolds reports whether the retry budget is enforced. For a managed tool,
// Begin enforces it.
func budgetHolds(t *testing.T, managed bool, opts ...guard.Option) bool {
	t.Helper()
	n := &counter{}
	tool := n.failing("pay.now", func() error { return errNoFunds })
	if managed {
		tool = n.managedPayer("pay.now", byArguments, func(context.Context, payInput) error { return errNoFunds }).MustBuild()
	}
	k := newKit(t, []*contract.Tool{tool}, append(opts, guard.WithRetryBudget(1, time.Hour))...)
	k.call(alice, "pay.now", validPay)
	r := k.call(alice, "pay.now", validPay)
	return r.Outcome.Code == contract.CodeRetryBudgetExhausted && n.runs.Load() == 1
}

func TestStage_DisabledBudgetOfAManagedToolIsNoticed(t *testing.T) {
	t.Parallel()
	assert.True(t, budgetHolds(t, true))
	assert.False(t, budgetHolds(t, true, guard.WithoutStage("budget")))
}

// Every stage matters: its check holds, and fails once the stage is disabled.
func TestStage_DisabledStageIsNoticed(t *testing.T) {
	t.Parallel()
	for _, name := range guard.StageNames() {
		require.NotNil(t, stageChecks[name], "the stage %s has no check", name)
	}
	for name, check := range stageChecks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stage, _, _ := strings.Cut(name, ",") // a stage can have several checks
			assert.Contains(t, guard.StageNames(), stage)
			assert.True(t, check(t), "the guard does not enforce the stage")
			// A call that panics because its stage is missing never gives its
			// slot back, so Close must not wait long for it.
			assert.False(t, holdsContained(t, check, guard.WithoutStage(stage), guard.WithDrain(100*time.Millisecond)), "the check does not notice the disabled stage")
		})
	}
}

// holdsContained counts a panic as a failed check, because a later stage may
// rely on an earlier one.
func holdsContained(t *testing.T, check stageCheck, opts ...guard.Option) (held bool) {
	defer func() {
		if recover() != nil {
			held = false
		}
	}()
	return check(t, opts...)
}
