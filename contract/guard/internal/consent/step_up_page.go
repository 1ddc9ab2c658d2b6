package consent

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/guard/people"
)

// OpenStepUp returns the request of an id for People.OpenStepUp. Its Demand has
// no When.
func (d *Desk) OpenStepUp(ctx context.Context, id string, by contract.Principal) (people.StepUpRequest, error) {
	claims, err := d.openStepUp(id, by)
	if err == nil {
		err = d.isUnused(ctx, claims, by)
	}
	var question *people.Question
	if err == nil {
		question, err = d.stepUpQuestion(ctx, claims.questionKey(d, by))
	}
	if err != nil {
		return people.StepUpRequest{}, err
	}
	return people.StepUpRequest{
		ID: id, Demand: *claims.demand(), Tool: claims.Tool, Principal: facts.NameOf(by), CallID: claims.CallID,
		Expires: time.UnixMilli(claims.Expires), Question: question,
	}, nil
}

// CompleteStepUp records for People.CompleteStepUp that a person has
// authenticated for a call. It is in the audit log before it counts.
func (d *Desk) CompleteStepUp(ctx context.Context, id string, by contract.Principal) error {
	claims, err := d.openStepUp(id, by)
	if claims == nil {
		return err
	}
	if err == nil && lacking(claims.demand(), Authenticated{At: by.AuthTime, ACR: by.ACR}) != nil {
		err = people.ErrStepUpTooWeak
	}
	if err == nil {
		err = d.isUnused(ctx, claims, by) // so that the log has no approvals of impossible step-ups
	}
	if err != nil {
		return d.refuseStepUp(ctx, claims, by, err)
	}
	if err := d.Recorder.PutDurable(ctx, claims.event(by)); err != nil {
		return ledger.Unavailable("the audit log cannot be written", err)
	}
	key := claims.key(d, by)
	done := d.done.Seal(Authenticated{At: by.AuthTime, ACR: by.ACR}, sealName(nameStepUpDone, key, ""))
	err = d.Ledger.Once(context.WithoutCancel(ctx), key, claims.Nonce, done, d.outlasting(time.UnixMilli(claims.Expires)))
	if errors.Is(err, ledger.ErrRecorded) {
		err = people.ErrStepUpUsed
	}
	if err != nil {
		return d.refuseStepUp(ctx, claims, by, err)
	}
	return nil
}

// refuseStepUp writes to the audit log that a step-up was not completed.
func (d *Desk) refuseStepUp(ctx context.Context, claims *stepUpClaims, by contract.Principal, err error) error {
	e := claims.event(by)
	e.Decision = audit.Deny
	e.Status = contract.StatusError.String()
	e.Error = err.Error()
	d.Recorder.Put(ctx, e)
	return err
}

// openStepUp also returns the claims of another principal's call, with an
// error.
func (d *Desk) openStepUp(id string, by contract.Principal) (*stepUpClaims, error) {
	claims, ok := d.openStepUpID(id)
	switch {
	case !ok || !time.Now().Before(time.UnixMilli(claims.Expires)):
		return nil, people.ErrNoStepUp
	case by.IsAnonymous() || PrincipalDigest(claims.scope(d, by)) != claims.Principal:
		return claims, people.ErrStepUpForeign
	}
	return claims, nil
}

func (d *Desk) isUnused(ctx context.Context, claims *stepUpClaims, by contract.Principal) error {
	done, err := d.steppedUp(ctx, claims.key(d, by))
	switch {
	case err != nil:
		return ledger.Unavailable("the step-up cannot be checked now", err)
	case done != nil:
		return people.ErrStepUpUsed
	}
	return nil
}
