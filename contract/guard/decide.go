package guard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/store"
)

var (
	// ErrNoQuestion is returned for a token that names no question of this
	// guard's, or one that has expired.
	ErrNoQuestion = errors.New("guard: there is no such question, or it has expired")
	// ErrDecided is returned for a question that has an answer: the first counts.
	ErrDecided = errors.New("guard: the question has been decided")
	// ErrMayNotDecide is returned for who may neither see nor decide a question.
	ErrMayNotDecide = errors.New("guard: the principal may not decide about this call")
)

// OpenQuestion returns what a token of a [PendingQuestion] stands for, to by,
// whom the approver has authenticated: any replica with the same store and keys
// does. The error is [ErrNoQuestion], [ErrMayNotDecide], or one that wraps
// [ErrUnavailable].
func (g *Guard) OpenQuestion(ctx context.Context, token string, by Principal) (PendingQuestion, error) {
	_, q, err := g.openQuestion(ctx, token, by)
	if err != nil {
		return PendingQuestion{}, err
	}
	return q.PendingQuestion, nil
}

// Decide answers a question: by is the person, whom the approver has
// authenticated. The first answer counts, on whichever replica. A yes lets the
// same call of the same principal run once, until the question expires; a no is
// remembered, as one to a form is. It is in the audit log before it counts,
// under the call's id, with who decided. The error is that of
// [Guard.OpenQuestion], [ErrDecided], or one that wraps [ErrUnavailable].
func (g *Guard) Decide(ctx context.Context, token string, approve bool, by Principal) error {
	key, q, err := g.openQuestion(ctx, token, by)
	if err != nil {
		return err
	}
	if q.Decision != nil {
		return ErrDecided
	}
	e := q.decisionEvent(approve, by)
	if err := g.recorder.PutDurable(e); err != nil {
		return unavailable("the audit log cannot be written", err)
	}
	ctx = context.WithoutCancel(ctx)
	if err := g.recordDecision(ctx, key, q, Decision{Approved: approve, By: by.nameOnly(), At: time.Now()}); err != nil {
		e.Time, e.Kind, e.Status, e.Error = time.Now(), audit.Asked, contract.StatusError.String(), err.Error()
		g.recorder.Put(e) // the question is as it was
		return err
	}
	g.decided(ctx, q, approve)
	return nil
}

func (g *Guard) openQuestion(ctx context.Context, token string, by Principal) (store.Key, *storedQuestion, error) {
	none := store.Key{}
	key, id, ok := g.openToken(token)
	if !ok {
		return none, nil, ErrNoQuestion
	}
	q, err := g.findQuestion(ctx, key)
	switch {
	case err != nil && !errors.Is(err, errQuestionBusy):
		return none, nil, unavailable("the question cannot be read", err)
	case q == nil || q.ID != id:
		return none, nil, ErrNoQuestion
	case !g.mayDecide(ctx, by, q.PendingQuestion):
		return none, nil, ErrMayNotDecide
	}
	if q.Decision, err = g.findDecision(ctx, key, q); err != nil {
		return none, nil, unavailable("what was decided cannot be read", err)
	}
	return key, q, nil
}

func (g *Guard) mayDecide(ctx context.Context, by Principal, q PendingQuestion) bool {
	if !by.isPerson() || by.Tenant != q.Principal.Tenant {
		return false
	}
	if g.people.deciders == nil {
		return true
	}
	_, err := contained(ctx, g, func(ctx context.Context) (struct{}, error) { return struct{}{}, g.people.deciders(ctx, by, q) })
	return err == nil
}

// recordDecision puts the first answer on record.
func (g *Guard) recordDecision(ctx context.Context, key store.Key, q *storedQuestion, d Decision) error {
	err := g.recordOnce(ctx, g.decisionKey(q), q.ID, g.sealDecision(key, q, d), g.outlasting(q.Expires))
	if errors.Is(err, errRecorded) {
		return ErrDecided
	}
	return err
}

// decided remembers a no, and that a person is there who decides. Neither is
// what keeps a call from running.
func (g *Guard) decided(ctx context.Context, q *storedQuestion, approved bool) {
	l, scope := g.ledger, q.scope(g.ledger.namespace)
	_ = l.tell(ctx, func(ctx context.Context) error { return l.store.Reset(ctx, g.questionsOf(q.Principal)) })
	if approved {
		return
	}
	for _, key := range declinedKeys(scope, aboutCall, q.Arguments) {
		_ = l.tell(ctx, func(ctx context.Context) error {
			_, err := l.store.Add(ctx, key, kindDeclined, declineMemory)
			return err
		})
	}
}

// decisionEvent is the call's, with who decides.
func (q *storedQuestion) decisionEvent(approve bool, by Principal) audit.Event {
	e := q.Event
	e.Time, e.Kind, e.Stage = time.Now(), audit.Intent, stageDecide
	e.Issuer, e.Tenant, e.Principal, e.Agent = by.Issuer, by.Tenant, by.Subject, !by.isPerson()
	e.Decision = audit.Deny
	if approve {
		e.Decision = audit.Allow
	}
	return e
}

func unavailable(what string, cause error) error {
	if cause == nil {
		return fmt.Errorf("%w: %s", ErrUnavailable, what)
	}
	return fmt.Errorf("%w: %s: %w", ErrUnavailable, what, cause)
}
