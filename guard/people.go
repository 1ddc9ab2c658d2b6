package guard

import (
	"context"
	"errors"

	"github.com/toolcontract/toolcontract/guard/people"
)

// An Approver asks a person about a call outside the caller's client, for
// example on a page, in a chat or by a ticket. It passes the person's answer to
// [People.Decide]. If the question has a [people.Question.Word], the approver
// lets the person type it and passes what was typed to [People.ApproveTyped].
// Package pages has an implementation. Implementations must be safe for
// concurrent use.
//
// With [PeopleOptions.Approver], a person is asked outside the client if the
// client cannot ask. With [PeopleOptions.ApproverFrom], the approver asks even
// if the client can. The approver authenticates the person who answers, and the
// client has no say in the answer. The call answers confirmation_pending with a
// delay and an address. Knowing the address decides nothing. The question is
// sealed in the store, so any replica with the same store and keys can show it,
// take the answer, and run the call.
//
// A client that can open addresses (elicitation in URL mode) sends its user to
// the page, once for each question, unless [PeopleOptions.Deciders] let other
// people decide. If the client accepts, the call waits for the decision and
// then goes on. It waits up to 20 seconds, or up to [Times.QuestionTimeout] if
// the client is older. Without a decision by then it answers
// confirmation_pending. Whatever the client answers, only the decision on the
// page counts.
//
// A question is about one call: its server, tool, contract, arguments and
// principal. If the call is repeated before the answer, no second question is
// asked, and the expiry stays the same. Agents, anonymous principals, and
// people of another tenant may not decide; [PeopleOptions.Deciders] narrow this
// further. The first answer counts, once it is in the audit log under the
// call's id. The claim of the call spends the approval, as it spends the answer
// to a form. Until the question expires, further retries get the same outcome.
// If there is no such outcome, for example after a retryable failure or with
// another idempotency key, a new question is asked. At most ten questions of
// one principal can be open, counted since a person last decided one.
type Approver interface {
	// Attach is called once, by [New], with the methods for the questions that
	// the guard will ask. New returns its error.
	Attach(p People) error
	// Pending is called with an open question: when it is new, and each time
	// the call is repeated before the answer, on any replica. The token is the
	// same each time. Pending returns the address at which the person decides:
	// an absolute http or https URL, or empty if there is none. The calling
	// agent reads the address and passes it on, so the address alone must not
	// allow a decision. If q.ClientSends is set, the client asks its user to
	// open the address, once. After an error, or without an answer within 10
	// seconds, the call answers unavailable.
	Pending(ctx context.Context, q people.PendingQuestion) (address string, err error)
}

// A Decider returns nil if a person may see and decide a question. The text of
// an error is discarded. It is called concurrently. A panic, or no answer
// within 10 seconds, counts as an error. See [PeopleOptions.Deciders].
type Decider func(ctx context.Context, by Principal, q people.PendingQuestion) error

// FourEyes is a [Decider] that does not let people decide about their own
// calls: the subject and tenant must not both be the same. Issuers are not
// compared, because people may sign in to a page with another issuer than the
// one behind their calls.
func FourEyes(_ context.Context, by Principal, q people.PendingQuestion) error {
	if by.Tenant == q.Principal.Tenant && by.Subject == q.Principal.Subject {
		return errOwnCall
	}
	return nil
}

var errOwnCall = errors.New("guard: no person may decide about a call of their own")

// A StepUpPage returns the address of the server author's page on which a
// person authenticates again: an absolute http or https URL that contains the
// request's ID. The page authenticates the person by its own means and then
// calls [People.CompleteStepUp] or [People.DeclineStepUp]. After an error or a
// panic, or without an answer within 10 seconds, the call answers unavailable.
// A StepUpPage is called concurrently.
type StepUpPage func(ctx context.Context, r people.StepUpRequest) (address string, err error)

// People has the methods of a [Guard] for whatever asks people: an [Approver]
// or a step-up page. [Guard.People] returns it; the zero value is not usable.
// It is safe for concurrent use.
type People struct{ guard *Guard }

// People returns the methods for the guard's questions and step-ups.
func (g *Guard) People() People { return People{g} }

// OpenQuestion returns the question that a token names; see
// [people.PendingQuestion]. The person whom the approver has authenticated is
// by. Every replica with the same store and keys can open the question. The
// error is [people.ErrNoQuestion], [people.ErrMayNotDecide], or wraps
// [ErrUnavailable].
func (p People) OpenQuestion(ctx context.Context, token string, by Principal) (people.PendingQuestion, error) {
	return p.guard.engine.OpenQuestion(ctx, token, by)
}

// Decide records the answer to a question. The person whom the approver has
// authenticated is by. The first answer on any replica counts. Once approved,
// the same call by the same principal may run once, until the question expires.
// A decline is remembered, as that of a form is. The answer and the person are
// written to the audit log, under the call's id, before the answer counts. The
// error is that of [People.OpenQuestion], [people.ErrDecided], or wraps
// [ErrUnavailable]. Approving a question that has a [people.Question.Word]
// returns [people.ErrWrongWord]; use [People.ApproveTyped].
func (p People) Decide(ctx context.Context, token string, approve bool, by Principal) error {
	return p.guard.engine.Decide(ctx, token, approve, "", by)
}

// ApproveTyped is [People.Decide] for an approval with the word that the person
// typed. Blanks around the word are ignored. If it is not the question's word,
// the error is [people.ErrWrongWord], and the person may try again. For a
// question without a word, typed is ignored.
func (p People) ApproveTyped(ctx context.Context, token, typed string, by Principal) error {
	return p.guard.engine.Decide(ctx, token, true, typed, by)
}

// OpenStepUp returns the request that an id names, for the page to show. The
// person whom the page has authenticated is by. The request's Demand has no
// When. The error is [people.ErrNoStepUp], [people.ErrStepUpForeign],
// [people.ErrStepUpUsed], or wraps [ErrUnavailable].
func (p People) OpenStepUp(ctx context.Context, id string, by Principal) (people.StepUpRequest, error) {
	return p.guard.engine.OpenStepUp(ctx, id, by)
}

// CompleteStepUp records that a person has authenticated for the call of an id.
// The person whom the page has just authenticated is by; its AuthTime and ACR
// must meet the contract's demand. The call may then go on, once, on any
// replica, as long as the authentication is recent enough. Resuming the call is
// up to the client, which may have given up. The step-up is written to the
// audit log, under the call's id, before it counts. The error is that of
// [People.OpenStepUp] or [people.ErrStepUpTooWeak].
func (p People) CompleteStepUp(ctx context.Context, id string, by Principal) error {
	return p.guard.engine.CompleteStepUp(ctx, id, by)
}

// DeclineStepUp records that the person by did not make the call of an id. The
// call is refused, and so is the same call for the time of
// [Times.DeclineMemory]. The person need not meet the contract's demand. The
// report is written to the audit log before it counts, and then to the logger
// of [WithLogger] as a warning, because somebody else may be using the person's
// credentials. The error is that of [People.OpenStepUp].
func (p People) DeclineStepUp(ctx context.Context, id string, by Principal) error {
	return p.guard.engine.DeclineStepUp(ctx, id, by)
}
