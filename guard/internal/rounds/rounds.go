// Package rounds carries the state of a handler that asks the client for input,
// sealed, from one call to the next.
package rounds

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/internal/results"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/store"
)

// Rounds seals the states of handlers. [New] makes it.
type Rounds struct {
	ledger *ledger.Ledger
	sealed ledger.ValueSealer[Round]
	ttl    time.Duration
}

// New returns the rounds of a guard. ttl is how long a client may take for its
// answers.
func New(l *ledger.Ledger, ttl time.Duration) *Rounds {
	return &Rounds{ledger: l, sealed: ledger.SealerOf[Round](l, ledger.Rounds, strictjson.Unmarshal), ttl: ttl}
}

// A Round is the state that a client carries, sealed, from a handler that asked
// for an input to the next call. Claiming the next call spends its nonce, so
// one round allows one execution.
type Round struct {
	// All rounds of a call have its CallID, and expire together.
	consent.StateHeader
	// Count is how often the handler has asked.
	Count int `json:"count"`
	// Approved means that a person has approved the call.
	Approved bool `json:"yes,omitempty"`
	// Keys are those of the requests, and State is that of the handler.
	Keys  []string `json:"keys"`
	State string   `json:"state,omitempty"`
}

// Open opens the state of a handler that a call carries. It returns nil if this
// server did not seal the state for this tool.
func (r *Rounds) Open(sealed, tool, audience string) *Round {
	round, err := r.sealed.OpenText(sealed, "")
	switch {
	case err != nil || round.Tool != tool || round.Count == 0:
		return nil
	case round.Audience != audience:
		r.ledger.Foreign()
		return nil
	}
	return &round
}

// Grant returns what the claim of the round spends.
func (r *Rounds) Grant(round *Round, scope store.Scope) consent.Grant {
	left := max(time.Until(time.UnixMilli(round.Expires)), 0)
	nonce := store.Nonce{Key: scope.Key("round\x00" + round.Nonce), TTL: left + r.ttl}
	return consent.Grant{Nonce: nonce, CallID: round.CallID}
}

// Responses returns the state of the handler, and the client's responses to
// exactly the requests of the handler.
func (r *Round) Responses(answers map[string]json.RawMessage) bound.Round {
	round := bound.Round{State: r.State, Responses: map[string]json.RawMessage{}}
	for _, key := range r.Keys {
		if response, ok := answers[key]; ok {
			round.Responses[key] = response
		}
	}
	return round
}

// A HandlerCall is a call whose handler asks for an input.
type HandlerCall struct {
	facts.View

	// Header identifies the call.
	Header consent.StateHeader
	// Before is the round before this one. Nil: none.
	Before *Round
	// Approved means that a person has approved the call.
	Approved bool
	// TakesInput reports whether the client can answer the requests. Nil: it
	// cannot.
	TakesInput func(requests json.RawMessage) bool
}

var errTooMany = errors.New("guard: the handler asked for an input more often than its rounds allow")

// Ask answers a call whose handler needs input, with the handler's sanitized
// requests and a state that counts once, for this call.
func (r *Rounds) Ask(c *HandlerCall, asks *bound.HandlerError) *answer.Ending {
	internal := func(err error) *answer.Ending {
		return answer.Refuse(answer.NewRefusal(contract.CodeInternalError, "").Because(err))
	}
	if c.count() >= c.Tool.Impl.Facts().Rounds {
		return internal(errTooMany)
	}
	requests, err := c.requests(asks)
	if err != nil {
		return internal(err)
	}
	tree, err := strictjson.Parse(requests, strictjson.Limits{})
	if err != nil {
		return internal(fmt.Errorf("guard: the requests of the handler: %w", err))
	}
	keys, ok := tree.(map[string]any)
	if !ok || len(keys) == 0 {
		return internal(errors.New("guard: the handler asked for an input without a request"))
	}
	clean := results.Sanitizer{}
	requests, err = clean.Structured(nil, requests, tree)
	if err != nil {
		return internal(err)
	}
	if c.TakesInput == nil || !c.TakesInput(requests) {
		return answer.Refuse(answer.NewRefusal(contract.CodeConfirmationRequired,
			"the tool needs an input that this client cannot give"))
	}
	result := &exchange.Result{
		Requests: requests, State: r.sealed.SealText(r.next(c, slices.Sorted(maps.Keys(keys)), asks.State), ""),
		Outcome: contract.Outcome{Status: contract.StatusAsked, Sanitized: clean.Removed, Removed: clean.Removals},
	}
	if err := results.CheckSize(c.Tool, "requests for input", result, &clean); err != nil {
		return internal(err)
	}
	return answer.Of(result)
}

// maxQuestion bounds the text of a question on its line.
const maxQuestion = 16 << 10

// requests returns the requests of a handler. A question to a person names the
// tool, so that nobody takes it for one of the guard's, and is as clean as
// those.
func (c *HandlerCall) requests(asks *bound.HandlerError) (json.RawMessage, error) {
	if asks.Question == nil {
		return asks.Requests, nil
	}
	q := *asks.Question
	q.Text = c.RedactSecrets(q.Text)
	if q.MaxTokens == 0 {
		q.Text = text.Unlink(fmt.Sprintf("The tool %s asks: %s", c.Doc.Name, text.Line(strings.TrimSpace(q.Text), maxQuestion)))
	}
	return q.Request()
}

// count returns how often the handler has asked so far.
func (c *HandlerCall) count() int {
	if c.Before == nil {
		return 0
	}
	return c.Before.Count
}

func (r *Rounds) next(c *HandlerCall, keys []string, state string) Round {
	now := time.Now()
	next := Round{StateHeader: c.Header, Count: c.count() + 1, Approved: c.Approved, Keys: keys, State: state}
	next.Issued = now.UnixMilli()
	next.Expires = now.Add(r.ttl).UnixMilli()
	next.Nonce = rand.Text()
	if c.Before != nil {
		next.Expires = c.Before.Expires
	}
	return next
}

// RefuseSpent answers a call with a state whose round another call has taken.
func RefuseSpent() *answer.Ending {
	return answer.Refuse(answer.NewRefusal(contract.CodeInvalidInput,
		"the answer was used before; call the tool again without a requestState"))
}
