package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// tiers say how much of a contract a list contains.
var tiers = map[string]mcpgo.Option{"summary": mcpgo.WithTier(contract.TierSummary), "full": mcpgo.WithTier(contract.TierFull)}

// eachSession runs a test in both versions of the protocol and both tiers.
func eachSession(t *testing.T, test func(t *testing.T, version string, tier mcpgo.Option)) {
	t.Helper()
	for _, version := range versions {
		for name, tier := range tiers {
			t.Run(version+" "+name, func(t *testing.T) {
				t.Parallel()
				test(t, version, tier)
			})
		}
	}
}

func TestCall_ReturnsTypedResultsWithExactNumbers(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, version string, tier mcpgo.Option) {
		a := connect(t, inProcess(t, newServer(t, []*contract.Tool{add()}, tier), version))
		out, err := agent.Call[addOut](t.Context(), a, "calc_add", addIn{A: 9007199254740993})
		require.NoError(t, err)
		assert.Equal(t, int64(9007199254740993), out.Sum)
		r, err := a.Call(t.Context(), "calc_add", addIn{A: 1, B: 2})
		require.NoError(t, err)
		assert.Equal(t, contract.StatusOK, r.Outcome.Status)
		assert.Equal(t, trust.Trusted, r.Trust)
		assert.Equal(t, 1, r.Attempts)
		assert.Equal(t, "Result of calc_add (trusted content):\n{\"sum\":3}", r.Prompt())
	})
}

func TestCall_FailuresAreRetryableOrFatal(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, version string, tier mcpgo.Option) {
		var l ledger
		a := connect(t, inProcess(t, newServer(t, []*contract.Tool{l.plain()}, tier), version))
		retry := retryOf(t, second(a.Call(t.Context(), "bank_plain", payIn{To: "taken"})))
		assert.Equal(t, "already_exists", retry.Code)
		assert.True(t, retry.FromServer)
		assert.Equal(t, "choose another one", retry.Message)
		fatal := fatalOf(t, second(a.Call(t.Context(), "bank_plain", payIn{To: "down"})))
		assert.Equal(t, "storage_unavailable", fatal.Code)
		assert.NotContains(t, fatal.Message, "[FATAL]")
		assert.Equal(t, contract.CodeInternalError, fatalOf(t, second(a.Call(t.Context(), "bank_plain", payIn{To: "broken"}))).Code)
		invalid := retryOf(t, second(a.Call(t.Context(), "bank_plain", map[string]any{"too": 1})))
		assert.Equal(t, contract.CodeInvalidInput, invalid.Code)
		assert.NotEmpty(t, invalid.Outcome.Violations)
		assert.Contains(t, invalid.Prompt(), "/to")
	})
}

func second(_ *agent.Result, err error) error { return err }

// The short contract lists no failures, so only the guard's own refusals
// rule out an effect.
func TestCall_ReportsWhetherAFailedCallMayHaveHadAnEffect(t *testing.T) {
	t.Parallel()
	busy := contract.Retryable("busy", "Later.")
	half := contract.Retryable("half_done", "Half.").EffectPossible()
	tool := func(name string, effect risk.Effect) *contract.Tool {
		return contract.New(name, func(_ context.Context, in payIn) (string, error) {
			return "", map[string]error{"busy": busy, "half": half}[in.To]
		}).Description("Fails.").Version("1.0.0").Effect(effect).Trust(trust.Trusted).Failures(busy, half).
			NoPermissions("a test").MustBuild()
	}
	tools := []*contract.Tool{tool("bank.fail", risk.LowRiskWrite), tool("bank.look", risk.ReadOnly)}
	for tier, wants := range map[contract.Tier]map[string]bool{
		contract.TierSummary: {"busy": true, "half": true}, contract.TierFull: {"busy": false, "half": true},
	} {
		a := connect(t, inProcess(t, newServer(t, tools, mcpgo.WithTier(tier)), versions[1]))
		for to, want := range wants {
			failed := retryOf(t, second(a.Call(t.Context(), "bank_fail", payIn{To: to})))
			assert.Equal(t, want, failed.EffectPossible, "%s, %s", tier, to)
			assert.False(t, retryOf(t, second(a.Call(t.Context(), "bank_look", payIn{To: to}))).EffectPossible)
		}
		refused := retryOf(t, second(a.Call(t.Context(), "bank_fail", map[string]any{"too": 1})))
		assert.Equal(t, contract.CodeInvalidInput, refused.Code)
		assert.False(t, refused.EffectPossible)
	}
}

func TestCall_UnknownNamesAndBadArgumentsAreNotSent(t *testing.T) {
	t.Parallel()
	a := connect(t, inProcess(t, newServer(t, []*contract.Tool{add()}, mcpgo.WithTier(contract.TierFull)), versions[1]))
	for name, arguments := range map[string]any{
		"array": json.RawMessage(`[]`), "twice": json.RawMessage(`{"a":1,"a":2}`), "null": json.RawMessage(`null`), "text": "a",
		"chan": make(chan int),
	} {
		retry := retryOf(t, second(a.Call(t.Context(), "calc_add", arguments)))
		assert.Equal(t, contract.CodeInvalidInput, retry.Code, name)
		assert.Zero(t, retry.Attempts, name)
	}
	retry := retryOf(t, second(a.Call(t.Context(), "calc.add", nil)))
	assert.Equal(t, agent.CodeUnknownTool, retry.Code)
	assert.Zero(t, retry.Attempts)
	fatal := fatalOf(t, second(a.Call(t.Context(), "calc_add", addIn{}, agent.WithKey("a\nb"))))
	assert.Equal(t, contract.CodeInvalidInput, fatal.Code)
}

func TestCall_AnEmptyListIsAboutTheCaller(t *testing.T) {
	t.Parallel()
	a := connect(t, inProcess(t, newServer(t, nil, mcpgo.WithTier(contract.TierFull)), versions[1]))
	retry := retryOf(t, second(a.Call(t.Context(), "calc_add", addIn{})))
	assert.Equal(t, agent.CodeUnknownTool, retry.Code)
	assert.Equal(t, "the server lists no tools for this caller; check the credentials and permissions of the caller", retry.Message)
}

func TestCall_AsksThePersonWithTheArguments(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, version string, tier mcpgo.Option) {
		var l ledger
		p := approving()
		a := connect(t, inProcess(t, newServer(t, []*contract.Tool{l.transfer()}, tier), version), withHost(p.host()))
		out, err := agent.Call[payOut](t.Context(), a, "bank_transfer", payIn{To: "ben"})
		require.NoError(t, err)
		assert.Equal(t, "ben", out.Paid)
		assert.Equal(t, 1, l.of("ben"))
		require.Len(t, p.seen, 1)
		q := p.seen[0]
		assert.JSONEq(t, `{"to":"ben"}`, string(q.Arguments))
		assert.Equal(t, risk.PaidOperation, q.Tool.Contract.Effect)
		assert.NotEmpty(t, q.Message)
		assert.True(t, q.Confirms())
		assert.False(t, q.Typed())
	})
}

func TestCall_ADeclinedCallHasNoEffect(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, version string, tier mcpgo.Option) {
		var l ledger
		p := declining()
		a := connect(t, inProcess(t, newServer(t, []*contract.Tool{l.transfer()}, tier), version), withHost(p.host()))
		retry := retryOf(t, second(a.Call(t.Context(), "bank_transfer", payIn{To: "ben"})))
		assert.Equal(t, contract.CodeConfirmationDeclined, retry.Code)
		assert.Zero(t, l.of("ben"))
		assert.Equal(t, int64(1), p.asked.Load())
	})
}

func TestCall_WithoutAPersonIsRefused(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, version string, tier mcpgo.Option) {
		var l ledger
		a := connect(t, inProcess(t, newServer(t, []*contract.Tool{l.transfer()}, tier), version))
		fatal := fatalOf(t, second(a.Call(t.Context(), "bank_transfer", payIn{To: "ben"})))
		assert.Equal(t, contract.CodeConfirmationRequired, fatal.Code)
		assert.Zero(t, l.of("ben"))
	})
}

func TestCall_AskFirstAsksOnceAndBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, version string, tier mcpgo.Option) {
		var l ledger
		p := approving()
		a := connect(t, inProcess(t, newServer(t, []*contract.Tool{l.transfer()}, tier), version), withHost(p.host()),
			withAskFirst())
		_, err := a.Call(t.Context(), "bank_transfer", payIn{To: "ben"})
		require.NoError(t, err)
		require.Len(t, p.seen, 1)
		assert.Empty(t, p.seen[0].Message)
		assert.JSONEq(t, `{"to":"ben"}`, string(p.seen[0].Arguments))

		no := declining()
		b := connect(t, inProcess(t, newServer(t, []*contract.Tool{l.transfer()}, tier), version), withHost(no.host()),
			withAskFirst())
		retry := retryOf(t, second(b.Call(t.Context(), "bank_transfer", payIn{To: "max"})))
		assert.Equal(t, contract.CodeConfirmationDeclined, retry.Code)
		assert.Zero(t, retry.Attempts)
	})
}

func TestCall_MakesTheRequiredDryRun(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, version string, tier mcpgo.Option) {
		var l ledger
		p := approving()
		a := connect(t, inProcess(t, newServer(t, []*contract.Tool{l.void()}, tier), version), withHost(p.host()))
		r, err := a.Call(t.Context(), "bank_void", payIn{To: "ben"})
		require.NoError(t, err)
		assert.Equal(t, 1, l.of("ben"))
		assert.Contains(t, string(r.Preview), `"fee":3`)
		require.Len(t, p.seen, 1)
		assert.Contains(t, string(p.seen[0].Preview), `"fee":3`)
		assert.JSONEq(t, `{"to":"ben"}`, string(p.seen[0].Arguments))

		preview, err := a.Call(t.Context(), "bank_void", json.RawMessage(`{"to":"eve","dryRun":true}`))
		require.NoError(t, err)
		assert.Equal(t, contract.StatusDryRun, preview.Outcome.Status)
		assert.Zero(t, l.of("eve"))
	})
}

func TestCall_RepeatsWithItsKeyAreReplayed(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, version string, tier mcpgo.Option) {
		var l ledger
		a := connect(t, inProcess(t, newServer(t, []*contract.Tool{l.note()}, tier), version))
		first, err := a.Call(t.Context(), "bank_note", payIn{To: "ben"})
		require.NoError(t, err)
		require.NotEmpty(t, first.Key)
		again, err := a.Call(t.Context(), "bank_note", payIn{To: "ben"}, agent.WithKey(first.Key))
		require.NoError(t, err)
		assert.Equal(t, contract.StatusReplayed, again.Outcome.Status)
		assert.Equal(t, 1, l.of("ben"))
		other, err := a.Call(t.Context(), "bank_note", payIn{To: "ben"})
		require.NoError(t, err)
		assert.NotEqual(t, first.Key, other.Key, "another logical call has another key")
		assert.Equal(t, 2, l.of("ben"))
	})
}

// A summary has neither the reach of a side effect nor whether it can be
// undone, and the hints of a tool can be stricter than they are.
func TestTools_HaveTheClassOfReversibilityInEachTier(t *testing.T) {
	t.Parallel()
	var l ledger
	tools := []*contract.Tool{add()}
	for i, effect := range []contract.SideEffect{
		{Description: "A row.", Reach: contract.Internal, Undo: contract.Reversible},
		{Description: "A row.", Reach: contract.External, Undo: contract.Reversible},
		{Description: "A row.", Reach: contract.Internal, Undo: contract.Irreversible},
	} {
		for _, level := range []trust.Level{trust.Trusted, trust.Untrusted} {
			tools = append(tools, l.paying(fmt.Sprintf("bank.write%d%d", i, level)).Effect(risk.LowRiskWrite).Trust(level).
				SideEffects(effect).MustBuild())
		}
	}
	for _, tier := range []contract.Tier{contract.TierFull, contract.TierSummary} {
		a := connect(t, inProcess(t, newServer(t, tools, mcpgo.WithTier(tier)), versions[1]))
		for _, tool := range tools {
			listed, ok := a.Tool(contract.Underscore.Listed(tool.Document().Name))
			require.True(t, ok)
			assert.Equal(t, tool.Document().Reversibility, listed.Contract.Reversibility, listed.Name)
			assert.Equal(t, tool.Document().Reversibility, listed.Contract.Effective().Reversibility, listed.Name)
		}
	}
}

func TestTools_HaveTheirContractAsItApplies(t *testing.T) {
	t.Parallel()
	var l ledger
	tools := []*contract.Tool{add(), l.transfer(), l.note()}
	full := connect(t, inProcess(t, newServer(t, tools, mcpgo.WithTier(contract.TierFull)), versions[1]))
	summary := connect(t, inProcess(t, newServer(t, tools, mcpgo.WithTier(contract.TierSummary)), versions[1]))
	hints := connect(t, inProcess(t, newServer(t, tools, mcpgo.WithTier(contract.TierHints)), versions[1]))
	for a, want := range map[*agent.Agent]agent.Origin{full: agent.OriginContract, summary: agent.OriginSummary,
		hints: agent.OriginHints} {
		require.Len(t, a.Tools(), 3)
		for _, tool := range a.Tools() {
			assert.Equal(t, want, tool.Origin, tool.Name)
			assert.Empty(t, tool.Refusal, tool.Name)
			assert.NotEmpty(t, tool.Contract.InputSchema, tool.Name)
			assert.NotEmpty(t, tool.Contract.Description, tool.Name)
		}
		transfer, ok := a.Tool("bank_transfer")
		require.True(t, ok)
		assert.Equal(t, contract.ConfirmationAlways, transfer.Contract.Confirmation)
	}
}
