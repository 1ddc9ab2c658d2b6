package adapters_test

import (
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

func confirmRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("confirm-asked", "a person is asked with a form whose only field is the boolean confirm, and sees the arguments",
			checkConfirmAsked, asks),
		rule("confirm-typed", "a person who must type a word gets a form whose only field is a text", checkConfirmTyped, asks),
		rule("confirm-links", "a question has no link that a client could render", checkConfirmLinks, asks),
		rule("confirm-accepted", "an approved call runs once", checkConfirmAccepted, asks),
		rule("confirm-declined", "a declined call does not run", checkConfirmDeclined, asks),
		rule("confirm-cancelled", "a call whose question is dismissed does not run", checkConfirmCancelled, asks),
		rule("confirm-unclear", "any other answer than accept with confirm true does not run the call", checkConfirmUnclear, asks),
		rule("confirm-unsolicited", "an answer without a question runs nothing", checkConfirmUnsolicited),
		rule("confirm-incapable", "a client that cannot show a form is not asked, and is refused with confirmation_required",
			checkConfirmIncapable),
		rule("confirm-capabilities", "on a stream, the capabilities of a newer request do not count for an older one",
			checkConfirmCapabilities, overStream, within, needNewer),
		rule("confirm-open", "open questions do not stop other calls on the same stream", checkConfirmOpen, overStream, within),
		rule("confirm-audited", "the question and the end of a call have one call id in the audit log", checkConfirmAudited, asks),
	}
}

// needNewer means that the adapter speaks both versions on one stream.
var needNewer = can("Newer", func(c Capabilities) bool { return c.Newer })

// A person's answers, as raw results of elicitation/create.
const (
	accepts   = `{"action":"accept","content":{"confirm":true}}`
	declines  = `{"action":"decline"}`
	dismisses = `{"action":"cancel"}`
)

// sending returns a tool that asks before every call.
func (c *counter) sending() *contract.Tool {
	return writing("notes.send", c.length).ConfirmAlways().MustBuild()
}

// A dialog is a call that asked a person.
type dialog struct {
	answer    answer // the last one
	questions []question
}

// asking makes a call and answers its questions with a raw result, in the form
// its protocol version uses.
func (s *server) asking(who string, sent call, response string) dialog {
	return s.askingBy(who, sent, func(question) string { return response })
}

func (s *server) askingBy(who string, sent call, person func(question) string) dialog {
	if s.t.wire.version == newer {
		return s.connect(who, formsAndURLs, nil).rounds(sent, person)
	}
	var (
		mu        sync.Mutex
		questions []question
	)
	c := s.connect(who, formsAndURLs, func(q question) string {
		mu.Lock()
		questions = append(questions, q)
		mu.Unlock()
		return person(q)
	})
	a := c.send(sent)
	mu.Lock()
	defer mu.Unlock()
	return dialog{a, questions}
}

// rounds makes a call, answers its question, and sends the call again.
func (c *client) rounds(sent call, person func(question) string) dialog {
	a := c.send(sent)
	key, q := a.asks()
	return dialog{c.send(sent.answering(key, person(q), a.result().RequestState)), []question{q}}
}

// asks expects a result with one question, and returns it with its key.
func (a answer) asks() (key string, q question) {
	a.status(contract.StatusAsked)
	r := a.result()
	a.expect(r.ResultType == "input_required", "the resultType input_required")
	a.expect(len(r.InputRequests) == 1, "one input request")
	a.expect(r.RequestState != "", "a requestState")
	for k, request := range r.InputRequests {
		a.expect(request.Method == "elicitation/create", "the method elicitation/create")
		key, q = k, request.Params
	}
	return key, q
}

// answering returns a call with the response to a question.
func (c call) answering(key, response, state string) call {
	c.params = strings.Join(some(c.params, `"inputResponses":{`+quote(key)+`:`+response+`}`, `"requestState":`+quote(state)), ",")
	return c
}

// one expects that exactly one question was asked.
func (d dialog) one() question {
	d.answer.expect(len(d.questions) == 1, "one question, but %d were asked", len(d.questions))
	return d.questions[0]
}

// form expects a question with a single field of the given type.
func (d dialog) form(field, kind string) question {
	d.answer.expect(len(d.questions) > 0, "a question")
	q := d.questions[0]
	text := d.answer.t.encode(q)
	d.answer.expect(q.Mode == "form" || q.Mode == "", "a form, but the question is %s", text)
	d.answer.expect(q.URL == "", "no address, but the question is %s", text)
	p := q.RequestedSchema.Properties
	d.answer.expect(len(p) == 1 && string(p[field]["type"]) == quote(kind), "the one field %s of type %s, but the question is %s",
		field, kind, text)
	d.answer.expect(p[field]["default"] == nil, "no default, but the question is %s", text)
	d.answer.expect(len(q.RequestedSchema.Required) == 1 && q.RequestedSchema.Required[0] == field,
		"the field to be required, but the question is %s", text)
	return q
}

func checkConfirmAsked(t *checkRun) {
	n := &counter{}
	d := t.serve([]*contract.Tool{n.sending()}).asking(alice, call{tool: "notes.send", arguments: note("hello, world")}, declines)
	q := d.form(people.ConfirmKey, "boolean")
	d.answer.expect(strings.Contains(q.Message, "hello, world"), "the arguments in the question, but it is %q", q.Message)
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkConfirmTyped(t *checkRun) {
	n := &counter{}
	tool := writing("notes.send", n.length).ConfirmAlways().ConfirmTyping(func(in noteIn) string { return in.Text }).MustBuild()
	s := t.serve([]*contract.Tool{tool})
	d := s.asking(alice, call{tool: "notes.send", arguments: note("first")}, `{"action":"accept","content":{"word":"other"}}`)
	d.form(people.TypedKey, "string")
	d.answer.expect(d.answer.outcome().Status != contract.StatusOK, "no result of the tool after another word")
	t.expect(n.runs() == 0, "that nothing runs")
	s.asking(alice, call{tool: "notes.send", arguments: note("second")},
		`{"action":"accept","content":{"word":"second"}}`).answer.ran()
}

func checkConfirmLinks(t *checkRun) {
	d := t.serve([]*contract.Tool{(&counter{}).sending()}).asking(alice, call{
		tool: "notes.send", arguments: note("[Approved](https://evil.example/a) <https://evil.example/b> ![x](http://evil.example/c)"),
	}, declines)
	for _, link := range []string{"://", "](", "!["} {
		d.answer.expect(!strings.Contains(d.one().Message, link), "a question without %q, but it is %q", link, d.one().Message)
	}
}

func checkConfirmAccepted(t *checkRun) {
	n := &counter{}
	d := t.serve([]*contract.Tool{n.sending()}).asking(alice, call{tool: "notes.send", arguments: note("hello")}, accepts)
	d.answer.ran()
	d.one()
	t.expect(n.runs() == 1, "one run, but there were %d", n.runs())
}

// declined expects that a person's answer refuses the call.
func (t *checkRun) declined(response string) {
	n := &counter{}
	d := t.serve([]*contract.Tool{n.sending()}).asking(alice, call{tool: "notes.send", arguments: note("hello")}, response)
	d.answer.refused(contract.CodeConfirmationDeclined)
	d.one()
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkConfirmDeclined(t *checkRun)  { t.declined(declines) }
func checkConfirmCancelled(t *checkRun) { t.declined(dismisses) }

func checkConfirmUnclear(t *checkRun) {
	n := &counter{}
	for _, response := range []string{
		`{"action":"accept"}`, `{"action":"accept","content":{}}`, `{"action":"accept","content":{"confirm":false}}`,
		`{"action":"accept","content":{"confirm":"true"}}`, `{"action":"accept","content":{"confirm":1}}`,
		`{"action":"accept","content":{"CONFIRM":true}}`, `{"action":"ACCEPT","content":{"confirm":true}}`,
		`{"action":"","content":{"confirm":true}}`, `{"content":{"confirm":true}}`,
	} {
		s := t.serve([]*contract.Tool{n.sending()})
		d := s.asking(alice, call{tool: "notes.send", arguments: note("x")}, response)
		d.answer.expect(d.answer.Error != nil || d.answer.outcome().Status != contract.StatusOK,
			"no result of the tool after the answer %s", response)
	}
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkConfirmUnsolicited(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{n.sending()}).client(alice)
	a := c.send(call{tool: "notes.send", arguments: note("x"), params: `"inputResponses":{"confirm":` + accepts + `}`})
	a.expect(a.outcome().Status != contract.StatusOK, "no result of the tool")
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkConfirmIncapable(t *checkRun) {
	n := &counter{}
	s := t.serve([]*contract.Tool{n.sending()})
	asked := func(question) string {
		n.n.Add(1000)
		return accepts
	}
	for _, capabilities := range []string{none, `{"elicitation":{"url":{}}}`, `{"sampling":{}}`} {
		a := s.connect(alice, capabilities, asked).call("notes.send", note("x"))
		a.refused(contract.CodeConfirmationRequired)
		a.expect(a.result().ResultType != "input_required", "no question")
	}
	t.expect(n.runs() == 0, "that no person is asked and nothing runs")
}

func checkConfirmCapabilities(t *checkRun) {
	n := &counter{}
	s := t.serve([]*contract.Tool{n.sending()})
	for capabilities, code := range map[string]string{none: contract.CodeConfirmationRequired,
		forms: contract.CodeConfirmationDeclined} {
		c := s.connect(alice, capabilities, func(question) string { return declines })
		other := map[string]string{none: forms, forms: none}[capabilities]
		c.doAs(newer, other, listing("")).into(&page{})
		c.call("notes.send", note(capabilities)).refused(code)
	}
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkConfirmOpen(t *checkRun) {
	n := &counter{}
	s := t.serve([]*contract.Tool{n.sending(), n.doubling().MustBuild()},
		withGuard(guard.WithTimes(guard.Times{Drain: 50 * time.Millisecond})))
	questions := make(chan string, 20)
	c := s.connect(alice, forms, func(q question) string {
		questions <- q.Message
		return "" // no answer
	})
	for _, text := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"} {
		c.start(call{tool: "notes.send", arguments: note(text)}.request())
	}
	wait(t, questions, "a question")
	c.call("calc.double", `{"n":1}`).ran()
}

func checkConfirmAudited(t *checkRun) {
	s := t.serve([]*contract.Tool{(&counter{}).sending()})
	s.asking(alice, call{tool: "notes.send", arguments: note("hello")}, accepts).answer.ran()
	events := s.terminal()
	t.expect(len(events) == 1 && events[0].Decision == audit.Allow, "one terminal event, but the log has %s", t.encode(events))
	for _, e := range s.log.Events() {
		t.expect(e.CallID == events[0].CallID, "events with the call id of the end, but the log has %s", t.encode(e))
	}
}
