package consent

import (
	"crypto/rand"
	"time"

	"github.com/toolcontract/toolcontract/internal/exchange"
)

// A QuestionState is what a client carries, sealed, from a question to the call
// that answers it. It identifies the question's call and principal, and limits
// how long the answer counts.
type QuestionState struct {
	StateHeader
	formState
	// Confirmed means that a person has accepted the call in an earlier round.
	Confirmed bool `json:"yes,omitempty"`
	// SentOutside means that the client's user was only sent to the approver's
	// page, so no answer of the client approves the call.
	SentOutside bool `json:"out,omitempty"`
	// StepUp is the id of the request to authenticate.
	StepUp string `json:"up,omitempty"`
	// Credit is the id of the rate limit credit that pays for the next round.
	// Empty: the next round is charged.
	Credit string `json:"credit,omitempty"`
}

// A formState is the part of a state about the form of its question.
type formState struct {
	// Malformed is the number of malformed answers.
	Malformed int `json:"bad,omitempty"`
	// Word is the word that the person must type. Empty: the contract demands
	// none.
	Word string `json:"word,omitempty"`
}

// OpenState opens a sealed state. The error is [exchange.ErrRejectedState] if
// it was not sealed for this tool and this server.
func (svc *Service) OpenState(sealed, tool, audience string) (*QuestionState, error) {
	s, err := svc.states.OpenText(sealed, "")
	switch {
	case err != nil || s.Tool != tool:
		return nil, exchange.ErrRejectedState
	case s.Audience != audience:
		svc.Ledger.Foreign()
		return nil, exchange.ErrRejectedState
	}
	return &s, nil
}

// isStale reports whether the answer no longer counts: the state has expired,
// or the terms of the call are not those of the question.
func (s *QuestionState) isStale(c *Subject, now time.Time) bool {
	return s.IsExpired(c.Tool.Digest(), now) || s.Terms != c.Terms
}

// classify returns the kind of the state that a call carries, which is nil if
// it carries none.
func classify(s *QuestionState, c *Subject, now time.Time) stateKind {
	switch {
	case s == nil:
		return noState
	case s.isStale(c, now):
		return staleState
	case s.Confirmed:
		return agreedState
	case s.SentOutside:
		return sentOutsideState
	case s.StepUp != "":
		return authAskedState
	}
	return askedState
}

// asksToAuthenticate reports whether the state is that of a request to
// authenticate for this call. approved is the question outside the client that
// the call's grant comes from, or nil.
func (s *QuestionState) asksToAuthenticate(c *Subject, approved *storedQuestion, now time.Time) bool {
	return s != nil && s.StepUp != "" && !s.isStale(c, now) && (approved == nil || approved.ID == s.Nonce)
}

// nextState returns the state of a question that this call asks. If a person
// has approved the call in an earlier round or outside the client, the state is
// about that call.
func (r *round) nextState() QuestionState {
	now := time.Now()
	c := r.call
	next := QuestionState{StateHeader: HeaderOf(c.View, c.Audience, c.Terms)}
	next.Issued = now.UnixMilli()
	next.Expires = now.Add(r.service.QuestionTTL).UnixMilli()
	next.Nonce = rand.Text()
	if c.Charged || r.session.progressed { // a round without progress does not pay for the next
		next.Credit = rand.Text()
	}
	switch approved := r.session.Grant.approved; {
	case r.session.continues:
		s := r.session.State
		next.CallID = s.CallID
		next.Nonce = s.Nonce
		next.Confirmed = r.session.confirmed
		next.Expires = s.Expires // a new answer does not extend an approval
	case approved != nil:
		next.CallID = approved.CallID
		next.Nonce = approved.ID
		next.Expires = approved.Expires.UnixMilli()
	}
	return next
}
