package adapter

import (
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/exchange"
)

// A Client says how the client of a call can answer a question to a person or
// the requests of a wrapped handler, and holds the answers it sent. The zero
// value is a client that can do nothing.
type Client struct {
	// Capabilities are those that the client declared: in the request itself if
	// Modern, otherwise in initialize.
	Capabilities Capabilities
	// Modern means that the request is of MCP 2026-07-28 or later. A question
	// is then the result of the call, and the client sends the answer with
	// another call.
	Modern bool
	// State and Answers are the call's requestState and inputResponses. Answers
	// has the responses as they were sent, by request key.
	State   string
	Answers map[string]json.RawMessage
	// Ask sends elicitation/create to a client that is not Modern, within the
	// call, and returns its result as it was sent. It must return when ctx is
	// done. Nil: Send sends it.
	Ask func(ctx context.Context, e Elicitation) (json.RawMessage, error)
	// Send sends a request of a handler, such as sampling/createMessage, to a
	// client that is not Modern, within the call, and returns its result as it
	// was sent. It must return when ctx is done. Nil: handlers cannot ask the
	// client. If Ask is nil too, nothing can be asked within the call.
	Send func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Session identifies the session whose open questions are counted, if Ask
	// or Send is set.
	Session string
}

// Capabilities are the client capabilities that matter to a call, in the
// protocol's form. Others can be left out.
type Capabilities struct {
	// Elicitation, Sampling and Roots are the requests that the client answers.
	// Nil: it does not answer them.
	Elicitation *ElicitationCapability `json:"elicitation,omitempty"`
	Sampling    *struct{}              `json:"sampling,omitempty"`
	Roots       *struct{}              `json:"roots,omitempty"`
}

// An ElicitationCapability has the modes of elicitation that a client declared.
// Without any, it means forms (MCP 2025-11-25, elicitation).
type ElicitationCapability struct {
	// Form stands for forms, and URL for addresses that a person opens. Nil:
	// not declared.
	Form *struct{} `json:"form,omitempty"`
	URL  *struct{} `json:"url,omitempty"`
}

// RawAnswers converts an SDK's inputResponses to raw JSON for [Client].Answers.
// A response that cannot be written as JSON is left out.
func RawAnswers[R any](responses map[string]R) map[string]json.RawMessage {
	if len(responses) == 0 {
		return nil
	}
	raw := make(map[string]json.RawMessage, len(responses))
	for key, response := range responses {
		if sent, err := json.Marshal(response); err == nil {
			raw[key] = sent
		}
	}
	return raw
}

// takesForms reports whether the client shows forms.
func (c Capabilities) takesForms() bool {
	return c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// opensURLs reports whether the client can send a person to an address.
func (c Capabilities) opensURLs() bool { return c.Elicitation != nil && c.Elicitation.URL != nil }

// The methods of the requests that a handler may send to a client.
const (
	methodElicit    = "elicitation/create"
	methodSample    = "sampling/createMessage"
	methodListRoots = "roots/list"
)

// takes reports whether the client can answer the requests of a handler, a JSON
// object of requests by key.
func (c Capabilities) takes(raw json.RawMessage) bool {
	var requests map[string]struct {
		Method string `json:"method"`
		Params struct {
			Mode string `json:"mode"`
		} `json:"params"`
	}
	if json.Unmarshal(raw, &requests) != nil {
		return false
	}
	for _, r := range requests {
		switch {
		case r.Method == methodElicit && r.Params.Mode == modeURL && c.opensURLs():
		case r.Method == methodElicit && r.Params.Mode != modeURL && c.takesForms():
		case r.Method == methodSample && c.Sampling != nil:
		case r.Method == methodListRoots && c.Roots != nil:
		default:
			return false
		}
	}
	return true
}

// forGuard returns how the guard can ask the client, and the client's answers.
// hasRounds means that the tool's handler may ask for input.
func (c *Client) forGuard(hasRounds bool) exchange.Client {
	g := exchange.Client{State: c.State, Answers: c.Answers}
	if hasRounds && (c.Modern || c.Send != nil) {
		g.TakesInput = c.Capabilities.takes
		g.InCall = !c.Modern
	}
	switch {
	case c.Modern:
		g.Rounds = c.Capabilities.takesForms()
		g.RoundsURL = c.Capabilities.opensURLs()
	case c.Ask != nil || c.Send != nil:
		g.Session = c.Session
		if c.Capabilities.takesForms() {
			g.Ask = asker(c.Ask, c.Send)
		}
		if c.Capabilities.opensURLs() {
			g.AskURL = asker(c.Ask, c.Send)
		}
	}
	return g
}

// asker adapts a client's functions to the guard's questions.
func asker(ask func(context.Context, Elicitation) (json.RawMessage, error),
	send func(context.Context, string, json.RawMessage) (json.RawMessage, error)) people.Asker {
	return func(ctx context.Context, q people.Question) (json.RawMessage, error) {
		e := elicitationOf(q)
		if ask != nil {
			return ask(ctx, e)
		}
		params, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		return send(ctx, methodElicit, params)
	}
}
