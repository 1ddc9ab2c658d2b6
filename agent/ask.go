package agent

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net"
	"net/url"
	"slices"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

const (
	methodElicit = "elicitation/create"
	modeURL      = "url"
)

// maxQuestions caps how often a person is asked, or sent to a page, about one
// call.
const maxQuestions = 10

// An elicitation has the params of elicitation/create.
type elicitation struct {
	Mode    string          `json:"mode"`
	Message string          `json:"message"`
	Form    json.RawMessage `json:"requestedSchema"`
	URL     string          `json:"url"`
}

// person describes to a session what the host can ask.
func (a *Agent) person() client.Person {
	p := client.Person{Form: a.options.Host.Ask != nil, URL: a.options.Host.Open != nil}
	if p.Form || p.URL {
		p.Elicit = a.elicit
	}
	return p
}

// elicit answers a question of an older session, which doesn't name its call. A
// question that could belong to several calls, or to none, is cancelled.
func (a *Agent) elicit(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	e := a.beginQuestion()
	if e == nil {
		return wireAnswer(Answer{})
	}
	defer e.questions.Done()
	defer e.timer.pause()()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.ctx, cancel)()
	return wireAnswer(e.call.answer(ctx, inputRequest{Method: methodElicit, Params: params}))
}

// beginQuestion returns the exchange that a question belongs to and counts the
// question there. It is the only exchange whose tool may ask, or else the only
// exchange. If there are several, or none, beginQuestion returns nil.
func (a *Agent) beginQuestion() *exchange {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := slices.Collect(maps.Keys(a.running))
	if may := slices.DeleteFunc(slices.Clone(all), func(e *exchange) bool { return !e.call.tool.mayAsk() }); len(may) > 0 {
		all = may
	}
	if len(all) != 1 {
		return nil
	}
	all[0].questions.Add(1)
	return all[0]
}

// answer asks the person about one request of the server. Requests of other
// methods are cancelled.
func (c *call) answer(ctx context.Context, r inputRequest) Answer {
	var e elicitation
	if r.Method != methodElicit || readStrict(r.Params, &e) != nil {
		return Answer{}
	}
	if e.Mode == modeURL {
		return c.visit(ctx, e.URL, e.Message)
	}
	q := Question{Message: clean(e.Message), Form: e.Form}
	if q.Message == "" {
		q.Message = "The server asks."
	}
	// The person has confirmed exactly this call, and a contract asks for
	// nothing else.
	if c.agreed && c.tool.hasContract() && len(q.Form) > 0 && q.Confirms() {
		return q.Approve()
	}
	return c.ask(ctx, q)
}

// ask shows a question to the person of the host.
func (c *call) ask(ctx context.Context, q Question) Answer {
	if c.declined.Load() {
		return Answer{Action: Decline} // the person has already declined
	}
	if c.agent.options.Host.Ask == nil || !c.mayAskAgain() {
		return Answer{}
	}
	q.Tool = c.tool
	q.Arguments = c.arguments
	q.Preview = c.preview
	q.Chain = c.agent.chainWithout(c)
	q.Number = c.questionCount()
	answer, err := callOut(ctx, c.agent.slots, func(ctx context.Context) (Answer, error) {
		return c.agent.options.Host.Ask(ctx, q)
	})
	if err != nil {
		return Answer{}
	}
	if answer.Action == Decline {
		c.declined.Store(true)
	}
	return answer.withDefaults(q.Form)
}

// withDefaults fills in the fields that an accepted answer leaves out with
// their defaults, which a host's form would show (MCP SEP-1034).
func (a Answer) withDefaults(form json.RawMessage) Answer {
	if a.Action != Accept || len(form) == 0 {
		return a
	}
	content := map[string]any{}
	for _, f := range Fields(form) {
		if f.Default != nil {
			content[f.Name] = f.Default
		}
	}
	maps.Copy(content, a.Content)
	return Answer{Action: a.Action, Content: content}
}

// visit sends the person of the host to a page.
func (c *call) visit(ctx context.Context, address, message string) Answer {
	if c.declined.Load() {
		return Answer{Action: Decline}
	}
	if c.agent.options.Host.Open == nil || !isSafe(address) || !c.mayAskAgain() {
		return Answer{}
	}
	p := Page{
		Tool: c.tool, Arguments: c.arguments, URL: address, Message: clean(message), Chain: c.agent.chainWithout(c),
	}
	answer, err := callOut(ctx, c.agent.slots, func(ctx context.Context) (Answer, error) {
		return c.agent.options.Host.Open(ctx, p)
	})
	if err != nil {
		return Answer{}
	}
	if answer.Action == Decline {
		c.declined.Store(true)
	}
	return Answer{Action: answer.Action} // a page takes no values
}

// mayAskAgain counts a question and reports whether the cap allows it.
func (c *call) mayAskAgain() bool { return c.questions.Add(1) <= maxQuestions }

func (c *call) questionCount() int { return int(c.questions.Load()) }

// isSafe reports whether a person may be sent to an address.
func isSafe(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Host == "" || sanitize(address) != address {
		return false
	}
	switch u.Scheme {
	case "https":
		return true
	case "http":
		host := u.Hostname()
		return host == "localhost" || net.ParseIP(host).IsLoopback()
	}
	return false
}

// wireAnswer writes an answer as the result of elicitation/create.
func wireAnswer(a Answer) (json.RawMessage, error) {
	result := struct {
		Action  Action         `json:"action"`
		Content map[string]any `json:"content,omitempty"`
	}{Action: a.Action}
	if a.Action == Accept {
		result.Content = a.Content
	}
	return strictjson.MarshalValue(result)
}

var errUnanswered = errors.New("the server asks for something that the agent cannot answer")

// fulfil answers the requests of an input_required result one by one.
func (c *call) fulfil(requests map[string]inputRequest) (map[string]json.RawMessage, error) {
	responses := map[string]json.RawMessage{}
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		if requests[key].Method != methodElicit {
			return nil, errUnanswered
		}
		raw, err := wireAnswer(c.answer(c.ctx, requests[key]))
		if err != nil {
			return nil, errUnanswered
		}
		responses[key] = raw
	}
	return responses, nil
}

// askFirst asks the person before any part of the call is sent, if the server
// can't be relied on to ask.
func (c *call) askFirst() error {
	needed := !c.tool.hasContract() && !c.approved ||
		c.agent.options.AskFirst && c.tool.hasContract() && c.tool.Contract.Confirmation == contract.ConfirmationAlways
	if !needed || c.tool.Contract.Confirmation == contract.ConfirmationNever || c.dry {
		return nil
	}
	if c.agent.options.Host.Ask == nil {
		return c.fatal(contract.CodeConfirmationRequired, "a person must confirm the call, and this host cannot ask one", nil)
	}
	if answer := c.ask(c.ctx, Question{}); answer.Action != Accept {
		if err := c.contextFailure(); err != nil {
			return err
		}
		return c.retry(contract.CodeConfirmationDeclined,
			"the person did not agree to the call; do not repeat it, and ask what to do instead")
	}
	c.agreed = true
	return nil
}
