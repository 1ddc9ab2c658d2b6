package people

import (
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

// A StepUpRequest asks a person to authenticate again, for one call.
type StepUpRequest struct {
	// ID names the request for People.OpenStepUp and People.CompleteStepUp. It
	// has some 900 letters, digits, dots, hyphens and underscores. It works
	// once, and only for the principal. It is not secret, because it
	// authenticates nobody.
	ID string
	// Demand is what the contract demands.
	Demand contract.StepUp
	// Tool is the tool's name.
	Tool string
	// Principal is who must authenticate.
	Principal PrincipalName
	// CallID is the call's id in the audit log.
	CallID string
	// Expires is when the ID stops working.
	Expires time.Time
	// Question describes the call and its arguments, as for a person who
	// confirms it. Its Label has no meaning here. Show all of it, because
	// people authenticate for the action that they read. Only People.OpenStepUp
	// sets it; it is nil if the store has dropped it.
	Question *Question
}

// The errors of step-ups.
var (
	// ErrNoStepUp is returned for an id that names no request of this guard, or
	// an expired one.
	ErrNoStepUp = errors.New("guard: there is no such step-up, or it has expired")
	// ErrStepUpForeign is returned if somebody other than the call's principal
	// has authenticated.
	ErrStepUpForeign = errors.New("guard: the step-up belongs to another principal")
	// ErrStepUpUsed is returned for an id that has been used.
	ErrStepUpUsed = errors.New("guard: the step-up was answered before")
	// ErrStepUpTooWeak is returned for an authentication that does not meet the
	// contract's demand. The id can still be used.
	ErrStepUpTooWeak = errors.New("guard: the authentication is too old, or does not have the demanded class")
)
