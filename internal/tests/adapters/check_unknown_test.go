package adapters_test

import (
	"slices"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

// The audit codes of calls that the protocol itself answers.
const (
	auditUnknown    = "unknown_tool"
	auditUnparsable = "unparsable"
)

func unknownRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("unknown-tool", "a call of a name that does not exist is a JSON-RPC error for invalid parameters", checkUnknownTool),
		rule("unknown-forbidden", "a forbidden tool is answered as an unknown name, byte for byte, to every caller and with "+
			"any arguments", checkUnknownForbidden),
		rule("unknown-elsewhere", "a tool of another server is answered as an unknown name, byte for byte", checkUnknownElsewhere),
		rule("unknown-audited", "a call of an unknown name and of a forbidden tool is audited, with the name and the caller",
			checkUnknownAudited),
		rule("unknown-task", "a call of a forbidden tool that requests a task is answered as that of an unknown name", checkUnknownTask,
			tasks),
		rule("unparsable-audited", "a call whose parameters cannot be read is audited once, as unparsable", checkUnparsableAudited,
			unparsable, inOlder),
		rule("unparsable-echo", "the answer to parameters that cannot be read repeats none of them", checkUnparsableEcho, unparsable,
			inOlder),
	}
}

func checkUnknownTool(t *checkRun) {
	c := t.serve((&counter{}).all()).client(alice)
	c.call("no.such", `{}`).unknown()
	c.call("calc.double2", `{"n":1}`).unknown()
	c.call("Calc.Double", `{"n":1}`).unknown()
}

func checkUnknownForbidden(t *checkRun) {
	n := &counter{}
	c := t.serve(n.all()).client(nobody)
	for _, who := range []string{nobody, bob, alice, forged} {
		for _, arguments := range []string{``, `{}`, `null`, `{"no":1}`, `[]`} {
			hidden := c.as(who).call("keys.read", arguments)
			unknown := c.as(who).call("xeys.read", arguments)
			hidden.unknown()
			hidden.expect(hidden.as("keys.read", "xeys.read") == string(unknown.anonymous()), "the answer to an unknown name: %s",
				unknown.text)
		}
	}
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkUnknownElsewhere(t *checkRun) {
	n := &counter{}
	t.serve([]*contract.Tool{reading("else.where", n.length).MustBuild()})
	c := t.serve([]*contract.Tool{n.doubling().MustBuild()}).client(nobody)
	hidden := c.call("else.where", note("x"))
	unknown := c.call("xlse.where", note("x"))
	hidden.unknown()
	hidden.expect(hidden.as("else.where", "xlse.where") == string(unknown.anonymous()), "the answer to an unknown name: %s",
		unknown.text)
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkUnknownAudited(t *checkRun) {
	s := t.serve((&counter{}).all())
	c := s.client(alice)
	names := []string{"keys.read", "no.such", "no_such"}
	for _, name := range names {
		c.call(name, `{}`)
	}
	var got []string
	for _, e := range s.terminal() {
		t.expect(e.Code == auditUnknown && e.Decision == audit.Deny && e.Principal == alice, "events with the code %s and the caller, "+
			"but the log has %s", auditUnknown, t.encode(e))
		got = append(got, e.Tool)
	}
	slices.Sort(got)
	t.expect(slices.Equal(got, names), "one event for each of %v, but the log has %v", names, got)
}

func checkUnknownTask(t *checkRun) {
	c := t.serve((&counter{}).all()).client(alice)
	hidden := c.send(call{tool: "keys.read", arguments: `{}`, params: `"task":{}`})
	unknown := c.send(call{tool: "xeys.read", arguments: `{}`, params: `"task":{}`})
	hidden.expect(hidden.as("keys.read", "xeys.read") == string(unknown.anonymous()), "the answer to an unknown name: %s",
		unknown.text)
}

// brokenParams are malformed parameters, each containing a secret.
var brokenParams = []string{
	`"hunter2"`, `["hunter2"]`, `{"name":["hunter2"]}`, `{"name":5,"arguments":{"password":"hunter2"}}`,
	`{"name":"calc.double","arguments":{"password":"hunter2"},"_meta":"hunter2"}`,
}

func checkUnparsableAudited(t *checkRun) {
	for _, params := range brokenParams {
		s := t.serve((&counter{}).all())
		c := s.client(alice)
		a := c.do(request{method: "tools/call", raw: params})
		a.expect(a.Error != nil, "a JSON-RPC error")
		events := s.terminal()
		a.expect(len(events) == 1 && events[0].Code == auditUnparsable, "one event with the code %s, but the log has %s",
			auditUnparsable, t.encode(events))
	}
}

func checkUnparsableEcho(t *checkRun) {
	c := t.serve((&counter{}).all()).client(alice)
	for _, params := range brokenParams {
		c.do(request{method: "tools/call", raw: params}).without("hunter2")
	}
}
