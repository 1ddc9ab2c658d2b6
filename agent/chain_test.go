package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
)

// The host asks a person starting with the third call that cannot be undone.
func ExampleAgent_Chain() {
	ctx := context.Background()
	a, err := agent.Connect(ctx, dialExample(Write), agent.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	policy := agent.Policy{AcceptContracts: true, AskFrom: risk.Chain{Irreversible: 3}}
	var seen agent.Exposure
	for _, path := range []string{"a.txt", "b.txt", "c.txt"} {
		seen.Chain = a.Chain() // for two agents: a.Chain().Join(b.Chain())
		tool, _ := a.Tool("files_write")
		arguments := json.RawMessage(fmt.Sprintf(`{"path":%q}`, path))
		decision := policy.Decide(tool, arguments, seen)
		fmt.Println(path, decision.Handling)
		if decision.Handling != agent.HandleRun {
			fmt.Println(decision.Reason)
			return // ask a person here
		}
		if _, err := a.Call(ctx, "files_write", arguments, agent.ForTool(tool)); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// a.txt run
	// b.txt run
	// c.txt ask
	// With this call, the session reaches the host's bound. So far: 2 calls, 2 that cannot be undone, highest risk medium.
}

// chainOf returns a chain whose highest class is irreversible, if there is such
// a call, else read-only.
func chainOf(calls, irreversible int, level risk.Level) risk.Chain {
	c := risk.Chain{Calls: calls, Irreversible: irreversible, Reversibility: risk.Unchanging, Level: level}
	if irreversible > 0 {
		c.Reversibility = risk.Irreversible
	}
	return c
}

func TestAgent_ChainSumsUpTheCallsOfARealServer(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, version string, tier mcpgo.Option) {
		var l ledger
		s := newServer(t, []*contract.Tool{add(), l.note(), l.plain(), l.transfer(), l.void()}, tier)
		agrees := true
		p := &person{answer: func(q agent.Question) agent.Answer {
			if agrees {
				return q.Approve()
			}
			return agent.Answer{Action: agent.Decline}
		}}
		a := connect(t, inProcess(t, s, version), withHost(p.host()))
		call := func(tool, arguments string, opts ...agent.CallOption) error {
			return second(a.Call(t.Context(), tool, json.RawMessage(arguments), opts...))
		}
		assert.Zero(t, a.Chain())

		require.NoError(t, call("calc_add", `{"a":1}`))
		assert.Equal(t, chainOf(1, 0, risk.Low), a.Chain())

		require.NoError(t, call("bank_note", `{"to":"ben"}`, agent.WithKey("one")))
		one := chainOf(2, 1, risk.Medium)
		assert.Equal(t, one, a.Chain())
		require.NoError(t, call("bank_note", `{"to":"ben"}`, agent.WithKey("one")))
		assert.Equal(t, one, a.Chain(), "the server replays the first call")

		require.NoError(t, call("bank_void", `{"to":"ben","dryRun":true}`))
		require.Error(t, call("bank_plain", `{}`), "the guard refuses it")
		require.Error(t, call("bank_nothing", `{}`), "there is no such tool")
		assert.Equal(t, one, a.Chain())

		agrees = false
		require.Error(t, call("bank_transfer", `{"to":"eve"}`))
		assert.Equal(t, one, a.Chain(), "a declined call does nothing")
		agrees = true
		require.NoError(t, call("bank_void", `{"to":"ben"}`))
		assert.Equal(t, chainOf(3, 2, risk.Critical), a.Chain())
		require.NoError(t, call("bank_transfer", `{"to":"ben"}`))
		assert.Equal(t, chainOf(4, 3, risk.Critical), a.Chain())

		var shown []risk.Chain
		for _, q := range p.seen {
			shown = append(shown, q.Chain)
		}
		assert.Equal(t, []risk.Chain{one, one, chainOf(3, 2, risk.Critical)}, shown, "each question is about one more call")
	})
}

func TestAgent_ChainGoesOnFromTheOptions(t *testing.T) {
	t.Parallel()
	before := chainOf(9, 4, risk.High)
	eachSession(t, func(t *testing.T, version string, tier mcpgo.Option) {
		var l ledger
		d := &testApprover{}
		s := newServer(t, []*contract.Tool{l.transfer()}, tier, guard.WithPeople(guard.PeopleOptions{Approver: d}))
		p := approving()
		p.opened = func(agent.Page) agent.Answer {
			d.decide(t, true)
			return agent.Answer{Action: agent.Accept}
		}
		host := p.host()
		host.Ask = nil
		a := connect(t, inProcess(t, s, version), withHost(host), func(o *agent.Options) { o.Chain = before })
		assert.Equal(t, before, a.Chain())
		require.NoError(t, second(a.Call(t.Context(), "bank_transfer", payIn{To: "ben"})))
		require.Len(t, p.pages, 1)
		assert.Equal(t, before, p.pages[0].Chain)
		assert.Equal(t, chainOf(10, 5, risk.Critical), a.Chain())
	})
}

// replayed is the success of an earlier call.
var replayed = fmt.Sprintf(`{"content":[],"_meta":{%q:{"status":"replayed"}}}`, contract.MetaKeyOutcome)

func TestAgent_ChainCountsACallOnce(t *testing.T) {
	t.Parallel()
	counted := chainOf(1, 1, risk.Medium)
	const noEffect = `"code":"tool_retry","class":"retryable","noEffect":true`
	type callCase struct {
		tool    string
		answers []string // "" loses the connection
		want    risk.Chain
	}
	fails := func(members string) []string { return []string{failing("no", members)} }
	done := []string{ok("done")}
	tests := map[string]callCase{
		"a call":                               {contracted("a.b", writing), done, counted},
		"a call that is repeated":              {contracted("a.b", managed), []string{"", "", ok("done")}, counted},
		"a call whose lost answer is replayed": {contracted("a.b", managed), []string{"", replayed}, counted},
		"a replay of an earlier call":          {contracted("a.b", managed), []string{replayed}, risk.Chain{}},
		"a lost call":                          {contracted("a.b", writing), []string{""}, counted},
		"a lost call that is looked up": {
			contracted("a.b", writing), []string{open(contract.CodeTimeout, "fatal", 0)}, counted,
		},
		"a failure that may have had an effect": {contracted("a.b", writing), fails(`"code":"other","class":"fatal"`), counted},
		"a failure without an effect":           {contracted("a.b", writing), fails(noEffect), risk.Chain{}},
		"a failure without a contract":          {hinted("a.b", ""), fails(noEffect), chainOf(1, 1, risk.Critical)},
		"a read without a contract":             {hinted("a.b", `"readOnlyHint":true`), done, chainOf(1, 0, risk.Low)},
		"a call whose changes can be undone": {
			contracted("a.b", writing+`,"sideEffects":[{"description":"d","reach":"internal","undo":"reversible"}]`), done,
			risk.Chain{}.After(risk.Reversible, risk.Medium),
		},
		"a call that its arguments may make smaller": {
			contracted("a.b", critical+`,"resolves":{"effect":"read-only","risk":"low","confirmation":"never"}`), done,
			chainOf(1, 1, risk.Critical),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := desk(tt.tool, tt.answers, []string{inState("succeeded")})
			bubble(t, d, func(t *testing.T, a *agent.Agent) {
				_ = second(a.Call(t.Context(), "a.b", nil, agent.Approved()))
				assert.Equal(t, tt.want, a.Chain())
				_, _ = a.Operation(t.Context(), operation)
				assert.Equal(t, tt.want, a.Chain(), "a lookup does not count")
			})
		})
	}
}

// A call from an earlier process may have had its effect there, even if it is
// not sent again.
func TestAgent_ChainHasTheCallThatIsContinued(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tools []string
		level risk.Level
	}{
		"it is sent again":      {[]string{contracted("a.b", managedWriting)}, risk.Medium},
		"it must not be":        {[]string{contracted("a.b", writing)}, risk.Medium},
		"its tool is not known": {nil, risk.Critical},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{tools: tt.tools, answer: func(int, client.CallParams) (string, error) { return replayed, nil }}
			a := connect(t, f)
			tool, _ := a.Tool("a.b")
			_ = second(a.Call(t.Context(), "a.b", nil, agent.Continue(tool.Sent("the key"))))
			assert.Equal(t, chainOf(1, 1, tt.level), a.Chain())
		})
	}
}

// Each call counts as soon as it is sent, and a question about a call shows all
// the others.
func TestAgent_ChainHasTheCallsUnderWay(t *testing.T) {
	t.Parallel()
	const calls = 8
	var arrived sync.WaitGroup
	arrived.Add(calls)
	asks := `{"resultType":"input_required","requestState":"s","inputRequests":{"q":{"method":"elicitation/create",` +
		`"params":{"message":"Really?","requestedSchema":{"type":"object","properties":{"note":{"type":"string"}}}}}}}`
	f := &fake{tools: []string{contracted("a.b", critical)}, answer: func(_ int, p client.CallParams) (string, error) {
		if p.State != "" {
			return ok("done"), nil
		}
		arrived.Done()
		arrived.Wait()
		return asks, nil
	}}
	p := approving()
	a := connect(t, f, withHost(p.host()))
	var ended sync.WaitGroup
	for range calls {
		ended.Go(func() { assert.NoError(t, second(a.Call(t.Context(), "a.b", nil))) })
	}
	arrived.Wait()
	assert.Equal(t, calls, a.Chain().Calls)
	ended.Wait()
	require.Len(t, p.seen, calls)
	for _, q := range p.seen {
		assert.Equal(t, chainOf(calls-1, calls-1, risk.Critical), q.Chain)
	}
	assert.Equal(t, chainOf(calls, calls, risk.Critical), a.Chain())
}

// A server cannot make a session look harmless by publishing a class lower than
// its effect implies, or by answers that its tools never promised.
func TestThreat230_AServerCannotLowerTheClassOfItsCalls(t *testing.T) {
	t.Parallel()
	policy := agent.Policy{AcceptContracts: true, Allow: []string{"*"}, AskFrom: risk.Chain{Irreversible: 2}}
	for name, tt := range map[string]struct{ tool, answer string }{
		"a class below the effect": {
			contracted("a.b", `"risk":"critical","effect":"destructive","contentTrust":"trusted","confirmation":"always",`+
				`"reversibility":"read-only"`), ok("done"),
		},
		"replays without a contract":             {hinted("a.b", `"idempotentHint":true`), replayed},
		"replays of what cannot be deduplicated": {contracted("a.b", writing), replayed},
		"failures without a contract": {
			hinted("a.b", ""), failing("no", `"code":"permission_denied","class":"retryable","noEffect":true`),
		},
		"failures with a code of the agent": {hinted("a.b", ""), failing("no", `"code":"cancelled","class":"fatal"`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{tools: []string{tt.tool}, answer: func(int, client.CallParams) (string, error) { return tt.answer, nil }}
			a := connect(t, f, withHost(approving().host()))
			_ = second(a.Call(t.Context(), "a.b", nil, agent.Approved()))
			assert.Equal(t, int64(1), f.calls.Load())
			assert.Equal(t, 1, a.Chain().Irreversible)
			tool, listed := a.Tool("a.b")
			require.True(t, listed)
			assert.Equal(t, agent.HandleAsk, policy.Decide(tool, nil, agent.Exposure{Chain: a.Chain()}).Handling)
		})
	}
}

func TestExposure_IsStoredWithItsChain(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]agent.Exposure{
		`{}`:                  {},
		`{"injectable":true}`: {Injectable: true},
		`{"confidential":true,"chain":{"calls":3,"irreversible":2,"reversibility":"irreversible","risk":"critical"}}`: {
			Confidential: true, Chain: chainOf(3, 2, risk.Critical),
		},
	} {
		stored, err := json.Marshal(e)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(stored))
		var read agent.Exposure
		require.NoError(t, json.Unmarshal([]byte(want), &read))
		assert.Equal(t, e, read)
	}
}

// If the server cannot be reached, nothing was sent.
func TestAgent_ChainLacksWhatWasNotSent(t *testing.T) {
	t.Parallel()
	for name, tool := range map[string]string{
		"with a contract": contracted("a.b", writing), "without": hinted("a.b", `"idempotentHint":true`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &gone{fake: fake{tools: []string{tool}, answer: func(int, client.CallParams) (string, error) { return "", errCut }}}
			a := connect(t, f, withLimits(agent.Limits{Attempts: 1}))
			require.Error(t, second(a.Call(t.Context(), "a.b", nil, agent.Approved())))
			lost := a.Chain()
			assert.Equal(t, 1, lost.Calls)
			require.Error(t, second(a.Call(t.Context(), "a.b", nil, agent.Approved())))
			assert.Equal(t, int64(1), f.calls.Load())
			assert.Equal(t, lost, a.Chain())
		})
	}
}

// A gone server can be dialed once.
type gone struct{ fake }

func (g *gone) Dial(ctx context.Context, p client.Person) (client.Session, error) {
	if g.dials.Load() > 0 {
		return nil, errCut
	}
	return g.fake.Dial(ctx, p)
}
