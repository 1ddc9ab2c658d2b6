package guard

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/risk"
)

// An Approver takes the question about a call to a person by a way that does
// not lead through the caller's client: a page, a chat, a ticket. The person's
// answer comes back by [Guard.Decide]. Package approval has one. An Approver is
// safe for concurrent use.
type Approver interface {
	// Attach is called once, by [New], with the guard whose questions will come.
	// Its error is New's.
	Attach(g *Guard) error
	// Pending is told of a question that waits for an answer: when it is new, and
	// whenever the call is repeated meanwhile, on whichever replica that happens.
	// The token is the same each time. It returns the address at which the person
	// decides, for the caller to pass on: absolute, http or https, without
	// anything that lets its reader decide. An empty one is none. An error answers
	// the call with unavailable; so does no answer within 10 seconds.
	Pending(ctx context.Context, q PendingQuestion) (address string, err error)
}

// A PendingQuestion is a question that waits for a person outside the client.
type PendingQuestion struct {
	// Token names the question for [Guard.OpenQuestion] and [Guard.Decide]: some
	// 150 letters, digits, points, hyphens and underscores. It is no secret, for
	// deciding takes a principal who may, and says nothing to who has not the
	// guard's keys.
	Token string
	// Question is what to ask. Show all of it.
	Question Question
	// Tool is the tool's name, and Risk its level.
	Tool string
	Risk risk.Level
	// Principal is on whose behalf the call is made: issuer, tenant and subject
	// alone.
	Principal Principal
	// CallID is the call's in the audit log.
	CallID string
	// Issued is when the question was first asked. Expires is when an answer no
	// longer counts, [WithQuestionTTL] later.
	Issued, Expires time.Time
	// Decision is what was decided; nil: nothing yet.
	Decision *Decision
}

// A Decision is a person's answer to a [PendingQuestion].
type Decision struct {
	// Approved says yes, false says no.
	Approved bool
	// By is who decided: issuer, tenant and subject alone.
	By Principal
	// At is when.
	At time.Time
}

// A DeciderFunc says whether a person may see and decide a question: any error
// is a no, and its text stays here. It is called by many goroutines at once.
type DeciderFunc func(ctx context.Context, by Principal, q PendingQuestion) error

// FourEyes is a [DeciderFunc] that refuses who would decide about a call of
// their own: the same subject of the same tenant, whoever vouches for them, for
// a page may know people by another issuer than the calls do.
func FourEyes(_ context.Context, by Principal, q PendingQuestion) error {
	if by.Tenant == q.Principal.Tenant && by.Subject == q.Principal.Subject {
		return errOwnCall
	}
	return nil
}

var errOwnCall = errors.New("guard: nobody decides about a call of their own")

// nameOnly leaves out what a principal may do.
func (p Principal) nameOnly() Principal {
	return Principal{Issuer: p.Issuer, Tenant: p.Tenant, Subject: p.Subject}
}

// attach joins the guard and its approver.
func (g *Guard) attach() error {
	switch {
	case g.people.approver != nil:
		return g.people.approver.Attach(g)
	case !g.people.approverFrom.IsZero():
		return errors.New("guard: WithApproverFrom: there is no approver; add WithApprover")
	case g.people.deciders != nil:
		return errors.New("guard: WithDeciders: there is no approver; add WithApprover")
	}
	return nil
}
