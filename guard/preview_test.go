package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

type payPreview struct {
	Total int64  `json:"total"`
	From  string `json:"from,omitempty"`
}

func previewPay(_ context.Context, in payInput) (dryrun.Preview[payPreview], error) {
	return dryrun.Preview[payPreview]{Data: payPreview{Total: in.Pay.Amount + 1}, EstimatedDuration: 1500 * time.Millisecond}, nil
}

const dryPay = `{"pay":{"amount":10},"dryRun":true}`

// tryable returns a payer with an optional dry run, tryFirst one that requires
// it.
func (n *counter) tryable(name string) *contract.Builder[payInput, payOutput] {
	return n.payer(name).DryRun(dryrun.By(previewPay))
}

func (n *counter) tryFirst(name string) *contract.Builder[payInput, payOutput] {
	return n.payer(name).DryRun(dryrun.By(previewPay).Required())
}

func payWith(token string) string { return `{"pay":{"amount":10},"dryRunToken":"` + token + `"}` }

func tokenOf(t *testing.T, r *guard.Result) string {
	t.Helper()
	require.False(t, r.IsError, r.Text)
	var p struct {
		DryRunToken string `json:"dryRunToken"`
	}
	require.NoError(t, json.Unmarshal(r.Structured, &p))
	return p.DryRunToken
}

func TestPreview_ShowsTheCall(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.tryable("pay.now").SideEffects(contract.SideEffect{Description: "Money moves."}).MustBuild()})
	r := k.call(alice, "pay.now", dryPay)
	assert.Equal(t, contract.StatusDryRun, r.Outcome.Status)
	assert.Equal(t, `{"dryRun":true,"total":11,"warnings":[],"missingPermissions":[],"expectedSideEffects":["Money moves."],`+
		`"estimatedDurationMs":1500}`, string(r.Structured))
	assert.Equal(t, string(r.Structured), r.Text)
	assert.Zero(t, n.runs.Load())

	events := k.events(audit.Terminal)
	require.Len(t, events, 1)
	assert.Equal(t, audit.DryRun, events[0].Decision)
	assert.Equal(t, "preview", events[0].Stage)
	assert.Equal(t, "dry-run", events[0].Status)
}

func TestPreview_DryRunFalseRunsTheCall(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.tryable("pay.now").MustBuild()})
	r := k.call(alice, "pay.now", `{"pay":{"amount":10},"dryRun":false}`)
	assert.Equal(t, contract.StatusOK, r.Outcome.Status)
	assert.JSONEq(t, `{"paid":10}`, string(r.Structured))
	assert.EqualValues(t, 1, n.runs.Load())
	for _, bad := range []string{`{"pay":{"amount":10},"dryRun":"true"}`, `{"pay":{"amount":10},"dryrun":true}`,
		`{"pay":{"amount":10},"dryRun":null}`} {
		refused(t, k.call(alice, "pay.now", bad), contract.CodeInvalidInput, contract.ClassRetryable)
	}
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestPreview_UndeclaredDryRunIsAnUnknownProperty(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()})
	refused(t, k.call(alice, "pay.now", dryPay), contract.CodeInvalidInput, contract.ClassRetryable)
	assert.Zero(t, n.runs.Load())
}

func TestPreview_MisspelledDryRunOfAnOpenObjectIsRefused(t *testing.T) {
	t.Parallel()
	ran := false
	tool := contract.New("note.keep", func(context.Context, map[string]any) (payOutput, error) {
		ran = true
		return payOutput{}, nil
	}).From(writing()).DryRun(dryrun.By(func(_ context.Context, in map[string]any) (dryrun.Preview[struct{}], error) {
		assert.Equal(t, map[string]any{"text": "a"}, in)
		return dryrun.Preview[struct{}]{}, nil
	})).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	assert.Equal(t, contract.StatusDryRun, k.call(alice, "note.keep", `{"text":"a","dryRun":true}`).Outcome.Status)
	refused(t, k.call(alice, "note.keep", `{"text":"a","DryRun":true}`), contract.CodeInvalidInput, contract.ClassRetryable)
	assert.False(t, ran)
}

func TestPreview_FailureIsContained(t *testing.T) {
	t.Parallel()
	type preview = dryrun.Preview[payPreview]
	for name, c := range map[string]struct {
		preview func(context.Context, payInput) (preview, error)
		code    string
		class   contract.Class
	}{
		"a declared failure": {func(context.Context, payInput) (preview, error) { return preview{}, errNoFunds }, "no_funds",
			contract.ClassRetryable},
		"an undeclared error": {func(context.Context, payInput) (preview, error) { return preview{}, errSecret },
			contract.CodeInternalError, contract.ClassFatal},
		"a panic": {func(context.Context, payInput) (preview, error) { panic("hunter2") }, contract.CodeInternalError,
			contract.ClassFatal},
		"the goroutine's end": {func(context.Context, payInput) (preview, error) { runtime.Goexit(); return preview{}, nil },
			contract.CodeInternalError, contract.ClassFatal},
		"text that is not UTF-8": {func(context.Context, payInput) (preview, error) { return preview{Warnings: []string{"\xff"}}, nil },
			contract.CodeOutputInvalid, contract.ClassFatal},
		"more than a result holds": {func(context.Context, payInput) (preview, error) {
			return preview{Warnings: []string{strings.Repeat("x", 2<<20)}}, nil
		}, contract.CodeResultTooLarge, contract.ClassFatal},
		"an error and a preview": {func(context.Context, payInput) (preview, error) {
			return preview{Warnings: []string{"half"}}, errors.New("half")
		}, contract.CodeInternalError, contract.ClassFatal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.payer("pay.now").DryRun(dryrun.By(c.preview)).MustBuild()})
			r := k.call(alice, "pay.now", dryPay)
			refused(t, r, c.code, c.class)
			assert.NotContains(t, r.Text, "hunter2")
			assert.NotContains(t, r.Text, "password")
			assert.Zero(t, n.runs.Load())
			assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status, "the tool still works")
		})
	}
}

func TestPreview_TimesOutAndReleasesItsConcurrencySlot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		declared time.Duration
		want     time.Duration
	}{
		"the declared timeout": {5 * time.Second, 5 * time.Second},
		"the default timeout":  {0, time.Minute},
		"a timeout of an hour": {time.Hour, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				b := n.payer("pay.now").MaxConcurrent(1).DryRun(dryrun.By(func(ctx context.Context, _ payInput) (dryrun.Preview[payPreview],
					error) {
					<-ctx.Done()
					return dryrun.Preview[payPreview]{}, ctx.Err()
				}))
				if c.declared > 0 {
					b.Timeout(c.declared)
				}
				k := newKit(t, []*contract.Tool{b.MustBuild()})
				start := time.Now()
				r := k.call(alice, "pay.now", dryPay)
				require.Equal(t, contract.CodeTimeout, r.Outcome.Code)
				assert.Equal(t, c.want, time.Since(start))
				assert.Contains(t, r.Text, "nothing was done")
				synctest.Wait()
				assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
			})
		})
	}
}

func TestPreview_EndsWithItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").DryRun(dryrun.By(func(ctx context.Context,
			_ payInput) (dryrun.Preview[payPreview], error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			return dryrun.Preview[payPreview]{}, nil
		})).MustBuild()})
		ctx, cancel := context.WithCancel(as(t.Context(), alice))
		time.AfterFunc(time.Second, cancel)
		r, err := k.set.Call(ctx, guard.Request{Tool: "pay.now", Arguments: json.RawMessage(dryPay)})
		require.NoError(t, err)
		assert.Equal(t, contract.StatusCancelled, r.Outcome.Status)
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestPreview_IsSanitized(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").DryRun(dryrun.By(func(context.Context, payInput) (dryrun.Preview[payPreview],
		error) {
		return dryrun.Preview[payPreview]{Data: payPreview{From: "a\x1b[31mb"}, Warnings: []string{"c\u202ed"}}, nil
	}).Required()).MustBuild()})
	r := k.call(alice, "pay.now", dryPay)
	require.False(t, r.IsError, r.Text)
	assert.Contains(t, r.Text, `"from":"ab"`)
	assert.Contains(t, r.Text, `"warnings":["cd"]`)
	assert.Positive(t, r.Outcome.Sanitized)
	assert.NotEmpty(t, tokenOf(t, r))
}

func TestPreview_RestrictedToolReturnsOnlyExposedFields(t *testing.T) {
	t.Parallel()
	type data struct {
		Count int    `json:"count" contract:"expose"`
		Query string `json:"query"`
	}
	tool := contract.New("key.use", func(context.Context, payInput) (struct{}, error) { return struct{}{}, nil }).
		From(writing()).Risk(risk.Restricted).DryRun(dryrun.By(func(context.Context, payInput) (dryrun.Preview[data], error) {
		return dryrun.Preview[data]{Data: data{Count: 3, Query: "hidden"}}, nil
	})).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	r := k.call(alice, "key.use", dryPay)
	require.False(t, r.IsError, r.Text)
	assert.Contains(t, r.Text, `"count":3`)
	assert.NotContains(t, r.Text, "hidden")
	ran := k.call(alice, "key.use", validPay)
	assert.JSONEq(t, `{}`, string(ran.Structured), "an empty result is an object")
}

func TestPreview_EffectsDefaultToTheDeclaredOnes(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{
		n.tryable("pay.undeclared").MustBuild(),
		n.payer("pay.said").SideEffects(contract.SideEffect{Description: "Money moves."}).DryRun(dryrun.By(func(context.Context,
			payInput) (dryrun.Preview[struct{}], error) {
			return dryrun.Preview[struct{}]{ExpectedSideEffects: []string{"Ten euros move."}}, nil
		})).MustBuild(),
	})
	assert.Contains(t, k.call(alice, "pay.undeclared", dryPay).Text, "cannot be undone")
	assert.Contains(t, k.call(alice, "pay.said", dryPay).Text, `"expectedSideEffects":["Ten euros move."]`)
}

// A caller that may see a tool and lacks a permission learns the missing
// permission, and nothing about the preview.
func TestPreview_MissingPermissionsAreListedWithoutThePreview(t *testing.T) {
	t.Parallel()
	n := &counter{}
	asked := 0
	tool := n.payer("pay.now").SideEffects(contract.SideEffect{Description: "Money moves."}).
		Permissions("mail:send", "mail:read").DiscoverWith("mail:read").
		DryRun(dryrun.By(func(ctx context.Context, in payInput) (dryrun.Preview[payPreview], error) {
			asked++
			return previewPay(ctx, in)
		}).Required()).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	r := k.call(bob, "pay.now", dryPay)
	require.False(t, r.IsError, r.Text)
	assert.Equal(t, contract.StatusDryRun, r.Outcome.Status)
	assert.Equal(t, `{"dryRun":true,"missingPermissions":["mail:send"],"expectedSideEffects":["Money moves."]}`,
		string(r.Structured))
	assert.Zero(t, asked)
	refused(t, k.call(bob, "pay.now", validPay), contract.CodePermissionDenied, contract.ClassFatal)
	refused(t, k.call(guard.Principal{}, "pay.now", dryPay), contract.CodeUnauthenticated, contract.ClassFatal)
	assert.Zero(t, n.runs.Load())
	assert.True(t, k.set.Visible(as(t.Context(), bob))["pay.now"])
}

func TestPreview_FailuresDoNotSpendTheRetryBudget(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").DryRun(dryrun.By(func(context.Context, payInput) (dryrun.Preview[payPreview],
		error) {
		return dryrun.Preview[payPreview]{}, errNoFunds
	})).MustBuild()}, guard.WithRetryBudget(1, time.Hour))
	refused(t, k.call(alice, "pay.now", dryPay), "no_funds", contract.ClassRetryable)
	refused(t, k.call(alice, "pay.now", dryPay), contract.CodeRetryBudgetExhausted, contract.ClassFatal)
	assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
}
