package contracttest

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/toolcontract/toolcontract/guard/people"
)

// A Person answers a question about a call, like someone filling in the
// client's form. [Approve] and [Decline] are persons, and [Type] returns one.
//
// A question of a handler has only a Message, and a Key other than those of
// package people: "ask" for [contract.Ask] and [contract.Sample]. Content then
// has the fields of the form, or the member text with what the model writes.
type Person func(people.Question) ElicitResult

// An ElicitResult is the result of an elicitation (MCP 2025-06-18): what the
// client sends once the person has closed the form.
type ElicitResult struct {
	// Action is accept, decline or cancel.
	Action string `json:"action"`
	// Content has the form's values. Nil: none.
	Content map[string]any `json:"content,omitempty"`
}

// Approve ticks the question's box and accepts the form. It types nothing, so
// for a tool that is confirmed by typing a word, the question counts as
// declined; use [Type] there.
func Approve(people.Question) ElicitResult {
	return ElicitResult{Action: "accept", Content: map[string]any{people.ConfirmKey: true}}
}

// Type returns a person who types the word into the form and accepts it, for
// tools that are confirmed by typing.
func Type(word string) Person {
	return func(people.Question) ElicitResult {
		return ElicitResult{Action: "accept", Content: map[string]any{people.TypedKey: word}}
	}
}

// Decline declines the form.
func Decline(people.Question) ElicitResult { return ElicitResult{Action: "decline"} }

// A conversation records the questions of one call. It locks, because a person
// who answers too late is still being asked when the call ends.
type conversation struct {
	mu    sync.Mutex
	asked []people.Question
}

// with returns an asker that puts questions to the person.
func (c *conversation) with(person Person) people.Asker {
	return func(_ context.Context, q people.Question) (json.RawMessage, error) {
		c.mu.Lock()
		c.asked = append(c.asked, q)
		c.mu.Unlock()
		return json.Marshal(person(q))
	}
}

// answers puts the requests of a handler to the person.
func (c *conversation) answers(requests json.RawMessage, person Person) (map[string]json.RawMessage, error) {
	var asks map[string]struct {
		Params struct {
			Message  string
			Messages []struct{ Content struct{ Text string } }
		}
	}
	if err := json.Unmarshal(requests, &asks); err != nil {
		return nil, err
	}
	all := map[string]json.RawMessage{}
	for _, key := range slices.Sorted(maps.Keys(asks)) {
		p := asks[key].Params
		q := people.Question{Key: key, Message: p.Message}
		for _, m := range p.Messages {
			q.Message += m.Content.Text
		}
		raw, err := c.with(person)(context.Background(), q)
		if err == nil && len(p.Messages) > 0 {
			raw, err = written(raw)
		}
		if err != nil {
			return nil, err
		}
		all[key] = raw
	}
	return all, nil
}

// written returns a person's answer as the message of a model.
func written(answer json.RawMessage) (json.RawMessage, error) {
	var r struct {
		Action  string
		Content struct{ Text string }
	}
	if err := json.Unmarshal(answer, &r); err != nil || r.Action != "accept" {
		return answer, err
	}
	content := map[string]string{"type": "text", "text": r.Content.Text}
	return json.Marshal(map[string]any{"role": "assistant", "model": "test", "content": content})
}

func (c *conversation) questions() []people.Question {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.asked)
}
