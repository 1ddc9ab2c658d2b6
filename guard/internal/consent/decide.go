package consent

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/store"
)

// A Permission reports whether a person may see and decide a question.
type Permission func(people.PendingQuestion) bool

// OpenQuestion returns the question that a token names, if may allows it. The
// errors are those of People.OpenQuestion.
func (svc *Service) OpenQuestion(ctx context.Context, token string, may Permission) (people.PendingQuestion, error) {
	_, q, err := svc.openQuestion(ctx, token, may)
	if err != nil {
		return people.PendingQuestion{}, err
	}
	return q.PendingQuestion, nil
}

// Decide records the answer to a question for People.Decide. typed is the word
// that the person typed. The ruling is in the audit log before it counts.
func (svc *Service) Decide(ctx context.Context, token string, approve bool, typed string, by contract.Principal,
	may Permission) error {
	key, q, err := svc.openQuestion(ctx, token, may)
	if err != nil {
		return err
	}
	if q.Decision != nil {
		return people.ErrDecided
	}
	if word := q.Question.Word; approve && word != "" && normalizeWord(typed) != word {
		return people.ErrWrongWord
	}
	e := q.rulingEvent(approve, by)
	if err := svc.Recorder.PutDurable(ctx, e); err != nil {
		return ledger.Unavailable("the audit log cannot be written", err)
	}
	ctx = context.WithoutCancel(ctx)
	remembered := declinedKeys(svc.scopeOf(q), aboutCall, q.Arguments)
	if !approve { // before the ruling, so that no declined call is forgotten
		if err = svc.countDeclined(ctx, remembered[0]); err != nil {
			err = ledger.Unavailable("it cannot be recorded", err)
		}
	}
	if err == nil {
		err = svc.recordRuling(ctx, key, q, people.Ruling{Approved: approve, By: facts.NameOf(by), At: time.Now()})
	}
	if !approve && errors.Is(err, people.ErrDecided) {
		if first, _ := svc.findRuling(ctx, key, q); first != nil && first.Approved {
			_ = svc.Ledger.Reset(ctx, remembered[0]) // this answer declined nothing
		}
	}
	if err != nil {
		e.Time = time.Now()
		e.Status = contract.StatusError.String()
		e.Error = err.Error()
		svc.Recorder.Put(ctx, e) // this answer does not count
		return err
	}
	// The ruling counts even if one of these operations fails.
	_ = svc.Ledger.Reset(ctx, svc.questionsOf(q.Principal)) // a person decides, so the wait for earlier questions no longer counts
	if approve {
		_ = svc.Ledger.Reset(ctx, remembered[0]) // a decline whose ruling was not recorded
	} else {
		_ = svc.countDeclined(ctx, remembered[1]) // after the ruling, so that each question counts once
	}
	return nil
}

func (svc *Service) openQuestion(ctx context.Context, token string, may Permission) (store.Key, *storedQuestion, error) {
	none := store.Key{}
	key, id, ok := svc.openToken(token)
	if !ok {
		return none, nil, people.ErrNoQuestion
	}
	q, err := svc.findQuestion(ctx, key)
	switch {
	case err != nil && !errors.Is(err, errQuestionBusy):
		return none, nil, ledger.Unavailable("the question cannot be read", err)
	case q == nil || q.ID != id:
		return none, nil, people.ErrNoQuestion
	case !may(q.PendingQuestion):
		return none, nil, people.ErrMayNotDecide
	}
	if q.Decision, err = svc.findRuling(ctx, key, q); err != nil {
		return none, nil, ledger.Unavailable("the decision cannot be read", err)
	}
	return key, q, nil
}

// recordRuling records the first ruling.
func (svc *Service) recordRuling(ctx context.Context, key store.Key, q *storedQuestion, r people.Ruling) error {
	err := svc.Ledger.Once(ctx, svc.rulingKey(q), q.ID, svc.sealRuling(key, q, r), svc.ttlBeyond(q.Expires))
	if errors.Is(err, ledger.ErrRecorded) {
		return people.ErrDecided
	}
	return err
}

// rulingEvent returns the audit event of a ruling. It is one of the call, with
// the person who decides as its principal.
func (q *storedQuestion) rulingEvent(approve bool, by contract.Principal) audit.Event {
	e := q.Event
	e.Time = time.Now()
	e.Kind = audit.Decided
	e.Stage = facts.StageDecide
	e.Issuer = by.Issuer
	e.Tenant = by.Tenant
	e.Principal = by.Subject
	e.Agent = !facts.IsPerson(by)
	e.Decision = audit.Deny
	if approve {
		e.Decision = audit.Allow
	}
	return e
}
