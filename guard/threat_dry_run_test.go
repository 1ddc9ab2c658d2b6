package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

func TestThreat36_DryRunReachesNeitherHandlerNorStore(t *testing.T) {
	t.Parallel()
	n := &counter{}
	s := &spy{Memory: newMemory(t)}
	tool := n.managedPayer("pay.now", byArguments, nil).ConfirmAlways().DryRun(dryrun.By(previewPay).Required()).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithStore(s))
	r := k.call(alice, "pay.now", dryPay)
	assert.Equal(t, contract.StatusDryRun, r.Outcome.Status)
	assert.Contains(t, string(r.Structured), `"dryRun":true`)
	assert.Zero(t, n.runs.Load())
	assert.Empty(t, s.asked(), "the store was not queried")
}

func TestThreat37_CallWithoutItsOwnDryRunIsRefused(t *testing.T) {
	t.Parallel()
	n := &counter{}
	dave := guard.Principal{Issuer: "test", Subject: "dave", Permissions: alice.Permissions}
	k := newKit(t, []*contract.Tool{n.tryFirst("pay.now").MustBuild(), n.tryFirst("pay.other").MustBuild(),
		n.tryFirst("pay.now2").MustBuild()}, guard.WithRetryBudget(0, 0))
	token := tokenOf(t, k.call(alice, "pay.now", dryPay))
	assert.LessOrEqual(t, len(token), 64, "a model copies it")
	flipped := "A"
	if token[30] == 'A' {
		flipped = "B"
	}
	for name, c := range map[string]struct {
		who             guard.Principal
		tool, arguments string
	}{
		"no token":                         {alice, "pay.now", validPay},
		"an empty token":                   {alice, "pay.now", payWith("")},
		"other arguments":                  {alice, "pay.now", `{"pay":{"amount":11},"dryRunToken":"` + token + `"}`},
		"one argument more":                {alice, "pay.now", `{"pay":{"amount":10},"note":"x","dryRunToken":"` + token + `"}`},
		"another principal":                {dave, "pay.now", payWith(token)},
		"another tool":                     {alice, "pay.other", payWith(token)},
		"a tool name with a common prefix": {alice, "pay.now2", payWith(token)},
		"a forged character":               {alice, "pay.now", payWith(token[:30] + flipped + token[31:])},
		"a token cut short":                {alice, "pay.now", payWith(token[:len(token)-4])},
		"a token with a tail":              {alice, "pay.now", payWith(token + "AAAA")},
		"a token with a newline":           {alice, "pay.now", payWith(token[:10] + `\n` + token[10:])},
		"not a token":                      {alice, "pay.now", payWith("hunter2")},
	} {
		r := k.call(c.who, c.tool, c.arguments)
		require.Equal(t, contract.CodeDryRunRequired, r.Outcome.Code, name)
		assert.Equal(t, contract.ClassRetryable, r.Outcome.Class, name)
		assert.Contains(t, r.Text, "with dryRun true", name)
	}
	assert.Zero(t, n.runs.Load())
	// None of these calls spent the token. The order of members does not
	// matter.
	assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", `{"dryRunToken":"`+token+
		`","dryRun":false,"pay":{"amount":10}}`).Outcome.Status)
	refused(t, k.call(alice, "pay.now", payWith(token)), contract.CodeDryRunRequired, contract.ClassRetryable)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestThreat37_DryRunTokenExpiresAndFitsOneContract(t *testing.T) {
	t.Parallel()
	n := &counter{}
	keys := guard.WithSealingKeys([]byte(strings.Repeat("k", 32)))
	s := newMemory(t)
	kitOf := func(tool *contract.Tool, opts ...guard.Option) *kit {
		return newKit(t, []*contract.Tool{tool}, append(opts, guard.WithStore(s))...)
	}
	token := tokenOf(t, kitOf(n.tryFirst("pay.now").MustBuild(), keys).call(alice, "pay.now", dryPay))
	brief := kitOf(n.tryFirst("pay.now").MustBuild(), keys, guard.WithTimes(guard.Times{DryRunTTL: time.Nanosecond}))
	for name, k := range map[string]*kit{
		"a contract of another version": kitOf(n.tryFirst("pay.now").Version("1.0.1").MustBuild(), keys),
		"a guard with other keys":       kitOf(n.tryFirst("pay.now").MustBuild()),
		"a server of another namespace": kitOf(n.tryFirst("pay.now").MustBuild(), keys, guard.WithNamespace("other")),
	} {
		require.Equal(t, contract.CodeDryRunRequired, k.call(alice, "pay.now", payWith(token)).Outcome.Code, name)
	}
	stale := tokenOf(t, brief.call(alice, "pay.now", dryPay))
	refused(t, brief.call(alice, "pay.now", payWith(stale)), contract.CodeDryRunRequired, contract.ClassRetryable)
	assert.Zero(t, n.runs.Load())

	// Another replica, during a key rotation, accepts the token. It is spent
	// for both replicas.
	rotated := guard.WithSealingKeys([]byte(strings.Repeat("n", 32)), []byte(strings.Repeat("k", 32)))
	assert.Equal(t, contract.StatusOK, kitOf(n.tryFirst("pay.now").MustBuild(), rotated).call(alice, "pay.now",
		payWith(token)).Outcome.Status)
	refused(t, kitOf(n.tryFirst("pay.now").MustBuild(), keys).call(alice, "pay.now", payWith(token)), contract.CodeDryRunRequired,
		contract.ClassRetryable)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestThreat37_FiftyConcurrentCallsWithOneTokenRunOnce(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.tryFirst("pay.now").MustBuild()}, guard.WithRetryBudget(0, 0))
	call := payWith(tokenOf(t, k.call(alice, "pay.now", dryPay)))
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() { k.call(alice, "pay.now", call) })
	}
	calls.Wait()
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestThreat37_QuestionDoesNotSpendTheDryRunToken(t *testing.T) {
	t.Parallel()
	for name, managed := range map[string]bool{"an unmanaged tool": false, "a managed tool": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			b := n.payer("pay.now")
			if managed {
				b = n.managedPayer("pay.now", byArguments, nil)
			}
			k := newKit(t, []*contract.Tool{b.ConfirmAlways().DryRun(dryrun.By(previewPay).Required()).MustBuild()})
			token := tokenOf(t, k.call(alice, "pay.now", dryPay))
			send := func(state string, token string) *guard.Result {
				req := guard.Request{
					Tool: "pay.now", Arguments: json.RawMessage(payWith(token)),
					Client: guard.Client{Rounds: true, State: state},
				}
				if state != "" {
					req.Answers = map[string]json.RawMessage{people.ConfirmKey: json.RawMessage(
						`{"action":"accept","content":{"confirm":true}}`)}
				}
				r, err := k.set.Call(as(t.Context(), alice), req)
				require.NoError(t, err)
				return r
			}
			refused(t, send("", ""), contract.CodeDryRunRequired, contract.ClassRetryable)
			first, second := send("", token), send("", token)
			require.Equal(t, contract.StatusAsked, first.Outcome.Status)
			require.Equal(t, contract.StatusAsked, second.Outcome.Status)
			assert.Zero(t, n.runs.Load())
			assert.Equal(t, contract.StatusOK, send(first.State, token).Outcome.Status)
			assert.Equal(t, contract.StatusReplayed, send(first.State, token).Outcome.Status, "a repeated answer is replayed")
			if !managed { // the other question is also approved, but its token is spent
				refused(t, send(second.State, token), contract.CodeDryRunRequired, contract.ClassRetryable)
			}
			assert.EqualValues(t, 1, n.runs.Load())
		})
	}
}

func TestThreat40_DryRunDoesNotClaimTheKey(t *testing.T) {
	t.Parallel()
	n := &counter{}
	byClient := contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}
	tool := n.managedPayer("pay.now", byClient, nil).DryRun(dryrun.By(previewPay).Required()).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	key := "order-7"
	call := func(arguments string) *guard.Result {
		r, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now", Arguments: json.RawMessage(arguments),
			IdempotencyKey: &key})
		require.NoError(t, err)
		return r
	}
	dry := call(dryPay)
	assert.Equal(t, contract.StatusDryRun, dry.Outcome.Status)
	assert.False(t, dry.Outcome.KeyIgnored)
	other := call(`{"pay":{"amount":11},"dryRun":true}`)
	assert.Equal(t, contract.StatusDryRun, other.Outcome.Status, "another dry run with the key is no conflict")
	ran := call(payWith(tokenOf(t, dry)))
	assert.Equal(t, contract.StatusOK, ran.Outcome.Status)
	assert.Equal(t, contract.StatusDryRun, call(dryPay).Outcome.Status, "a dry run is not replayed")
	again := call(validPay)
	assert.Equal(t, contract.StatusReplayed, again.Outcome.Status, "a replay needs no dry run")
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestThreat102_DryRunNeedsThePermissionsOfTheCall(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tried := 0
	peek := dryrun.By(func(ctx context.Context, in payInput) (dryrun.Preview[payPreview], error) {
		tried++
		return previewPay(ctx, in)
	})
	free := n.payer("pay.free").DryRun(peek).MustBuild()
	open := contract.New("pay.open", func(_ context.Context, in payInput) (payOutput, error) { return payOutput{}, nil }).
		Description("Pays.").Version("1.0.0").Effect(risk.LowRiskWrite).NoPermissions("A demonstration.").DryRun(peek).MustBuild()
	k := newKit(t, []*contract.Tool{free, open}, guard.WithAuthorizer(func(_ context.Context, a guard.Action) error {
		if a.DryRun && a.Principal.Subject == "carol" {
			return errors.New("no dry runs")
		}
		return nil
	}))
	for name, c := range map[string]struct {
		who  guard.Principal
		tool string
		code string
	}{
		"anonymous":                           {guard.Principal{}, "pay.free", contract.CodeUnauthenticated},
		"anonymous, tool without permissions": {guard.Principal{}, "pay.open", contract.CodeUnauthenticated},
		"without the permission":              {bob, "pay.free", contract.CodePermissionDenied},
		"denied by the authorizer":            {carol, "pay.free", contract.CodePermissionDenied},
	} {
		r := k.call(c.who, c.tool, dryPay)
		require.True(t, r.IsError, name)
		assert.Equal(t, c.code, r.Outcome.Code, name)
		assert.Nil(t, r.Structured, name)
		assert.NotContains(t, r.Text, "11", name)
	}
	assert.Zero(t, tried)
	assert.Equal(t, contract.StatusDryRun, k.call(alice, "pay.free", dryPay).Outcome.Status)
}
