package guard

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// DefaultQuestionTimeout is how long a client that is asked within the call may
// take. DefaultQuestionTTL is how long the answer to a question that the client
// brings back in another call counts.
const (
	DefaultQuestionTimeout = 2 * time.Minute
	DefaultQuestionTTL     = 10 * time.Minute
)

// questionsAtOnce is how many questions of one session may wait for their answer
// within a call. A few workers serve all calls of a stdio server.
const questionsAtOnce = 2

// An Asker asks a person through the caller's client, within the call: the
// answer is the raw result of an elicitation (MCP 2025-11-25, elicitation/create).
// It returns when ctx ends.
type Asker func(ctx context.Context, q Question) (json.RawMessage, error)

// WithQuestionTimeout bounds how long a person may take to answer within a call;
// no answer is a no. Default: [DefaultQuestionTimeout].
func WithQuestionTimeout(d time.Duration) Option {
	return optionFunc(func(g *Guard) error {
		if d <= 0 {
			return errors.New("guard: WithQuestionTimeout: the duration is not positive")
		}
		g.questionTimeout = d
		return nil
	})
}

// WithQuestionTTL sets how long the answer counts to a question that the client
// brings back in another call. Default: [DefaultQuestionTTL].
func WithQuestionTTL(d time.Duration) Option {
	return optionFunc(func(g *Guard) error {
		if d <= 0 {
			return errors.New("guard: WithQuestionTTL: the duration is not positive")
		}
		g.questionTTL = d
		return nil
	})
}

// openQuestions counts the questions that wait for an answer, by session.
type openQuestions struct {
	mu        sync.Mutex
	bySession map[string]int
}

// enter reports whether a session may have one more open question.
func (o *openQuestions) enter(session string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bySession[session] >= questionsAtOnce {
		return false
	}
	o.bySession[session]++
	return true
}

func (o *openQuestions) leave(session string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bySession[session]--; o.bySession[session] == 0 {
		delete(o.bySession, session)
	}
}

// A verdict is what a person said.
type verdict int

const (
	verdictMalformed verdict = iota // nothing that can be understood
	verdictNo
	verdictYes
)

// verdictOf reads an answer. Exactly the action accept with the boolean true
// under [ConfirmKey] is a yes; every other answer that keeps to the protocol is
// a no.
func verdictOf(raw json.RawMessage) verdict {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return verdictMalformed
	}
	answer, _ := tree.(map[string]any)
	switch answer["action"] {
	case "accept":
		content, _ := answer["content"].(map[string]any)
		if content[ConfirmKey] == true {
			return verdictYes
		}
		return verdictNo
	case "decline", "cancel":
		return verdictNo
	}
	return verdictMalformed
}
