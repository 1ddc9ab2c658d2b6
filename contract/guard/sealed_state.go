package guard

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// ErrRejectedState is returned for a call that comes with a state which no
// question of this server gave out for this call: altered, cut, another's, or
// for other arguments. It is one error, whatever the cause.
var ErrRejectedState = errors.New("guard: the request state is not valid for this call")

// A questionState is what a question's state seals: which call it asks about, on
// whose behalf, and until when its answer counts.
type questionState struct {
	Issued    int64  `json:"iat"` // milliseconds of the Unix epoch
	Expires   int64  `json:"exp"` // the same; the answer counts before it
	Audience  string `json:"aud"`
	Tool      string `json:"tool"`
	Contract  string `json:"contract"`
	Terms     string `json:"terms,omitempty"` // what the contract resolved to
	Arguments string `json:"args"`
	Principal string `json:"sub"`
	CallID    string `json:"call"`
	Nonce     string `json:"nonce"`
	Malformed int    `json:"bad,omitempty"`    // answers that were none
	Confirmed bool   `json:"yes,omitempty"`    // a person has agreed, in an earlier round
	StepUp    string `json:"up,omitempty"`     // the id of the request to authenticate
	Credit    string `json:"credit,omitempty"` // names the payment for the next round, if it is paid for
}

// nextState is that of a question which this call puts. It is about the call of
// the round before, or of the question outside the client, where a person has
// agreed to that one.
func (c *call) nextState() questionState {
	now := time.Now()
	next := questionState{
		Issued: now.UnixMilli(), Expires: now.Add(c.set.guard.people.questionTTL).UnixMilli(),
		Audience: c.audience(), Tool: c.entry.doc.Name, Contract: c.entry.tool.Digest(), Terms: c.terms(),
		Arguments: c.exactArguments(), Principal: c.principalDigest(), CallID: c.id, Nonce: rand.Text(),
	}
	if c.charged || c.progressed { // a round that brings nothing new pays for none
		next.Credit = rand.Text()
	}
	switch {
	case c.continues:
		next.CallID, next.Nonce, next.Confirmed = c.state.CallID, c.state.Nonce, c.confirmed
		next.Expires = c.state.Expires // an agreement is not made longer
	case c.approved != nil:
		next.CallID, next.Nonce, next.Expires = c.approved.CallID, c.approved.ID, c.approved.Expires.UnixMilli()
	}
	return next
}

// sealState writes the state in the form in which a client carries it.
func (g *Guard) sealState(s questionState) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return "" // strings and numbers can always be written
	}
	return g.ledger.questions.SealText(raw, nil)
}

func (g *Guard) openState(text string) (*questionState, error) {
	raw, err := g.ledger.questions.OpenText(text, nil)
	if err != nil {
		return nil, ErrRejectedState
	}
	var s questionState
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, ErrRejectedState
	}
	return &s, nil
}

// openState opens the state that a call came with. One that this server did not
// seal for this tool ends the call. Tools that ask nothing ignore it.
func openState(c *call) *Result {
	if c.req.State == "" {
		return nil
	}
	state, err := c.set.guard.openState(c.req.State)
	if err != nil || state.Tool != c.entry.doc.Name || state.Audience != c.audience() {
		return c.reject()
	}
	c.state = state
	return nil
}

// reject ends a call with the one error for states that are not its own.
func (c *call) reject() *Result {
	c.rejected = true
	return &Result{IsError: true}
}

// isOwnState reports whether the state was given out to this principal for these
// arguments.
func (c *call) isOwnState() bool {
	return c.state.Principal == c.principalDigest() && c.state.Arguments == c.exactArguments()
}

// isStale reports whether the state is this call's and its answer counts no
// longer: it has expired, or what holds for the call is not what the question said.
func (c *call) isStale() bool { return c.isExpired() || c.state.Terms != c.terms() }

// isExpired reports whether the state's time is over, or comes from the future, or
// the contract has changed since.
func (c *call) isExpired() bool {
	now := time.Now().UnixMilli()
	return c.state.Contract != c.entry.tool.Digest() || now >= c.state.Expires || now < c.state.Issued
}

// terms are what the contract resolved to, which is not in its digest; "" where it
// does not resolve.
func (c *call) terms() string {
	if !resolves(c.entry) {
		return ""
	}
	d := c.doc
	return fmt.Sprintf("%s %s %s %s", d.Risk, d.Effect, d.Confirmation, strings.Join(d.Permissions, ","))
}

func (c *call) audience() string {
	return store.Scope{Namespace: c.set.guard.ledger.namespace, Issuer: c.req.Server}.Key("audience").ID.String()
}

func (c *call) principalDigest() string { return c.scope().Key("principal").Partition.String() }

func (c *call) exactArguments() string {
	return store.Fingerprint(c.args.Canonical).String()
}
