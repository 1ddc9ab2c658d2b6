package consent

import (
	"context"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// A Subject is the call that a person is asked about.
type Subject struct {
	facts.View

	Audience string // the name of the server
	Terms    string // the resolved clauses
	Client   exchange.Client
	Charged  bool       // the call was counted against the rate limits
	Before   risk.Chain // what the session did before this call, if the guard counts calls
	Bound    bool       // the bound of the session can have a person asked about it
	Pipeline Pipeline
}

// PrincipalDigest returns a digest that identifies the principal of a scope
// without revealing it.
func PrincipalDigest(s store.Scope) string { return s.Key("principal").Partition.String() }

func (c *Subject) principalDigest() string { return PrincipalDigest(c.Scope) }

// ArgumentsDigest returns a digest that identifies canonical arguments.
func ArgumentsDigest(canonical []byte) string { return store.Fingerprint(canonical).String() }

func (c *Subject) exactArguments() string { return ArgumentsDigest(c.Args.Canonical) }

// A Pipeline is what this package needs of the guard's pipeline, for one call.
type Pipeline interface {
	// MustAsk reports whether a person must be asked. It calls the tool
	// author's function if the contract leaves the decision to that function.
	MustAsk(ctx context.Context) bool
	// Words returns the tool author's sentence about the call, or "" if there
	// is none.
	Words(ctx context.Context) string
	// Word returns the word that a person types to confirm the call. It is
	// called only if the contract demands a typed confirmation.
	Word(ctx context.Context) (string, error)
	// Preview makes a dry run and returns the members of its result, or nil if
	// the tool has no preview or the caller may not run it. It returns a
	// refusal if the preview cannot run now, and an error if it failed.
	Preview(ctx context.Context) (members map[string]any, refused *answer.Refusal, err error)
	// Recorded returns the outcome of an earlier identical call, or nil.
	Recorded(Grant) *store.ClaimResult
	// Event returns an event with the fields that all audit events of the call
	// share.
	Event(kind audit.Kind, stage string) audit.Event
	// AuditQuestion writes the event that a person is being asked within the
	// call.
	AuditQuestion(stage string, g Grant)
	// AuditDecision writes the event that a person has answered in the client.
	AuditDecision(stage string, g Grant, approved bool)
}

// A Grant is a person's approval of a call. Claiming the call spends its nonce,
// so one approval allows one execution. With the zero Grant there is nothing to
// spend: nobody had to be asked, or a person approved while the call waited.
type Grant struct {
	// Nonce is spent with the claim.
	Nonce store.Nonce
	// CallID is the call that the question was about.
	CallID string

	approved  *storedQuestion // the question, if it was asked outside the client
	waitOwner store.Owner     // identifies an approval that was given while the call waited
}

// IsZero reports whether there is nothing to spend.
func (g Grant) IsZero() bool { return g.Nonce.Key.IsZero() }

// Spender returns the owner that spends other nonces for this approval, such as
// a dry run's token. It is the same each time the approval is used, so that a
// call that never began can be retried. Without an approval it is random.
func (g Grant) Spender() store.Owner {
	switch {
	case !g.Nonce.Key.IsZero():
		digest := store.Fingerprint([]byte("spender\x00" + g.Nonce.Key.String()))
		return store.Owner(digest[:len(store.Owner{})])
	case !g.waitOwner.IsZero():
		return g.waitOwner
	}
	return store.NewOwner()
}

// A Session holds what the consent stages of a call have found out so far. The
// zero Session is that of a call that answers no question.
type Session struct {
	// State is the state of the question that the call answers. Nil: the call
	// answers none.
	State *QuestionState
	// Grant is the approval that the claim must spend.
	Grant Grant

	again      bool            // another call spent the approval of this one
	continues  bool            // this call is the one that the question of State was about
	confirmed  bool            // a person accepted it, in this round or before
	progressed bool            // this round moved the confirmation forward
	spent      *storedQuestion // a question outside the client whose approval another call spent
	kept       keptAnswers     // answers that the person gave while the call waited
	waited     bool            // the call waited for a person
	keptName   string          // under which they are kept if the call never begins; empty: they are not
}

// Again returns the session for another try, because another call has spent the
// grant of this one. A person must then be asked about this call too.
func (s Session) Again() Session {
	return Session{again: s.again || s.confirmed || s.Grant.approved != nil, spent: s.Grant.approved, progressed: s.progressed,
		kept: s.kept, keptName: s.keptName, Grant: Grant{waitOwner: s.Grant.waitOwner}}
}

// Approved reports whether a person has approved the call.
func (s Session) Approved() bool {
	return s.confirmed || s.kept.confirmed || s.Grant.approved != nil
}

// Waited reports whether the call waited for a person. Its caller may have lost
// access in the meantime.
func (s Session) Waited() bool { return s.waited }

// A round is one call during Confirm or StepUp.
type round struct {
	service      *Service
	call         *Subject
	session      Session
	askedOutside bool             // it asked a question outside the client
	superseded   string           // the id of the question that this call superseded; empty: none
	lacks        *contract.StepUp // the part of the demand that the caller's authentication does not meet, once it was compared
}

// askedWith returns the ending with a question for the client, which sends the
// state back in the next call.
func askedWith(q *people.Question, state string) *answer.Ending {
	return answer.Of(&exchange.Result{Question: q, State: state, Outcome: contract.Outcome{Status: contract.StatusAsked}})
}

func (r *round) anonymous() bool { return r.call.Principal.IsAnonymous() }
