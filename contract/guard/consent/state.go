package consent

import (
	"crypto/rand"
	"errors"
	"time"
)

// ErrRejectedState is returned for a call that carries a state which no
// question of this server gave out for this call: altered, cut, of another
// principal, or for other arguments. It is one error, whatever the cause.
var ErrRejectedState = errors.New("guard: the request state is not valid for this call")

// A State is what a client carries, sealed, from a question to the call that
// answers it: which call the question is about, on whose behalf, and until when
// the answer counts.
type State struct {
	// Issued and Expires are milliseconds of the Unix epoch. The answer counts
	// before Expires.
	Issued  int64 `json:"iat"`
	Expires int64 `json:"exp"`
	// Audience names the server, Tool is the tool's name, Contract its digest,
	// and Terms what the contract resolved to.
	Audience string `json:"aud"`
	Tool     string `json:"tool"`
	Contract string `json:"contract"`
	Terms    string `json:"terms,omitempty"`
	// Arguments and Principal are digests.
	Arguments string `json:"args"`
	Principal string `json:"sub"`
	// CallID is the call that the question is about, and Nonce the question's
	// own name.
	CallID string `json:"call"`
	Nonce  string `json:"nonce"`
	// Malformed is the number of malformed answers.
	Malformed int `json:"bad,omitempty"`
	// Confirmed means that a person has accepted in an earlier round.
	Confirmed bool `json:"yes,omitempty"`
	// StepUp is the id of the request to authenticate.
	StepUp string `json:"up,omitempty"`
	// Credit names the payment for the next round, if it is paid for.
	Credit string `json:"credit,omitempty"`
}

// OpenState opens a state that a call of a tool of a server carries. The error
// is [ErrRejectedState].
func (d *Desk) OpenState(sealed, tool, audience string) (*State, error) {
	s, err := d.states.OpenText(sealed, "")
	if err != nil || s.Tool != tool || s.Audience != audience {
		return nil, ErrRejectedState
	}
	return &s, nil
}

// IsFor reports whether the state was given out to this principal for these
// arguments.
func (s *State) IsFor(principal, arguments string) bool {
	return s.Principal == principal && s.Arguments == arguments
}

// IsExpired reports whether the time of the state is over or has not begun, or
// whether the contract has changed since.
func (s *State) IsExpired(contract string, now time.Time) bool {
	ms := now.UnixMilli()
	return s.Contract != contract || ms >= s.Expires || ms < s.Issued
}

// isStale reports whether the answer no longer counts: the state has expired,
// or the terms of the call are not those of the question.
func (s *State) isStale(c *Call, now time.Time) bool {
	return s.IsExpired(c.Digest, now) || s.Terms != c.Terms
}

// nextState returns the state of a question that this call asks. It is about
// the call of the round before, or of the question outside the client, if a
// person has agreed to that call.
func (r *round) nextState() State {
	now, c := time.Now(), r.call
	next := State{
		Issued: now.UnixMilli(), Expires: now.Add(r.desk.QuestionTTL).UnixMilli(),
		Audience: c.Audience, Tool: c.Contract.Name, Contract: c.Digest, Terms: c.Terms,
		Arguments: c.exactArguments(), Principal: c.principalDigest(), CallID: c.ID, Nonce: rand.Text(),
	}
	if c.Charged || r.session.progressed { // a round without progress pays for no other
		next.Credit = rand.Text()
	}
	switch approved := r.session.Grant.approved; {
	case r.session.continues:
		s := r.session.State
		next.CallID, next.Nonce, next.Confirmed = s.CallID, s.Nonce, r.session.confirmed
		next.Expires = s.Expires // answering again does not extend an agreement
	case approved != nil:
		next.CallID, next.Nonce, next.Expires = approved.CallID, approved.ID, approved.Expires.UnixMilli()
	}
	return next
}
