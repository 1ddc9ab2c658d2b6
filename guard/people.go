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
// With [PeopleOptions.Approver] a person is asked outside the client, for
// example on the page of package pages, if the client cannot ask. With
// [PeopleOptions.ApproverFrom] the approver asks even if the client can. The
// approver authenticates the person who answers, and the client has no part in
// the answer. The call answers confirmation_pending with a delay and an
// address. The address alone decides nothing. The question is sealed in the
// store, so that any replica with the same store and keys can show it, take the
// answer, and run the call.
//
// A client that can open addresses (elicitation in URL mode) sends its user to
// the page, once for each question, unless [PeopleOptions.Deciders] let other
// people decide. If the client accepts, the call waits for the decision and
// then goes on. It waits for 20 seconds, or for [Times.QuestionTimeout] if the
// client is older. Without a decision it answers confirmation_pending. Whatever
// the client answers, only the decision on the page counts.
//
// A question is about one call: server, tool, contract, arguments and
// principal. If the call is repeated before the answer, no second question is
// asked, and the expiry does not change. Agents, anonymous principals, and
// people of another tenant may not decide; [PeopleOptions.Deciders] narrow this
// further. The first answer counts. It is written to the audit log first, under
// the call's id. The claim of the call spends the approval, as it spends the
// answer to a form. Until the question expires, further repetitions get the
// same outcome. If there is no such outcome, for example after a retryable
// failure or with another idempotency key, a new question is asked. At most ten
// questions of one principal can wait, counted since a person last decided one.
type Approver interface {
	// Attach is called once, by [New], with the face of the guard that will ask
	// the questions. New returns its error.
	Attach(p People) error
	// Pending is called with a question that waits for an answer: when it is
	// new, and each time the call is repeated before the answer, on any
	// replica. The token is the same each time. Pending returns the address at
	// which the person decides, absolute, http or https. The caller reads it
	// and passes it on, so the address alone must not allow a decision. An
	// empty address means that there is none. If q.ClientSends is set, the
	// client asks its user to open the address, once. An error, or no answer
	// within 10 seconds, answers the call with unavailable.
	Pending(ctx context.Context, q people.PendingQuestion) (address string, err error)
}

// A Decider returns no error if a person may see and decide a question. The
// text of an error is discarded. It is called concurrently. A panic, or no
// answer within 10 seconds, counts as an error. It is one of
// [PeopleOptions.Deciders].
type Decider func(ctx context.Context, by Principal, q people.PendingQuestion) error

// FourEyes is a [Decider]. It refuses people who would decide about their own
// call: the same subject of the same tenant. Issuers are not compared, because
// the issuer of a page's sign-in may differ from the issuer of the calls.
func FourEyes(_ context.Context, by Principal, q people.PendingQuestion) error {
	if by.Tenant == q.Principal.Tenant && by.Subject == q.Principal.Subject {
		return errOwnCall
	}
	return nil
}

var errOwnCall = errors.New("guard: no person may decide about a call of their own")

// A StepUpPage returns the address of the server author's page on which a
// person authenticates again: absolute, http or https, with the request's ID in
// it. The page authenticates the person by its own means and then calls
// [People.CompleteStepUp] or [People.DeclineStepUp]. An error, a panic, or no
// answer within 10 seconds, answers the call with unavailable. It is called
// concurrently.
type StepUpPage func(ctx context.Context, r people.StepUpRequest) (address string, err error)

// People has the methods of a [Guard] for the parties that ask people: an
// [Approver] and a step-up page. [Guard.People] returns it. The zero value
// cannot be used. It is safe for concurrent use.
type People struct{ guard *Guard }

// People returns the methods for the guard's questions and step-ups.
func (g *Guard) People() People { return People{g} }

// OpenQuestion returns the question of a token; see [people.PendingQuestion].
// by is the person whom the approver has authenticated. Every replica with the
// same store and keys can open the question. The error is
// [people.ErrNoQuestion], [people.ErrMayNotDecide], or wraps [ErrUnavailable].
func (p People) OpenQuestion(ctx context.Context, token string, by Principal) (people.PendingQuestion, error) {
	return p.guard.engine.OpenQuestion(ctx, token, by)
}

// Decide records the answer of by, the person whom the approver has
// authenticated, to a question. The first answer on any replica counts. An
// approved call may run once, until the question expires, if the same principal
// repeats the same call. A declined call is remembered, as a declined form is.
// The answer and the person are written to the audit log, under the call's id,
// before the answer counts. The error is that of [People.OpenQuestion],
// [people.ErrDecided], or wraps [ErrUnavailable]. Approving a question that has
// a [people.Question.Word] is [people.ErrWrongWord]; see [People.ApproveTyped].
func (p People) Decide(ctx context.Context, token string, approve bool, by Principal) error {
	return p.guard.engine.Decide(ctx, token, approve, "", by)
}

// ApproveTyped is [People.Decide] for an approval with the word that the person
// typed. If it is not the question's word, apart from blanks around it, the
// error is [people.ErrWrongWord], and the person may try again. A question
// without a word ignores it.
func (p People) ApproveTyped(ctx context.Context, token, typed string, by Principal) error {
	return p.guard.engine.Decide(ctx, token, true, typed, by)
}

// OpenStepUp returns the request of an id, for the page to show. by is the
// person whom the page has authenticated. The request's Demand has no When. The
// error is [people.ErrNoStepUp], [people.ErrStepUpForeign],
// [people.ErrStepUpUsed], or wraps [ErrUnavailable].
func (p People) OpenStepUp(ctx context.Context, id string, by Principal) (people.StepUpRequest, error) {
	return p.guard.engine.OpenStepUp(ctx, id, by)
}

// CompleteStepUp records that by has authenticated for the call of an id. by is
// the person whom the page has just authenticated; its AuthTime and ACR must
// meet the contract's demand. The call may then go on, once, on any replica, as
// long as the authentication is recent enough. Resuming the call is up to the
// client, which may have given up. The record is written to the audit log,
// under the call's id, before it counts. The error is that of
// [People.OpenStepUp] or [people.ErrStepUpTooWeak].
func (p People) CompleteStepUp(ctx context.Context, id string, by Principal) error {
	return p.guard.engine.CompleteStepUp(ctx, id, by)
}

// DeclineStepUp records that by reports that the call of an id is not theirs.
// The call is refused, and so is an equal call for the time of
// [Times.DeclineMemory]. by need not meet the contract's demand. It is written
// to the audit log before it counts, and then to the logger of [WithLogger] as
// a warning, because another party may use the person's credentials. The error
// is that of [People.OpenStepUp].
func (p People) DeclineStepUp(ctx context.Context, id string, by Principal) error {
	return p.guard.engine.DeclineStepUp(ctx, id, by)
}
