package guard

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// questionsAtOnce is how many questions of one session may wait for their answer
// within a call. A few workers serve all calls of a stdio server.
const questionsAtOnce = 2

// An Asker asks a person through the caller's client, within the call: the
// answer is the raw result of an elicitation (MCP 2025-11-25, elicitation/create).
// It returns when ctx ends.
type Asker func(ctx context.Context, q Question) (json.RawMessage, error)

// questionsOfAll is how many questions may wait at once in all, and
// questionsOfOne those of one principal, however many sessions it opens.
const (
	questionsOfAll = 512
	questionsOfOne = 8
)

// openQuestions counts the questions that wait for an answer within a call, by
// session and by principal.
type openQuestions struct {
	slots contain.Slots // for questions on their way

	mu   sync.Mutex
	open map[string]int
}

func newOpenQuestions() openQuestions {
	return openQuestions{slots: contain.NewSlots(questionsOfAll, noteAuthor), open: map[string]int{}}
}

// enter reports whether a session and a principal, in this order, may have one
// more open question.
func (o *openQuestions) enter(of []string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open[of[0]] >= questionsAtOnce || o.open[of[1]] >= questionsOfOne {
		return false
	}
	for _, who := range of {
		o.open[who]++
	}
	return true
}

func (o *openQuestions) leave(of []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, who := range of {
		if o.open[who]--; o.open[who] == 0 {
			delete(o.open, who)
		}
	}
}

// A verdict is what a person said.
type verdict int

const (
	verdictMalformed verdict = iota // nothing that can be understood
	verdictNo
	verdictYes
)

// answerOf reads what every answer has, and its content.
func answerOf(raw json.RawMessage) (verdict, map[string]any) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return verdictMalformed, nil
	}
	answer, _ := tree.(map[string]any)
	content, _ := answer["content"].(map[string]any)
	switch answer["action"] {
	case "accept":
		return verdictYes, content
	case "decline", "cancel":
		return verdictNo, content
	}
	return verdictMalformed, nil
}

// verdictOfURL reads the answer whether an address may be opened, whose content
// says nothing.
func verdictOfURL(raw json.RawMessage) verdict {
	said, _ := answerOf(raw)
	return said
}

// verdictOf reads an answer. Exactly the action accept with the boolean true
// under [ConfirmKey] is a yes; every other answer that keeps to the protocol is
// a no.
func verdictOf(raw json.RawMessage) verdict {
	said, content := answerOf(raw)
	if said == verdictYes && content[ConfirmKey] != true {
		return verdictNo
	}
	return said
}
