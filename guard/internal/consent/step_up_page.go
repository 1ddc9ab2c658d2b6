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
)

// OpenStepUp returns the request of an id for People.OpenStepUp. Its Demand has
// no When.
func (svc *Service) OpenStepUp(ctx context.Context, id string, by contract.Principal) (people.StepUpRequest, error) {
	claims, err := svc.openStepUp(id, by)
	if err == nil {
		err = svc.isUnused(ctx, claims, by)
	}
	var question *people.Question
	if err == nil {
		question, err = svc.stepUpQuestion(ctx, claims.questionKey(svc, by))
	}
	if err != nil {
		return people.StepUpRequest{}, err
	}
	return people.StepUpRequest{
		ID: id, Demand: *claims.demand(), Tool: claims.Tool, Principal: facts.NameOf(by), CallID: claims.CallID,
		Expires: time.UnixMilli(claims.Expires), Question: question,
	}, nil
}

// A Disowned is a call whose principal has reported that they did not make it.
type Disowned struct{ Tool, CallID string }

// CompleteStepUp records for People.CompleteStepUp that a person has
// authenticated for a call. It is written to the audit log before it counts.
func (svc *Service) CompleteStepUp(ctx context.Context, id string, by contract.Principal) error {
	_, err := svc.answerStepUp(ctx, id, by, Authenticated{At: by.AuthTime, ACR: by.ACR})
	return err
}

// DeclineStepUp records for People.DeclineStepUp that the principal did not
// make a call. It is written to the audit log before it counts.
func (svc *Service) DeclineStepUp(ctx context.Context, id string, by contract.Principal) (Disowned, error) {
	claims, err := svc.answerStepUp(ctx, id, by, Authenticated{Disowned: true})
	if err != nil {
		return Disowned{}, err
	}
	return Disowned{claims.Tool, claims.CallID}, nil
}

// answerStepUp records the first answer to a request.
func (svc *Service) answerStepUp(ctx context.Context, id string, by contract.Principal, a Authenticated) (*stepUpClaims, error) {
	claims, err := svc.openStepUp(id, by)
	if claims == nil {
		return nil, err
	}
	if err == nil && !a.Disowned && unmetPart(claims.demand(), a) != nil {
		err = people.ErrStepUpTooWeak
	}
	if err == nil {
		err = svc.isUnused(ctx, claims, by) // before the event, so that the log has none of an impossible step-up
	}
	if err != nil {
		return claims, svc.refuseStepUp(ctx, claims, by, err)
	}
	e := claims.event(by)
	if a.Disowned {
		e.Decision = audit.Deny
	}
	if err := svc.Recorder.PutDurable(ctx, e); err != nil {
		return claims, ledger.Unavailable("the audit log cannot be written", err)
	}
	ctx = context.WithoutCancel(ctx)
	remembered := declinedKeys(claims.scope(svc, by), aboutStepUp, claims.Exact)
	if a.Disowned { // before the answer, so that no declined call is forgotten
		if err = svc.countDeclined(ctx, remembered[0]); err != nil {
			return claims, svc.refuseStepUp(ctx, claims, by, ledger.Unavailable("it cannot be recorded", err))
		}
	}
	key := claims.key(svc, by)
	sealed := svc.authentications.Seal(a, sealName(nameStepUpDone, key, ""))
	err = svc.Ledger.Once(ctx, key, claims.Nonce, sealed, svc.ttlBeyond(time.UnixMilli(claims.Expires)))
	if errors.Is(err, ledger.ErrRecorded) {
		err = people.ErrStepUpUsed
	}
	if err != nil {
		return claims, svc.refuseStepUp(ctx, claims, by, err)
	}
	if a.Disowned {
		_ = svc.countDeclined(ctx, remembered[1]) // after the answer, so that each request counts once
	}
	return claims, nil
}

// refuseStepUp writes to the audit log that an answer does not count.
func (svc *Service) refuseStepUp(ctx context.Context, claims *stepUpClaims, by contract.Principal, err error) error {
	e := claims.event(by)
	e.Decision = audit.Deny
	e.Status = contract.StatusError.String()
	e.Error = err.Error()
	svc.Recorder.Put(ctx, e)
	return err
}

// openStepUp also returns the claims of another principal's call, with an
// error.
func (svc *Service) openStepUp(id string, by contract.Principal) (*stepUpClaims, error) {
	claims, ok := svc.openStepUpID(id)
	switch {
	case !ok || !time.Now().Before(time.UnixMilli(claims.Expires)):
		return nil, people.ErrNoStepUp
	case by.IsAnonymous() || PrincipalDigest(claims.scope(svc, by)) != claims.Principal:
		return claims, people.ErrStepUpForeign
	}
	return claims, nil
}

func (svc *Service) isUnused(ctx context.Context, claims *stepUpClaims, by contract.Principal) error {
	auth, err := svc.findAuthentication(ctx, claims.key(svc, by))
	switch {
	case err != nil:
		return ledger.Unavailable("the step-up cannot be checked now", err)
	case auth != nil:
		return people.ErrStepUpUsed
	}
	return nil
}
