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

// OpenQuestion returns the question of a token, if may allows it. The errors
// are those of People.OpenQuestion.
func (d *Desk) OpenQuestion(ctx context.Context, token string, may func(people.PendingQuestion) bool) (people.PendingQuestion,
	error) {
	_, q, err := d.openQuestion(ctx, token, may)
	if err != nil {
		return people.PendingQuestion{}, err
	}
	return q.PendingQuestion, nil
}

// Decide records the answer to a question for People.Decide. typed is the word
// that the person typed. The ruling is in the audit log before it counts.
func (d *Desk) Decide(ctx context.Context, token string, approve bool, typed string, by contract.Principal,
	may func(people.PendingQuestion) bool) error {
	key, q, err := d.openQuestion(ctx, token, may)
	if err != nil {
		return err
	}
	if q.Decision != nil {
		return people.ErrDecided
	}
	if word := q.Question.Word; approve && word != "" && typedWord(typed) != word {
		return people.ErrWrongWord
	}
	e := q.rulingEvent(approve, by)
	if err := d.Recorder.PutDurable(ctx, e); err != nil {
		return ledger.Unavailable("the audit log cannot be written", err)
	}
	ctx = context.WithoutCancel(ctx)
	remembered := declinedKeys(d.scopeOf(q), aboutCall, q.Arguments)
	if !approve { // before the ruling, so that no declined call is forgotten
		if err = d.countDeclined(ctx, remembered[0]); err != nil {
			err = ledger.Unavailable("it cannot be recorded", err)
		}
	}
	if err == nil {
		err = d.recordRuling(ctx, key, q, people.Ruling{Approved: approve, By: facts.NameOf(by), At: time.Now()})
	}
	if !approve && errors.Is(err, people.ErrDecided) {
		if first, _ := d.findRuling(ctx, key, q); first != nil && first.Approved {
			_ = d.Ledger.Reset(ctx, remembered[0]) // this answer declined nothing
		}
	}
	if err != nil {
		e.Time = time.Now()
		e.Status = contract.StatusError.String()
		e.Error = err.Error()
		d.Recorder.Put(ctx, e) // this answer does not count
		return err
	}
	// The ruling counts even if one of these operations fails.
	_ = d.Ledger.Reset(ctx, d.questionsOf(q.Principal)) // a person decides, so the wait for earlier questions no longer counts
	if approve {
		_ = d.Ledger.Reset(ctx, remembered[0]) // a decline whose ruling was not recorded
	} else {
		_ = d.countDeclined(ctx, remembered[1]) // after the ruling, so that each question counts once
	}
	return nil
}

func (d *Desk) openQuestion(ctx context.Context, token string, may func(people.PendingQuestion) bool) (store.Key, *storedQuestion,
	error) {
	none := store.Key{}
	key, id, ok := d.openToken(token)
	if !ok {
		return none, nil, people.ErrNoQuestion
	}
	q, err := d.findQuestion(ctx, key)
	switch {
	case err != nil && !errors.Is(err, errQuestionBusy):
		return none, nil, ledger.Unavailable("the question cannot be read", err)
	case q == nil || q.ID != id:
		return none, nil, people.ErrNoQuestion
	case !may(q.PendingQuestion):
		return none, nil, people.ErrMayNotDecide
	}
	if q.Decision, err = d.findRuling(ctx, key, q); err != nil {
		return none, nil, ledger.Unavailable("the decision cannot be read", err)
	}
	return key, q, nil
}

// recordRuling records the first ruling.
func (d *Desk) recordRuling(ctx context.Context, key store.Key, q *storedQuestion, r people.Ruling) error {
	err := d.Ledger.Once(ctx, d.rulingKey(q), q.ID, d.sealRuling(key, q, r), d.outlasting(q.Expires))
	if errors.Is(err, ledger.ErrRecorded) {
		return people.ErrDecided
	}
	return err
}

// rulingEvent returns an event of the call, with the person who decides as its
// principal.
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
