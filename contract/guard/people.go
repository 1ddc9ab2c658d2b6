package guard

import (
	"context"
	"errors"

	"github.com/toolcontract/toolcontract/contract/guard/consent"
)

// The names of package consent that server authors use.
type (
	// A Question is what a person is asked before a call: [consent.Question].
	Question = consent.Question
	// An Argument is one argument that a person is shown: [consent.Argument].
	Argument = consent.Argument
	// An Asker asks a person through the caller's client, within the call:
	// [consent.Asker].
	Asker = consent.Asker
	// A PendingQuestion is a question that waits for a person outside the
	// client: [consent.PendingQuestion].
	PendingQuestion = consent.PendingQuestion
	// A Ruling is a person's answer to a [PendingQuestion]: [consent.Ruling].
	Ruling = consent.Ruling
	// A StepUpRequest asks a person to authenticate again:
	// [consent.StepUpRequest].
	StepUpRequest = consent.StepUpRequest
)

const (
	// ConfirmKey is the input key of the question whether a call may happen,
	// and the name of the boolean property that answers it.
	ConfirmKey = consent.ConfirmKey
	// StepUpKey is the input key under which a client answers that a person may
	// be sent to authenticate.
	StepUpKey = consent.StepUpKey
)

// The errors of questions and of step-ups.
var (
	// ErrRejectedState is returned for a call that carries a state which no
	// question of this server gave out for this call: altered, cut, of another
	// principal, or for other arguments. It is one error, whatever the cause.
	ErrRejectedState = consent.ErrRejectedState
	// ErrNoQuestion is returned for a token that names no question of this
	// guard, or an expired one.
	ErrNoQuestion = consent.ErrNoQuestion
	// ErrDecided is returned for a question that has an answer: the first
	// counts.
	ErrDecided = consent.ErrDecided
	// ErrMayNotDecide is returned to a principal that may neither see nor
	// decide a question.
	ErrMayNotDecide = consent.ErrMayNotDecide
	// ErrNoStepUp is returned for an id that names no request of this guard, or
	// an expired one.
	ErrNoStepUp = consent.ErrNoStepUp
	// ErrStepUpForeign is returned if another principal than the call's has
	// authenticated.
	ErrStepUpForeign = consent.ErrStepUpForeign
	// ErrStepUpUsed is returned for an id that was used before.
	ErrStepUpUsed = consent.ErrStepUpUsed
	// ErrStepUpTooWeak is returned for an authentication that does not meet the
	// contract's demand. The id can still be used.
	ErrStepUpTooWeak = consent.ErrStepUpTooWeak
)

// An Approver asks a person about a call by a way that does not lead through
// the caller's client: a page, a chat, a ticket. The person's answer is given
// to [Guard.Decide]. Package approval has an Approver. Implementations must be
// safe for concurrent use.
type Approver interface {
	// Attach is called once, by [New], with the guard whose questions will be
	// pending. Its error is New's.
	Attach(g *Guard) error
	// Pending is called with a question that waits for an answer: when it is
	// new, and whenever the call is retried meanwhile, on whichever replica.
	// The token is the same each time. It returns the address at which the
	// person decides, for the caller to pass on: absolute, http or https,
	// without anything that lets its reader decide. An empty address is none.
	// An error, or no answer within 10 seconds, answers the call with
	// unavailable.
	Pending(ctx context.Context, q PendingQuestion) (address string, err error)
}

// A DeciderFunc decides whether a person may see and decide a question. Any
// error means that the person may not; its text is discarded. It is called
// concurrently.
type DeciderFunc func(ctx context.Context, by Principal, q PendingQuestion) error

// FourEyes is a [DeciderFunc] that refuses people who would decide about a call
// of their own: the same subject of the same tenant. Issuers are not compared,
// because a page may know people by another issuer than the calls do.
func FourEyes(_ context.Context, by Principal, q PendingQuestion) error {
	if by.Tenant == q.Principal.Tenant && by.Subject == q.Principal.Subject {
		return errOwnCall
	}
	return nil
}

var errOwnCall = errors.New("guard: no person may decide about a call of their own")

// A StepUpPage returns the address of the server author's page on which a
// person authenticates again: absolute, http or https, with the request's ID in
// it. The page authenticates the person by its own means and then calls
// [Guard.CompleteStepUp]. An error, a panic, or no answer within 10 seconds,
// answers the call with unavailable. It is called concurrently.
type StepUpPage func(ctx context.Context, r StepUpRequest) (address string, err error)

// newDesk returns the desk that asks people for the guard.
func (g *Guard) newDesk() *consent.Desk {
	c := consent.Config{
		Ledger: g.ledger, Recorder: g.recorder, ApproverFrom: g.people.approverFrom,
		QuestionTimeout: g.people.questionTimeout, QuestionTTL: g.people.questionTTL, DeclineMemory: g.people.declineMemory,
		GaveUp: g.gaveUp, NoteError: noteAuthor,
	}
	if approver := g.people.approver; approver != nil {
		c.Pending = func(ctx context.Context, q PendingQuestion) (string, error) {
			return contained(ctx, g, func(ctx context.Context) (string, error) { return approver.Pending(ctx, q) })
		}
	}
	if page := g.people.stepUpPage; page != nil {
		c.Page = func(ctx context.Context, r StepUpRequest) (string, error) {
			return contained(ctx, g, func(ctx context.Context) (string, error) { return page(ctx, r) })
		}
	}
	return consent.NewDesk(c)
}

// attach joins the guard and its approver.
func (g *Guard) attach() error {
	switch p := g.people; {
	case p.approver != nil:
		return p.approver.Attach(g)
	case !p.approverFrom.IsZero():
		return errors.New("guard: WithApproverFrom: there is no approver; add WithApprover")
	case p.deciders != nil:
		return errors.New("guard: WithDeciders: there is no approver; add WithApprover")
	}
	return nil
}

// OpenQuestion returns the question that a token of a [PendingQuestion] stands
// for, to by, whom the approver has authenticated. Every replica with the same
// store and keys can open it. The error is [ErrNoQuestion], [ErrMayNotDecide],
// or wraps [ErrUnavailable].
func (g *Guard) OpenQuestion(ctx context.Context, token string, by Principal) (PendingQuestion, error) {
	return g.desk.OpenQuestion(ctx, token, g.mayDecide(ctx, by))
}

// Decide answers a question for by, the person whom the approver has
// authenticated. The first answer counts, on whichever replica. An approved
// call may run once, as the same call of the same principal, until the question
// expires. A declined call is remembered, as a declined form is. The answer is
// in the audit log before it counts, under the call's id, with the person. The
// error is that of [Guard.OpenQuestion], [ErrDecided], or wraps
// [ErrUnavailable].
func (g *Guard) Decide(ctx context.Context, token string, approve bool, by Principal) error {
	return g.desk.Decide(ctx, token, approve, by.forConsent(), g.mayDecide(ctx, by))
}

// mayDecide returns the function that decides whether a principal may see and
// decide a question.
func (g *Guard) mayDecide(ctx context.Context, by Principal) func(PendingQuestion) bool {
	return func(q PendingQuestion) bool {
		if !by.isPerson() || by.Tenant != q.Principal.Tenant {
			return false
		}
		if g.people.deciders == nil {
			return true
		}
		_, err := contained(ctx, g, func(ctx context.Context) (struct{}, error) { return struct{}{}, g.people.deciders(ctx, by, q) })
		return err == nil
	}
}

// OpenStepUp returns the request that an id stands for, to by, whom the page
// has authenticated, so that the page can show it. Its Demand has no When. The
// error is [ErrNoStepUp], [ErrStepUpForeign], [ErrStepUpUsed], or wraps
// [ErrUnavailable].
func (g *Guard) OpenStepUp(ctx context.Context, id string, by Principal) (StepUpRequest, error) {
	return g.desk.OpenStepUp(ctx, id, by.name())
}

// CompleteStepUp records that by, whom the page has authenticated just now, has
// done so for the call of an id. On whichever replica, the call may then go on,
// once, as long as the authentication is recent enough. Resuming the call is up
// to the client, which may have given up. AuthTime and ACR of by have to meet
// the contract's demand. The record is in the audit log before it counts, under
// the call's id. The error is that of [Guard.OpenStepUp] or [ErrStepUpTooWeak].
func (g *Guard) CompleteStepUp(ctx context.Context, id string, by Principal) error {
	return g.desk.CompleteStepUp(ctx, id, by.forConsent())
}
