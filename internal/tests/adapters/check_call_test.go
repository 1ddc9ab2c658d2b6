package adapters_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
	"github.com/toolcontract/toolcontract/trust"
)

func callRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("call-result", "a result has the structured content, and first a text with the same JSON", checkCallResult),
		rule("call-text", "the result of a tool that returns a text has that text and no structured content", checkCallText),
		rule("call-outcome", "the outcome in _meta has the status, the contract's version, the trust and the call's id in "+
			"the audit log", checkCallOutcome),
		rule("call-refused", "a refused call is a result with isError, a text, and an outcome with a code and a class",
			checkCallRefused),
		rule("call-permissions", "a call without the permission is refused, with the missing permissions, whatever its arguments are",
			checkCallPermissions),
		rule("call-no-permissions", "no permissions, and permissions that only resemble the needed one, are not enough",
			checkCallNoPermissions),
		rule("call-rate-limit", "a call beyond the rate limit of a tool, for all of its names, is refused with a delay",
			checkCallRateLimit),
		rule("call-result-size", "a result above the contract's limit is replaced by an error", checkCallResultSize),
		rule("call-argument-size", "arguments above the contract's limit are refused", checkCallArgumentSize),
		rule("call-concurrent", "calls at once run at once, and each gets its own answer", checkCallConcurrent),
		rule("task-refused", "a call that requests a task is refused and does not run", checkTaskRefused, tasks, inOlder),
		rule("task-ignored", "the member task of a call, which the version does not have, is ignored", checkTaskIgnored, inNewer),
	}
}

func argumentRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("arguments-integers", "the handler gets every integer as it was sent, also beyond 2^53", checkArgumentsIntegers, exact),
		rule("arguments-huge", "a number that no machine can hold is refused, and the server goes on", checkArgumentsHuge),
		rule("arguments-duplicate", "a key that stands twice, at any depth, is refused", checkArgumentsDuplicate, exact),
		rule("arguments-case", "a key in another case than the schema's is refused", checkArgumentsCase),
		rule("arguments-encoding", "text that is not UTF-8, and a lone surrogate, are refused", checkArgumentsEncoding, exact),
		rule("arguments-none", "absent arguments, null and {} are the same", checkArgumentsNone),
		rule("arguments-not-object", "arguments that are not an object are refused by the schema", checkArgumentsNotObject),
		rule("arguments-violations", "a refusal lists every broken clause of the schema, with its rule and a JSON Pointer",
			checkArgumentsViolations),
	}
}

// double serves a tool and returns a client connected to it.
func (t *checkRun) double() (*counter, *client) {
	n := &counter{}
	return n, t.serve([]*contract.Tool{n.doubling().MustBuild()}).client(nobody)
}

func checkCallResult(t *checkRun) {
	n, c := t.double()
	a := c.call("calc.double", `{"n":21}`)
	r := a.ran()
	a.expect(!r.IsError, "no isError")
	a.expect(equalJSON(r.StructuredContent, json.RawMessage(`{"n":42}`)), `the structured content {"n":42}`)
	a.expect(len(r.Content) == 1 && r.Content[0].text("type") == "text" && equalJSON(json.RawMessage(r.Content[0].text("text")),
		r.StructuredContent),
		"one text with the JSON of the structured content")
	t.expect(n.runs() == 1, "one run, but there were %d", n.runs())
}

func checkCallText(t *checkRun) {
	tool := reading("notes.text", func(context.Context, nothing) (string, error) { return "a note", nil }).MustBuild()
	a := t.serve([]*contract.Tool{tool}).client(nobody).call("notes.text", `{}`)
	r := a.ran()
	a.expect(len(r.Content) == 1 && r.Content[0].text("text") == "a note", "the text of the tool")
	a.expect(r.StructuredContent == nil, "no structured content")
}

func checkCallOutcome(t *checkRun) {
	s := t.serve([]*contract.Tool{(&counter{}).doubling().MustBuild()})
	a := s.client(nobody).call("calc.double", `{"n":1}`)
	o := a.status(contract.StatusOK)
	a.expect(o.ContractVersion == "1.0.0", "the contract's version 1.0.0")
	a.expect(o.ContentTrust == trust.Trusted, "the trust %s", trust.Trusted)
	events := s.terminal()
	a.expect(len(events) == 1 && events[0].CallID == o.CallID, "the id of the call in the audit log, which has %s", t.encode(events))
}

func checkCallRefused(t *checkRun) {
	_, c := t.double()
	a := c.call("calc.double", `{"n":"x"}`)
	o := a.refused(contract.CodeInvalidInput)
	r := a.result()
	a.expect(r.IsError, "isError")
	a.expect(o.Class == contract.ClassRetryable, "the class %s", contract.ClassRetryable)
	a.expect(len(r.Content) == 1 && strings.Contains(r.Content[0].text("text"), contract.CodeInvalidInput), "one text with the code")
	a.expect(r.StructuredContent == nil, "no structured content")
}

func checkCallPermissions(t *checkRun) {
	n := &counter{}
	c := t.serve(n.all()).client(nobody)
	for _, arguments := range []string{note("x"), `{"text":5}`, `{}`} {
		for who, code := range map[string]string{nobody: contract.CodeUnauthenticated, forged: contract.CodeUnauthenticated,
			bob: contract.CodePermissionDenied} {
			a := c.as(who).call("notes.write", arguments)
			o := a.refused(code)
			a.expect(len(o.Violations) == 0, "no violations of the schema")
			if who == bob {
				a.expect(len(o.MissingPermissions) == 1 && o.MissingPermissions[0] == mayWrite, "the missing permission %s", mayWrite)
			}
		}
	}
	t.expect(n.runs() == 0, "that nothing runs")
	c.as(alice).call("notes.write", note("x")).ran()
}

func checkCallNoPermissions(t *checkRun) {
	n := &counter{}
	s := t.serve(n.all())
	c := s.client(bob)
	for i, permissions := range [][]string{nil, {}, {""}, {mayWrite + "r"}, {strings.ToUpper(mayWrite)}, {"*"}, {" " + mayWrite}} {
		s.allow(bob, permissions...)
		c.call("notes.write", note(fmt.Sprint(i))).refused(contract.CodePermissionDenied)
		c.page("").answer.without("notes.write")
	}
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkCallRateLimit(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{n.doubling().RateLimit(2, time.Hour).MustBuild()}).client(alice)
	c.call("calc.double", `{"n":1}`).ran()
	c.call("calc.twice", `{"n":2}`).ran()
	for _, name := range []string{"calc.double", "calc.twice"} {
		a := c.call(name, `{"n":3}`)
		o := a.refused(contract.CodeRateLimitExceeded)
		a.expect(o.RetryAfterMs > 0, "a delay")
	}
	t.expect(n.runs() == 2, "two runs, but there were %d", n.runs())
}

func checkCallResultSize(t *checkRun) {
	tool := reading("notes.long", func(context.Context, nothing) (string, error) {
		return strings.Repeat("x", 5000), nil
	}).MaxResultBytes(1000).MustBuild()
	a := t.serve([]*contract.Tool{tool}).client(nobody).call("notes.long", `{}`)
	a.refused(contract.CodeResultTooLarge)
	a.without("xxxxxxxx")
}

func checkCallArgumentSize(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{reading("notes.count", n.length).MaxArgumentBytes(64).MustBuild()}).client(nobody)
	c.call("notes.count", note("short")).ran()
	c.call("notes.count", note(strings.Repeat("x", 80))).refused(contract.CodeInvalidInput)
	t.expect(n.runs() == 1, "one run, but there were %d", n.runs())
}

func checkCallConcurrent(t *checkRun) {
	const calls = 4 // an SDK may limit concurrent calls
	begun := make(chan struct{}, calls)
	open := make(chan struct{})
	tool := reading("calc.wait", func(_ context.Context, in numberIn) (numberOut, error) {
		begun <- struct{}{}
		select {
		case <-open:
		case <-t.released:
		}
		return numberOut(in), nil
	}).MustBuild()
	s := t.serve([]*contract.Tool{tool})
	c := s.client(nobody)
	var sent []*pending
	for i := range calls {
		sent = append(sent, c.start(call{tool: "calc.wait", arguments: fmt.Sprintf(`{"n":%d}`, i)}.request()))
	}
	for range calls {
		wait(t, begun, "calls at once to run at once")
	}
	close(open)
	for i, p := range sent {
		a := p.wait()
		r := a.ran()
		a.expect(equalJSON(r.StructuredContent, t.encode(numberOut{int64(i)})), "the answer to the call with %d", i)
	}
	t.expect(len(s.terminal()) == calls, "%d terminal events", calls)
}

func checkTaskRefused(t *checkRun) {
	n, c := t.double()
	for _, task := range []string{`{}`, `{"ttl":60000}`} {
		for _, name := range []string{"calc.double", "calc.twice"} {
			c.send(call{tool: name, arguments: `{"n":1}`, params: `"task":` + task}).refused(contract.CodeInvalidInput)
		}
	}
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkTaskIgnored(t *checkRun) {
	n, c := t.double()
	for _, name := range []string{"calc.double", "calc.twice"} {
		c.send(call{tool: name, arguments: `{"n":1}`, params: `"task":{"ttl":60000}`}).ran()
	}
	t.expect(n.runs() == 2, "that each call runs once")
}

func checkArgumentsIntegers(t *checkRun) {
	tool := reading("calc.same", func(_ context.Context, in numberIn) (string, error) {
		return fmt.Sprintf("n is %d", in.N), nil
	}).MustBuild()
	c := t.serve([]*contract.Tool{tool}).client(nobody)
	for _, n := range []string{"9007199254740993", "-9007199254740993", "1152921504606846977"} {
		a := c.call("calc.same", `{"n":`+n+`}`)
		r := a.ran()
		a.expect(r.Content[0].text("text") == "n is "+n, "the handler to get %s", n)
	}
}

func checkArgumentsHuge(t *checkRun) {
	n, c := t.double()
	for _, number := range []string{"1e999999999", "1e-999999999", "-1e999999999", strings.Repeat("9", 200_000)} {
		a := c.call("calc.double", `{"n":`+number+`}`)
		a.expect(a.Error != nil || a.outcome().Status == contract.StatusError, "a refusal")
		c.call("calc.double", `{"n":1}`).ran()
	}
	t.expect(n.runs() == 4, "4 runs, of the other calls, but there were %d", n.runs())
}

// violates expects a refusal whose first violation has a rule.
func (a answer) violates(rule string) contract.Violation {
	o := a.refused(contract.CodeInvalidInput)
	a.expect(len(o.Violations) > 0 && o.Violations[0].Rule == rule, "a violation of the rule %s", rule)
	return o.Violations[0]
}

type deepIn struct {
	Pay struct {
		Amount int64 `json:"amount"`
	} `json:"pay"`
}

func checkArgumentsDuplicate(t *checkRun) {
	n := &counter{}
	deep := reading("calc.pay", func(context.Context, deepIn) (string, error) { n.n.Add(1); return "paid", nil }).MustBuild()
	c := t.serve([]*contract.Tool{n.doubling().MustBuild(), deep}).client(nobody)
	c.call("calc.double", `{"n":1,"n":9}`).violates("json.duplicate")
	c.call("calc.double", `{"n":1,"n":1}`).violates("json.duplicate")
	c.call("calc.double", `{"n":1,"\u006e":9}`).violates("json.duplicate")
	c.call("calc.pay", `{"pay":{"amount":1,"amount":1000000}}`).violates("json.duplicate")
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkArgumentsCase(t *checkRun) {
	n := &counter{}
	deep := reading("calc.pay", func(context.Context, deepIn) (string, error) { n.n.Add(1); return "paid", nil }).MustBuild()
	c := t.serve([]*contract.Tool{deep}).client(nobody)
	for _, arguments := range []string{`{"pay":{"amount":10,"AMOUNT":1000000}}`, `{"Pay":{"amount":1}}`} {
		c.call("calc.pay", arguments).refused(contract.CodeInvalidInput)
	}
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkArgumentsEncoding(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{reading("notes.count", n.length).MustBuild()}).client(nobody)
	for _, text := range []string{"\xff\xfe", "\xe2\x82", `\ud800`, `\udc00 `} {
		c.call("notes.count", `{"text":"`+text+`"}`).violates("json.utf8")
	}
	t.expect(n.runs() == 0, "that nothing runs")
	c.call("notes.count", `{"text":"\ud83d\ude00"}`).ran()
}

func checkArgumentsNone(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{reading("notes.all", n.secret).MustBuild()}).client(nobody)
	for _, arguments := range []string{``, `null`, `{}`, ` { } `} {
		c.call("notes.all", arguments).ran()
	}
	t.expect(n.runs() == 4, "4 runs, but there were %d", n.runs())
}

func checkArgumentsNotObject(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{reading("notes.all", n.secret).MustBuild()}).client(nobody)
	for _, arguments := range []string{`[]`, `"x"`, `5`, `false`, `[{}]`} {
		c.call("notes.all", arguments).violates("schema.type")
	}
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkArgumentsViolations(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{reading("notes.count", n.length).MustBuild()}).client(nobody)
	for arguments, pointer := range map[string]string{
		`{"text":5}`:                   "/text",
		`{"text":"x","more":1}`:        "/more",
		note(strings.Repeat("x", 101)): "/text",
	} {
		a := c.call("notes.count", arguments)
		o := a.refused(contract.CodeInvalidInput)
		a.expect(len(o.Violations) == 1 && o.Violations[0].Pointer == pointer && o.Violations[0].Rule != "" &&
			o.Violations[0].Message != "",
			"one violation at %s", pointer)
	}
	a := c.call("notes.count", `{"text":5,"more":1}`)
	a.expect(len(a.outcome().Violations) == 2, "two violations")
	t.expect(n.runs() == 0, "that nothing runs")
}
