package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func ExamplePolicy() {
	policy := agent.Policy{AcceptContracts: true, Domains: []string{"contacts", "emails"}}
	send := agent.Tool{Name: "emails.send", Origin: agent.OriginContract,
		Contract: contract.Document{Effect: risk.ExternalPublication}}
	search := agent.Tool{Name: "contacts.search", Origin: agent.OriginContract, Contract: contract.Document{Effect: risk.ReadOnly}}
	unknown := agent.Tool{Name: "contacts.sync"}
	for _, f := range []agent.Tool{search, send, unknown} {
		d := policy.Decide(f, nil, agent.Exposure{})
		fmt.Printf("%s: %s. %s\n", f.Name, d.Handling, d.Reason)
	}
	// Output:
	// contacts.search: run. The contract lets an agent call this tool by itself.
	// emails.send: ask. The contract has a person confirm every call.
	// contacts.sync: ask. This tool has no contract, and by its hints it may write.
}

func ExampleExposure() {
	seen := agent.Exposure{}.After(trust.PromptInjectionProne)
	post := agent.Tool{Name: "notes.share", Origin: agent.OriginContract, Contract: contract.Document{
		Risk: risk.High, Effect: risk.HighRiskWrite, Confirmation: contract.ConfirmationNever,
	}}
	policy := agent.Policy{AcceptContracts: true}
	fmt.Println(policy.Decide(post, nil, agent.Exposure{}).Handling)
	fmt.Println(policy.Decide(post, nil, seen).Handling)
	// Output:
	// run
	// ask
}

// facts returns a tool with a contract.
func facts(d contract.Document) agent.Tool {
	return agent.Tool{Name: "notes.tool", Contract: d, Origin: agent.OriginContract}
}

// hintedAs returns a tool without a contract, with the effect that follows from
// its hints.
func hintedAs(effect risk.Effect) agent.Tool {
	return agent.Tool{Name: "notes.tool", Contract: contract.Document{Effect: effect}}
}

type policyCase struct {
	name      string
	policy    agent.Policy
	facts     agent.Tool
	arguments string
	seen      agent.Exposure
	want      agent.Handling
	rule      string
	byServer  bool
	preview   bool
	word      string
}

// waiving returns d changed so that some arguments let a call run without a
// person.
func waiving(d contract.Document) contract.Document {
	d.Resolves = &contract.Least{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever}
	return d
}

func policyCases() []policyCase {
	read := contract.Document{Effect: risk.ReadOnly}
	write := contract.Document{Effect: risk.LowRiskWrite, SideEffects: []contract.SideEffect{{Description: "d",
		Reach: contract.Internal, Undo: contract.Reversible}}}
	unconfirmed := contract.Document{Effect: risk.HighRiskWrite, Risk: risk.High, Confirmation: contract.ConfirmationNever,
		SideEffects: write.SideEffects}
	critical := contract.Document{Effect: risk.Destructive}
	typed := contract.Document{Effect: risk.Destructive, Confirmation: contract.ConfirmationAlways, TypedConfirmation: true}
	previewed := contract.Document{Effect: risk.Destructive, DryRun: dryrun.Required}
	accepting := agent.Policy{AcceptContracts: true}
	hints := agent.Policy{AcceptHints: true}
	injected := agent.Exposure{Injectable: true}
	leaking := agent.Exposure{Injectable: true, Confidential: true}
	third := agent.Policy{AcceptContracts: true, Allow: []string{"*"}, AskFrom: risk.Chain{Irreversible: 3}}
	after := func(irreversible int) agent.Exposure {
		return agent.Exposure{Chain: chainOf(9, irreversible, risk.Medium)}
	}
	return []policyCase{
		{name: "a denied tool is refused, although it is allowed too", policy: agent.Policy{Deny: []string{"notes.*"},
			Allow: []string{"notes.tool"}}, facts: facts(read), want: agent.HandleRefuse, rule: "host.denied"},
		{name: "a tool is denied by the name of its contract too", policy: agent.Policy{Deny: []string{"files.delete"}},
			facts: facts(contract.Document{Name: "files.delete", Effect: risk.ReadOnly}), want: agent.HandleRefuse, rule: "host.denied"},
		{name: "a pattern that is not valid denies the tool of that name", policy: agent.Policy{Deny: []string{"["}},
			facts: agent.Tool{Name: "["}, want: agent.HandleRefuse, rule: "host.denied"},
		{name: "a forbidden tool is refused, although it is allowed", policy: agent.Policy{AcceptHints: true,
			Allow: []string{"*"}}, facts: facts(contract.Document{Effect: risk.ReadOnly, Risk: risk.Forbidden}), want: agent.HandleRefuse,
			rule: "risk.forbidden"},
		{name: "a tool that the agent refuses is refused", policy: agent.Policy{Allow: []string{"*"}},
			facts: agent.Tool{Name: "notes.tool", Refusal: "it is quarantined"}, want: agent.HandleRefuse, rule: "host.quarantined"},
		{name: "a tool of another domain is refused", policy: agent.Policy{Domains: []string{"note", "files"}}, facts: facts(read),
			want: agent.HandleRefuse, rule: "host.domain"},
		{name: "a name with underscores has its domain before the first", policy: agent.Policy{AcceptHints: true,
			Domains: []string{"files"}}, facts: agent.Tool{Name: "files_read_all", Contract: contract.Document{Effect: risk.ReadOnly}},
			want: agent.HandleRun, rule: "hints.readOnly"},
		{name: "a tool above the risk of the task is refused", policy: agent.Policy{MaxRisk: risk.Medium}, facts: facts(unconfirmed),
			want: agent.HandleRefuse, rule: "risk.above"},
		{name: "a tool at the risk of the task is not refused", policy: agent.Policy{AcceptContracts: true,
			MaxRisk: risk.Medium}, facts: facts(write), want: agent.HandleRun, rule: "confirmation.never"},
		{name: "a tool that declares nothing is above every bound", policy: agent.Policy{MaxRisk: risk.High},
			facts: hintedAs(0), want: agent.HandleRefuse, rule: "risk.above"},
		{name: "a risk below the floor of its effect is raised", policy: agent.Policy{MaxRisk: risk.High},
			facts: facts(contract.Document{Risk: risk.Low, Effect: risk.Destructive, Confirmation: contract.ConfirmationNever}),
			want:  agent.HandleRefuse, rule: "risk.above"},
		{name: "arguments that are no object are refused", policy: accepting, facts: facts(read), arguments: `[1]`,
			want: agent.HandleRefuse, rule: "arguments.invalid"},
		{name: "null is no object", policy: accepting, facts: facts(read), arguments: `null`, want: agent.HandleRefuse,
			rule: "arguments.invalid"},
		{name: "a member that is written twice is refused", policy: accepting, facts: facts(previewed),
			arguments: `{"dryRun":true,"dryRun":false}`, want: agent.HandleRefuse, rule: "arguments.invalid"},
		{name: "arguments above the bound of the contract are refused", policy: accepting,
			facts: facts(contract.Document{Effect: risk.ReadOnly, MaxArgumentBytes: 8}), arguments: `{"a":"bcd"}`,
			want: agent.HandleRefuse, rule: "arguments.size"},
		{name: "a dry run runs", policy: accepting, facts: facts(previewed), arguments: `{"dryRun": true}`, seen: leaking,
			want: agent.HandleRun, rule: "dryRun.preview"},
		{name: "a dry run runs without a person too", policy: agent.Policy{AcceptContracts: true, Unattended: true},
			facts: facts(previewed), arguments: `{"dryRun":true}`, want: agent.HandleRun, rule: "dryRun.preview"},
		{name: "dryRun is no preview if the tool has none", policy: accepting, facts: facts(critical), arguments: `{"dryRun":true}`,
			want: agent.HandleAsk, rule: "confirmation.always", byServer: true},
		{name: "a member in another case is no dry run", policy: accepting, facts: facts(previewed), arguments: `{"DRYRUN":true}`,
			want: agent.HandleAsk, rule: "confirmation.always", byServer: true, preview: true},
		{name: "a required dry run comes first", policy: accepting, facts: facts(previewed), arguments: `{"dryRun":false}`,
			want: agent.HandleAsk, rule: "confirmation.always", byServer: true, preview: true},
		{name: "the server asks by typing", policy: accepting, facts: facts(typed), want: agent.HandleAskTyping,
			rule: "confirmation.typed", byServer: true},
		{name: "a host that accepts nothing asks by typing itself", facts: facts(typed), want: agent.HandleAskTyping,
			rule: "confirmation.typed", word: "notes.tool"},
		{name: "the server asks", policy: accepting, facts: facts(critical), want: agent.HandleAsk, rule: "confirmation.always",
			byServer: true},
		{name: "a server that asks about some calls of a critical tool is no reason not to ask", policy: accepting,
			facts: facts(waiving(critical)), want: agent.HandleAsk, rule: "risk.critical"},
		{name: "a server that asks about some calls of a tool at high runs them", policy: accepting,
			facts: facts(waiving(contract.Document{Effect: risk.HighRiskWrite})), want: agent.HandleRun, rule: "confirmation.when",
			byServer: true},
		{name: "such a call is asked about after an injection", policy: accepting, seen: injected,
			facts: facts(waiving(contract.Document{Effect: risk.HighRiskWrite})), want: agent.HandleAsk, rule: "trust.injectable"},
		{name: "a server that asks about every call, whatever its risk, is relied on", policy: accepting,
			facts: facts(contract.Document{Effect: risk.HighRiskWrite, Risk: risk.Critical,
				Resolves: &contract.Least{Risk: risk.High}}), want: agent.HandleAsk, rule: "confirmation.always", byServer: true},
		{name: "a host that accepts nothing asks too", facts: facts(critical), want: agent.HandleAsk, rule: "confirmation.always"},
		{name: "an allowed tool is still confirmed", policy: agent.Policy{AcceptContracts: true, Allow: []string{"*"}},
			facts: facts(critical), want: agent.HandleAsk, rule: "confirmation.always", byServer: true},
		{name: "a critical contract without a confirmation does not count", policy: accepting,
			facts: facts(contract.Document{Effect: risk.PaidOperation, Confirmation: contract.ConfirmationNever}), want: agent.HandleAsk,
			rule: "risk.critical"},
		{name: "a restricted read is no critical call", policy: accepting, facts: facts(contract.Document{Effect: risk.ReadOnly,
			Risk: risk.Restricted}), want: agent.HandleRun, rule: "confirmation.never"},
		{name: "confidential content cannot leave after an injection", policy: agent.Policy{AcceptContracts: true,
			Allow: []string{"*"}}, facts: facts(contract.Document{Effect: risk.LowRiskWrite}), seen: leaking, want: agent.HandleAsk,
			rule: "trust.confidential"},
		{name: "a read without a contract can carry data out", policy: hints, facts: hintedAs(risk.ReadOnly), seen: leaking,
			want: agent.HandleAsk, rule: "trust.confidential"},
		{name: "a read of content from outside can too", policy: accepting, facts: facts(contract.Document{Effect: risk.ReadOnly,
			ContentTrust: trust.Untrusted}), seen: leaking, want: agent.HandleAsk, rule: "trust.confidential"},
		{name: "a read of trusted content cannot", policy: accepting, facts: facts(contract.Document{Effect: risk.ReadOnly,
			ContentTrust: trust.Trusted}), seen: leaking, want: agent.HandleRun, rule: "confirmation.never"},
		{name: "confidential content alone is no reason", policy: hints, facts: hintedAs(risk.ReadOnly),
			seen: agent.Exposure{Confidential: true}, want: agent.HandleRun, rule: "hints.readOnly"},
		{name: "a write at high asks after an injection, although it is allowed", policy: agent.Policy{AcceptContracts: true,
			Allow: []string{"*"}}, facts: facts(unconfirmed), seen: injected, want: agent.HandleAsk, rule: "trust.injectable"},
		{name: "a small write does not", policy: accepting, facts: facts(write), seen: injected, want: agent.HandleRun,
			rule: "confirmation.never"},
		{name: "a session below the bound runs", policy: third, facts: hintedAs(0), seen: after(1), want: agent.HandleRun,
			rule: "host.allowed"},
		{name: "the call that reaches the bound is asked about, although it is allowed", policy: third, facts: hintedAs(0),
			seen: after(2), want: agent.HandleAsk, rule: "session.bound"},
		{name: "a change that can be undone does not reach it", policy: third, facts: facts(write), seen: after(2),
			want: agent.HandleRun, rule: "host.allowed"},
		{name: "each change beyond the bound is asked about", policy: third, facts: facts(write), seen: after(3),
			want: agent.HandleAsk, rule: "session.bound"},
		{name: "a read beyond the bound runs", policy: third, facts: facts(read), seen: after(3), want: agent.HandleRun,
			rule: "host.allowed"},
		{name: "a read whose class is not that of a read is asked about", policy: third,
			facts: facts(contract.Document{Effect: risk.ReadOnly, Reversibility: risk.Irreversible}), seen: after(2),
			want: agent.HandleAsk, rule: "session.bound"},
		{name: "the risk of a session can be bounded", policy: agent.Policy{AcceptHints: true, Typing: true,
			AskFrom: risk.Chain{Level: risk.Critical}}, facts: hintedAs(risk.Destructive), want: agent.HandleAskTyping,
			rule: "session.bound", word: "notes.tool"},
		{name: "the number of calls can be bounded", policy: agent.Policy{AcceptContracts: true, AskFrom: risk.Chain{Calls: 10}},
			facts: facts(previewed), seen: after(0), arguments: `{"dryRun":true}`, want: agent.HandleRun, rule: "dryRun.preview"},
		{name: "such a bound is for changes too", policy: agent.Policy{AcceptContracts: true, AskFrom: risk.Chain{Calls: 10}},
			facts: facts(write), seen: after(0), want: agent.HandleAsk, rule: "session.bound"},
		{name: "what the server asks always stays its question", policy: third, facts: facts(critical), seen: after(3),
			want: agent.HandleAsk, rule: "confirmation.always", byServer: true},
		{name: "what a conversation has read comes first", policy: third, facts: facts(unconfirmed),
			seen: agent.Exposure{Injectable: true, Chain: chainOf(9, 3, risk.Medium)}, want: agent.HandleAsk, rule: "trust.injectable"},
		{name: "no person beyond the bound, no call", policy: agent.Policy{AcceptContracts: true, Unattended: true,
			AskFrom: risk.Chain{Irreversible: 3}}, facts: facts(write), seen: after(3), want: agent.HandleRefuse,
			rule: "host.unattended"},
		{name: "a bound that does not exist asks about each change", policy: agent.Policy{AcceptContracts: true,
			AskFrom: risk.Chain{Irreversible: -1}}, facts: facts(write), want: agent.HandleAsk, rule: "session.bound"},
		{name: "so does an unknown risk", policy: agent.Policy{AcceptContracts: true, Allow: []string{"*"},
			AskFrom: risk.Chain{Level: 200}}, facts: facts(write), want: agent.HandleAsk, rule: "session.bound"},
		{name: "so does an unknown class", policy: agent.Policy{AcceptContracts: true, AskFrom: risk.Chain{Reversibility: 9}},
			facts: facts(write), want: agent.HandleAsk, rule: "session.bound"},
		{name: "a read runs under such a bound", policy: agent.Policy{AcceptContracts: true, AskFrom: risk.Chain{Calls: -3}},
			facts: facts(read), want: agent.HandleRun, rule: "confirmation.never"},
		{name: "without a bound no session is too long", policy: accepting, facts: facts(write), seen: after(1000),
			want: agent.HandleRun, rule: "confirmation.never"},
		{name: "an allowed tool runs", policy: agent.Policy{Allow: []string{"notes.tool"}}, facts: hintedAs(0),
			want: agent.HandleRun, rule: "host.allowed"},
		{name: "the zero policy asks before a read", facts: facts(read), want: agent.HandleAsk, rule: "host.acceptance"},
		{name: "hints are not accepted with contracts", policy: accepting, facts: hintedAs(risk.ReadOnly), want: agent.HandleAsk,
			rule: "host.acceptance"},
		{name: "the server asks for some arguments", policy: accepting, facts: facts(contract.Document{Effect: risk.LowRiskWrite,
			Confirmation: contract.ConfirmationWhen}), want: agent.HandleRun, rule: "confirmation.when", byServer: true},
		{name: "the server itself may ask", policy: accepting, facts: facts(contract.Document{Effect: risk.LowRiskWrite,
			Confirmation: contract.ConfirmationUpstream}), want: agent.HandleRun, rule: "confirmation.when", byServer: true},
		{name: "a read runs by its contract", policy: accepting, facts: facts(read), want: agent.HandleRun, rule: "confirmation.never"},
		{name: "a read runs by its hint", policy: hints, facts: hintedAs(risk.ReadOnly), want: agent.HandleRun, rule: "hints.readOnly"},
		{name: "nothing declared asks", policy: hints, facts: hintedAs(0), want: agent.HandleAsk,
			rule: "hints.write"},
		{name: "a small write without a contract asks", policy: hints, facts: hintedAs(risk.HighRiskWrite), want: agent.HandleAsk,
			rule: "hints.write"},
		{name: "a destructive tool asks by typing where the host wants that", policy: agent.Policy{AcceptHints: true,
			Typing: true}, facts: hintedAs(risk.Destructive), want: agent.HandleAskTyping, rule: "hints.write", word: "notes.tool"},
		{name: "another write does not", policy: agent.Policy{AcceptHints: true, Typing: true},
			facts: hintedAs(risk.ExternalPublication), want: agent.HandleAsk, rule: "hints.write"},
		{name: "no person, no call", policy: agent.Policy{AcceptContracts: true, Unattended: true}, facts: facts(previewed),
			want: agent.HandleRefuse, rule: "host.unattended"},
		{name: "no person, and a read runs", policy: agent.Policy{AcceptContracts: true, Unattended: true}, facts: facts(read),
			want: agent.HandleRun, rule: "confirmation.never"},
	}
}

// A server can declare a dry run that isn't one, so that its calls run without
// a person. Only a host that accepts contracts believes it.
func TestThreat142_ADryRunOfAContractThatIsNotAcceptedIsAskedAbout(t *testing.T) {
	t.Parallel()
	tool := agent.Tool{Name: "files.purge", Origin: agent.OriginContract, Contract: contract.Document{Effect: risk.Destructive,
		DryRun: dryrun.Supported}}
	for _, tt := range []struct {
		policy agent.Policy
		want   agent.Handling
	}{
		{agent.Policy{}, agent.HandleAsk},
		{agent.Policy{Unattended: true}, agent.HandleRefuse},
		{agent.Policy{AcceptContracts: true}, agent.HandleRun},
		{agent.Policy{AcceptContracts: true, Unattended: true}, agent.HandleRun},
	} {
		got := tt.policy.Decide(tool, []byte(`{"dryRun":true}`), agent.Exposure{})
		assert.Equal(t, tt.want, got.Handling, "%+v", tt.policy)
		assert.False(t, got.Preview, "it is the dry run itself")
	}
}

func TestPolicy_Decide(t *testing.T) {
	t.Parallel()
	for _, tt := range policyCases() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := tt.policy.Decide(tt.facts, json.RawMessage(tt.arguments), tt.seen)
			assert.NotEmpty(t, got.Reason)
			got.Reason = ""
			assert.Equal(t, agent.Decision{Handling: tt.want, Rule: tt.rule, ByServer: tt.byServer, Preview: tt.preview, Word: tt.word},
				got)
		})
	}
}

// Every rule of the page of rules has a case.
func TestPolicy_EveryRuleIsTried(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, tt := range policyCases() {
		tried[tt.rule] = true
	}
	page, err := os.ReadFile("../docs/rules.md")
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(page), "\n## Policy of an agent\n")
	section, _, _ := strings.Cut(after, "\n## ")
	for _, row := range regexp.MustCompile("(?m)^\\|.*?`(.+?)`").FindAllStringSubmatch(section, -1) {
		assert.True(t, tried[row[1]], "no case for the rule %s", row[1])
		delete(tried, row[1])
	}
	assert.Empty(t, tried, "the page does not have these rules")
}

// A reason must not repeat what the model wrote.
func TestPolicy_DecideNeverHoldsAnArgument(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for _, tt := range policyCases() {
		for _, arguments := range []string{`{"dryRun":"` + secret + `"}`, `{"` + secret + `":1}`, secret, `{"a":1,"a":"` + secret +
			`"}`} {
			d := tt.policy.Decide(tt.facts, json.RawMessage(arguments), tt.seen)
			encoded, err := json.Marshal(d)
			require.NoError(t, err)
			assert.NotContains(t, string(encoded), secret)
		}
	}
}

// Offers is what Decide can do for any arguments.
func TestPolicy_OffersWhatDecideDoesNotAlwaysRefuse(t *testing.T) {
	t.Parallel()
	for _, tt := range policyCases() {
		switch tt.rule {
		case "arguments.invalid", "arguments.size", "host.unattended":
			assert.True(t, tt.policy.Offers(tt.facts), tt.name)
		default:
			assert.Equal(t, tt.want != agent.HandleRefuse, tt.policy.Offers(tt.facts), tt.name)
		}
	}
}

// Undeclared is never treated as safer: without its effect, a tool is handled
// at least as strictly as with any.
func TestPolicy_UndeclaredIsTheStrictest(t *testing.T) {
	t.Parallel()
	for _, origin := range []agent.Origin{agent.OriginHints, agent.OriginSummary, agent.OriginContract} {
		for _, policy := range []agent.Policy{{}, {AcceptContracts: true}, {AcceptHints: true},
			{AcceptHints: true, AskFrom: risk.Chain{Irreversible: 1}}} {
			for _, seen := range []agent.Exposure{{}, {Injectable: true}, {Injectable: true, Confidential: true}} {
				undeclared := policy.Decide(agent.Tool{Name: "notes.tool", Origin: origin}, nil, seen).Handling
				for effect := risk.ReadOnly; effect.IsValid(); effect++ {
					tool := agent.Tool{Name: "notes.tool", Origin: origin, Contract: contract.Document{Effect: effect}}
					assert.GreaterOrEqual(t, undeclared, policy.Decide(tool, nil, seen).Handling, "%s %+v %s", origin, policy, effect)
				}
			}
		}
	}
}

func TestHandling_TextForm(t *testing.T) {
	t.Parallel()
	for h, want := range []string{"refuse", "run", "ask", "ask-by-typing"} {
		assert.Equal(t, want, agent.Handling(h).String())
	}
	assert.Equal(t, agent.HandleRefuse, agent.Handling(0), "the zero value")
}

// A built contract and its summary get the same decision, so that a host
// decides alike whatever tier the server lists.
func TestPolicy_SummariesGetTheDecisionOfTheirContract(t *testing.T) {
	t.Parallel()
	type in struct {
		Text string `json:"text"`
	}
	handler := func(context.Context, in) (string, error) { return "", nil }
	for _, effect := range []risk.Effect{risk.ReadOnly, risk.LowRiskWrite, risk.HighRiskWrite, risk.ExternalPublication,
		risk.Destructive} {
		tool, err := contract.New("notes.tool", handler).Description("A tool of this test.").Version("1.0.0").Effect(effect).
			Trust(trust.Trusted).NoPermissions("a test").AuditEvent("notes.tool").
			SideEffects(sideEffects(effect)...).Build()
		require.NoError(t, err)
		document := tool.Document()
		encoded, err := json.Marshal(document.Summary())
		require.NoError(t, err)
		var summary contract.Document
		require.NoError(t, json.Unmarshal(encoded, &summary))
		for _, policy := range []agent.Policy{{}, {AcceptContracts: true}, {AcceptHints: true},
			{AcceptContracts: true, AskFrom: risk.Chain{Irreversible: 1}}} {
			assert.Equal(t, policy.Decide(facts(document), nil, agent.Exposure{}), policy.Decide(facts(summary), nil, agent.Exposure{}),
				"%s %+v", effect, policy)
		}
	}
}

func sideEffects(effect risk.Effect) []contract.SideEffect {
	if effect == risk.ReadOnly {
		return nil
	}
	return []contract.SideEffect{{Description: "It changes " + strings.ToLower(effect.String()) + "."}}
}

// Both forms of a contract have the least, with every clause.
func TestTools_HaveBothEndsOfTheContract(t *testing.T) {
	t.Parallel()
	const least = `,"resolves":{"effect":"low-risk-write","risk":"medium","confirmation":"never"}`
	whole := contracted("a.b", critical+least)
	for origin, tool := range map[agent.Origin]string{
		agent.OriginContract: whole, agent.OriginSummary: strings.Replace(whole, `"autonomous":true,`, "", 1),
	} {
		listed := connect(t, &fake{tools: []string{tool}}).Tools()[0]
		assert.Empty(t, listed.Refusal)
		assert.Equal(t, origin, listed.Origin)
		assert.Equal(t, &contract.Least{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever},
			listed.Contract.Resolves)
	}
}
