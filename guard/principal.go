package guard

import (
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/callctx"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// A Principal is the party on whose behalf a call is made:
// [contract.Principal]. The zero value is anonymous.
type Principal = contract.Principal

// PrincipalFrom returns the principal of the call that ctx belongs to. Every
// function that gets a call's context can use it: handlers, previews, policies,
// approvers, limiters. The second result is false if the caller is anonymous,
// or outside a guarded call. The principal's Permissions are a copy.
func PrincipalFrom(ctx context.Context) (Principal, bool) {
	p := callctx.PrincipalFrom(ctx)
	if p == nil || p.IsAnonymous() {
		return Principal{}, false
	}
	return facts.CopyOf(*p), true
}

// A PrincipalSource finds the principal of a call, such as mcpgo.LocalUser or a
// [PrincipalFunc]. It must use only data that the transport verified and put
// into the context, never arguments or _meta, because any caller can write
// those. The zero Principal with a nil error is anonymous. After an error that
// wraps [ErrUnavailable] the call answers unavailable, after any other error
// unauthenticated. A panic, or no answer within 10 seconds, counts as
// unavailable. It is called for every call and every list, concurrently, and
// again after a call has waited for a person.
//
// A source that also has a method AnswersAtOnce promises that Principal, once
// it has succeeded, neither waits nor calls other people's code. From then on
// it is called without a goroutine of its own and without the time limit.
type PrincipalSource interface {
	Principal(ctx context.Context) (Principal, error)
}

// A PrincipalFunc is a function that serves as a [PrincipalSource].
type PrincipalFunc func(context.Context) (Principal, error)

// Principal calls f.
func (f PrincipalFunc) Principal(ctx context.Context) (Principal, error) { return f(ctx) }

// An immediateSource needs no time limit once it has succeeded.
type immediateSource interface{ AnswersAtOnce() }

// A localSource identifies local callers only.
type localSource interface{ OnlyLocal() }

// ErrUnavailable marks the error of a system that cannot be reached now. A
// [PrincipalSource] returns an error that wraps it if it cannot reach its data.
var ErrUnavailable = contain.ErrUnavailable

// An Action is what a principal wants to do. The policy of [WithAuthorizer]
// decides about it.
type Action struct {
	// Principal makes the call.
	Principal Principal
	// Contract is the tool's contract, resolved for these arguments. Do not
	// change it.
	Contract *contract.Document
	// Arguments is the canonical JSON of the valid arguments, with defaults.
	Arguments json.RawMessage
	// DryRun means that the principal wants only a preview. An error then
	// denies that preview.
	DryRun bool
}
