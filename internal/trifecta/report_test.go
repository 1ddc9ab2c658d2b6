package trifecta_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/trifecta"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func ExampleFind() {
	report := trifecta.Find(
		trifecta.Subject{Server: "web", Contract: contract.Document{Name: "web.fetch", Effect: risk.ReadOnly,
			ContentTrust: trust.PromptInjectionProne}},
		trifecta.Subject{Server: "mail", Contract: contract.Document{Name: "mail.list", Effect: risk.ReadOnly,
			ContentTrust: trust.Sensitive}},
		trifecta.Subject{Server: "chat", Contract: contract.Document{Name: "chat.post", Effect: risk.LowRiskWrite,
			ContentTrust: trust.Trusted, Sends: true}},
	)
	fmt.Println(report)
	// Output: web/web.fetch reads untrusted data, mail/mail.list reads private data, chat/chat.post sends data out: chat/chat.post must confirm every call
}

// tool returns a tool with internal effects, changed by an edit.
func tool(name string, edit func(*contract.Document)) trifecta.Subject {
	d := contract.Document{Name: name, Effect: risk.ReadOnly, Risk: risk.Low, ContentTrust: trust.Trusted,
		Reads: []contract.DataKind{contract.PublicData}}
	edit(&d)
	return trifecta.Subject{Contract: d}
}

func untrusted(d *contract.Document) { d.Reads = []contract.DataKind{contract.UntrustedData} }
func private(d *contract.Document)   { d.Reads = []contract.DataKind{contract.PrivateData} }
func sends(d *contract.Document)     { d.Sends = true }

func TestFind_IsCompleteOnlyWithAllThreeRoles(t *testing.T) {
	t.Parallel()
	fetch, mail, post := tool("web.fetch", untrusted), tool("mail.list", private), tool("chat.post", sends)
	for name, c := range map[string]struct {
		tools []trifecta.Subject
		want  bool
	}{
		"no tools":          {nil, false},
		"nobody sends":      {[]trifecta.Subject{fetch, mail}, false},
		"nothing private":   {[]trifecta.Subject{fetch, post}, false},
		"nothing untrusted": {[]trifecta.Subject{mail, post}, false},
		"three tools":       {[]trifecta.Subject{fetch, mail, post}, true},
		"one tool of all roles": {[]trifecta.Subject{tool("all.roles", func(d *contract.Document) {
			d.Reads, d.Sends = []contract.DataKind{contract.PrivateData, contract.UntrustedData}, true
		})}, true},
		"a forbidden sender": {[]trifecta.Subject{fetch, mail, tool("chat.post", func(d *contract.Document) {
			d.Sends, d.Risk = true,
				risk.Forbidden
		})}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := trifecta.Find(c.tools...)
			assert.Equal(t, c.want, report.IsComplete())
			assert.Equal(t, c.want, report.String() != "")
			assert.Equal(t, c.want, len(report.Unconfirmed()) > 0)
		})
	}
}

func TestFind_NamesTheClauseOfEachRole(t *testing.T) {
	t.Parallel()
	inside := []contract.SideEffect{{Description: "It is kept.", Reach: contract.Internal, Undo: contract.Reversible}}
	for name, c := range map[string]struct {
		edit    func(*contract.Document)
		role    func(trifecta.Combination) trifecta.Part
		clause  string
		derived bool
	}{
		"untrusted declared": {untrusted, firstUntrusted, "reads", false},
		"untrusted content":  {func(d *contract.Document) { d.ContentTrust = trust.Untrusted }, firstUntrusted, "contentTrust", true},
		"private declared":   {private, firstPrivate, "reads", false},
		"sensitive content": {func(d *contract.Document) { d.Reads, d.ContentTrust = nil, trust.Sensitive }, firstPrivate,
			"contentTrust", true},
		"sends declared": {sends, firstSender, "sends", false},
		"a publication": {func(d *contract.Document) { d.Effect, d.SideEffects = risk.ExternalPublication, inside }, firstSender,
			"effect", true},
		"an external side effect": {func(d *contract.Document) {
			d.Effect, d.SideEffects = risk.LowRiskWrite, []contract.SideEffect{{Description: "It is sent.", Reach: contract.External}}
		}, firstSender, "sideEffects", true},
		"a write without side effects": {func(d *contract.Document) { d.Effect = risk.LowRiskWrite }, firstSender, "sideEffects", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part := c.role(trifecta.Find(tool("a.tool", c.edit)))
			assert.Equal(t, trifecta.Part{Name: trifecta.Name{Tool: "a.tool"}, Clause: c.clause, Derived: c.derived}, part)
		})
	}
}

func firstUntrusted(r trifecta.Combination) trifecta.Part { return r.Untrusted[0] }
func firstPrivate(r trifecta.Combination) trifecta.Part   { return r.Private[0] }
func firstSender(r trifecta.Combination) trifecta.Part    { return r.Sends[0].Part }

func TestReport_OnlyAConfirmationOfEveryCallCounts(t *testing.T) {
	t.Parallel()
	for confirmation, want := range map[contract.Confirmation]bool{
		0: false, contract.ConfirmationNever: false, contract.ConfirmationWhen: false,
		contract.ConfirmationAlways: true,
	} {
		t.Run(confirmation.String(), func(t *testing.T) {
			t.Parallel()
			report := trifecta.Find(tool("web.fetch", untrusted), tool("mail.list", private),
				tool("chat.post", func(d *contract.Document) {
					d.Sends, d.Confirmation = true, confirmation
				}))
			assert.Equal(t, want, len(report.Unconfirmed()) == 0)
			assert.True(t, report.IsComplete())
		})
	}
}

func TestReport_DoesNotDependOnTheOrderOfTheTools(t *testing.T) {
	t.Parallel()
	a, b, c := tool("b.two", untrusted), tool("a.one", private), tool("c.three", sends)
	c.Server = "z"
	first, err := json.Marshal(trifecta.Find(a, b, c))
	require.NoError(t, err)
	second, err := json.Marshal(trifecta.Find(c, b, a))
	require.NoError(t, err)
	assert.Equal(t, string(first), string(second))
}

func TestReport_ListsToolsThatDeclareNeitherPublicNorPrivateData(t *testing.T) {
	t.Parallel()
	report := trifecta.Find(tool("a.public", func(*contract.Document) {}), tool("b.private", private),
		tool("c.silent", func(d *contract.Document) { d.Reads = nil }))
	assert.Equal(t, []trifecta.Name{{Tool: "c.silent"}}, report.Undeclared)
}

func TestReport_CountsTheOthersOfARole(t *testing.T) {
	t.Parallel()
	report := trifecta.Find(tool("a.fetch", untrusted), tool("b.fetch", untrusted), tool("c.fetch", untrusted),
		tool("a.mail", private), tool("b.mail", private), tool("a.post", func(d *contract.Document) {
			d.Sends, d.Confirmation = true,
				contract.ConfirmationAlways
		}))
	assert.Equal(t, "a.fetch and 2 others read untrusted data, a.mail and b.mail read private data, a.post sends data out: a.post "+
		"confirms every call", report.String())
}
