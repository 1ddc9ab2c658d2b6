package guard

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
)

// StepUpKey is the input key under which a client answers that a person may be
// sent to authenticate.
const StepUpKey = "step_up"

// A StepUpPage returns the address of the author's page on which a person
// authenticates again: absolute, http or https, with the request's ID in it. The
// page authenticates the person by the author's own means, and then calls
// [Guard.CompleteStepUp]. An error answers the call with unavailable; so do a
// panic and no answer within 10 seconds. It is called by many goroutines at once.
type StepUpPage func(ctx context.Context, r StepUpRequest) (address string, err error)

// A StepUpRequest asks a person to authenticate again, for one call.
type StepUpRequest struct {
	// ID names the request for [Guard.OpenStepUp] and [Guard.CompleteStepUp]: some
	// 900 letters, digits, points, hyphens and underscores. It works once, and only
	// for the principal. It is no secret: knowing it is no authentication.
	ID string
	// Demand is what the contract says.
	Demand contract.StepUp
	// Tool is the tool's name.
	Tool string
	// Principal is who has to authenticate: issuer, tenant and subject alone.
	Principal Principal
	// CallID is the call's in the audit log.
	CallID string
	// Expires is when the ID no longer works.
	Expires time.Time
	// Question says what the call would do, and with which arguments, as it would
	// to a person who confirms it; its Label asks for nothing here. Show all of it:
	// people authenticate for what they read. [Guard.OpenStepUp] alone sets it, and
	// not where the store has dropped it.
	Question *Question
}

var (
	// ErrNoStepUp is returned for an id that names no request of this guard's, or
	// one that has expired.
	ErrNoStepUp = errors.New("guard: there is no such step-up, or it has expired")
	// ErrStepUpForeign is returned where another principal than the call's has
	// authenticated.
	ErrStepUpForeign = errors.New("guard: the step-up is another principal's")
	// ErrStepUpUsed is returned for an id that was used before.
	ErrStepUpUsed = errors.New("guard: the step-up was completed before")
	// ErrStepUpTooWeak is returned for an authentication that is not what the
	// contract demands. The id can still be used.
	ErrStepUpTooWeak = errors.New("guard: the authentication is too old, or not of the class that is demanded")
)

// OpenStepUp returns what an id stands for, to by, whom the page has
// authenticated, so that the page can show it; Demand is without When. The error is [ErrNoStepUp], [ErrStepUpForeign], [ErrStepUpUsed], or one that
// wraps [ErrUnavailable].
func (g *Guard) OpenStepUp(ctx context.Context, id string, by Principal) (StepUpRequest, error) {
	claims, err := g.openStepUp(id, by)
	if err == nil {
		err = g.isUnused(ctx, claims, by)
	}
	var question *Question
	if err == nil {
		question, err = g.stepUpQuestion(ctx, claims.questionKey(g, by))
	}
	if err != nil {
		return StepUpRequest{}, err
	}
	return StepUpRequest{
		ID: id, Demand: *claims.demand(), Tool: claims.Tool, Principal: by.nameOnly(), CallID: claims.CallID,
		Expires: time.UnixMilli(claims.Expires), Question: question,
	}, nil
}

// CompleteStepUp says that by, whom the page has authenticated just now, has
// done so for the call that the id is of: on whichever replica, the call may then
// go on, once, for as long as the authentication is recent enough. That it does is
// the client's part, which may have given up. AuthTime and ACR of by are held to
// the contract's demand. It is in the audit log before it counts, under the call's
// id. The error is that of [Guard.OpenStepUp] or [ErrStepUpTooWeak].
func (g *Guard) CompleteStepUp(ctx context.Context, id string, by Principal) error {
	claims, err := g.openStepUp(id, by)
	if claims == nil {
		return err
	}
	if err == nil && lacking(claims.demand(), by.AuthTime, by.ACR) != nil {
		err = ErrStepUpTooWeak
	}
	if err == nil {
		err = g.isUnused(ctx, claims, by) // said early, the log has an intent of what can happen alone
	}
	if err != nil {
		return g.refuseStepUp(claims, by, err)
	}
	if err := g.recorder.PutDurable(claims.event(by)); err != nil {
		return unavailable("the audit log cannot be written", err)
	}
	key := claims.key(g, by)
	done := g.sealStepUp(boundStepUpDone, key, stepUpDone{At: by.AuthTime, ACR: by.ACR})
	err = g.recordOnce(context.WithoutCancel(ctx), key, claims.Nonce, done, g.outlasting(time.UnixMilli(claims.Expires)))
	if errors.Is(err, errRecorded) {
		err = ErrStepUpUsed
	}
	if err != nil {
		return g.refuseStepUp(claims, by, err)
	}
	return nil
}

// refuseStepUp puts on record that a step-up is as it was.
func (g *Guard) refuseStepUp(claims *stepUpClaims, by Principal, err error) error {
	e := claims.event(by)
	e.Kind, e.Decision, e.Status, e.Error = audit.Asked, audit.Deny, contract.StatusError.String(), err.Error()
	g.recorder.Put(e)
	return err
}

// openStepUp returns the claims also where they are another principal's.
func (g *Guard) openStepUp(id string, by Principal) (*stepUpClaims, error) {
	claims, ok := g.openStepUpID(id)
	switch {
	case !ok || !time.Now().Before(time.UnixMilli(claims.Expires)):
		return nil, ErrNoStepUp
	case by.IsAnonymous() || claims.scope(g, by).Key("principal").Partition.String() != claims.Principal:
		return claims, ErrStepUpForeign
	}
	return claims, nil
}

func (g *Guard) isUnused(ctx context.Context, claims *stepUpClaims, by Principal) error {
	done, err := g.steppedUp(ctx, claims.key(g, by))
	switch {
	case err != nil:
		return unavailable("it cannot be found out whether the step-up was completed", err)
	case done != nil:
		return ErrStepUpUsed
	}
	return nil
}
