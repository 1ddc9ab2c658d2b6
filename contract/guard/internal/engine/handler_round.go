package engine

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/contract/guard/internal/results"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A handlerRound is the state that a client carries, sealed, from a handler
// that asked for an input to the next call. The claim of the next call spends
// its nonce, so that one round is one execution. Nil means that a call carries
// none.
type handlerRound struct {
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

// openRound opens the state of a handler that a call carries. It returns nil if
// this server did not seal the state for this tool.
func openRound(in arrival) *handlerRound {
	if !in.tool.AsksForInput {
		return nil
	}
	r, err := in.engine.rounds.OpenText(in.req.State, "")
	if err != nil || r.Tool != in.tool.Doc.Name || r.Audience != in.audience() || r.Count == 0 {
		return nil
	}
	return &r
}

// belongsTo reports whether the round was issued to this principal for these
// arguments and this contract, and counts now.
func (r *handlerRound) belongsTo(u understood, now time.Time) bool {
	return r.IsFor(u.principalDigest(), u.exactArguments()) && !r.IsExpired(u.tool.Digest, now)
}

// grant is what the claim of the round spends.
func (r *handlerRound) grant(u understood) consent.Grant {
	left := max(time.Until(time.UnixMilli(r.Expires)), 0)
	nonce := store.Nonce{Key: u.scope().Key("round\x00" + r.Nonce), TTL: left + u.engine.config.People.QuestionTTL}
	return consent.Grant{Nonce: nonce, CallID: r.CallID}
}

// responses returns the state of the handler, and the client's responses to
// exactly the requests of the handler.
func (r *handlerRound) responses(req *exchange.Request) bound.Round {
	round := bound.Round{State: r.State, Responses: map[string]json.RawMessage{}}
	for _, key := range r.Keys {
		if response, ok := req.Answers[key]; ok {
			round.Responses[key] = response
		}
	}
	return round
}

var errTooManyRounds = errors.New("guard: the handler asked for an input more often than its rounds allow")

// askForInput answers for a handler that needs an input: with its requests,
// sanitized, and a state that counts once, for this call.
func askForInput(u understood, asks *bound.InputRequiredError) *answer.Answer {
	internal := func(err error) *answer.Answer {
		return answer.Refuse(answer.NewRefusal(contract.CodeInternalError, "").Because(err))
	}
	if u.rounds() >= u.tool.Half.Facts().Rounds {
		return internal(errTooManyRounds)
	}
	tree, err := strictjson.Parse(asks.Requests, strictjson.Limits{})
	if err != nil {
		return internal(fmt.Errorf("guard: the requests of the handler: %w", err))
	}
	keys, ok := tree.(map[string]any)
	if !ok || len(keys) == 0 {
		return internal(errors.New("guard: the handler asked for an input without a request"))
	}
	clean := results.Sanitizer{}
	requests, err := clean.Structured(nil, asks.Requests, tree)
	if err != nil {
		return internal(err)
	}
	if u.req.TakesInput == nil || !u.req.TakesInput(requests) {
		return answer.Refuse(
			answer.NewRefusal(contract.CodeConfirmationRequired, "the tool needs an input that this client cannot give"),
		)
	}
	next := u.nextRound(slices.Sorted(maps.Keys(keys)), asks.State)
	r := &exchange.Result{
		Requests: requests, State: u.engine.rounds.SealText(next, ""),
		Outcome: contract.Outcome{Status: contract.StatusAsked, Sanitized: clean.Removed},
	}
	if err := u.tool.CheckSize("requests for input", r, &clean); err != nil {
		return internal(err)
	}
	return answer.Of(r)
}

// rounds returns how often the handler has asked, zero before the first time.
func (u *understood) rounds() int {
	if u.round == nil {
		return 0
	}
	return u.round.Count
}

func (u *understood) nextRound(keys []string, state string) handlerRound {
	now := time.Now()
	expires := now.Add(u.engine.config.People.QuestionTTL).UnixMilli()
	if u.round != nil {
		expires = u.round.Expires
	}
	return handlerRound{
		StateHeader: consent.StateHeader{
			Issued: now.UnixMilli(), Expires: expires,
			Audience: u.audience(), Tool: u.tool.Doc.Name, Contract: u.tool.Digest, Terms: u.terms(),
			Arguments: u.exactArguments(), Principal: u.principalDigest(), CallID: u.log.ID(), Nonce: rand.Text(),
		},
		Count: u.rounds() + 1, Approved: u.approved, Keys: keys, State: state,
	}
}

// roundSpent answers for a state whose round another call has taken.
func roundSpent() *answer.Answer {
	return answer.Refuse(answer.NewRefusal(contract.CodeInvalidInput,
		"the answer was used before; call the tool again without a requestState"))
}
