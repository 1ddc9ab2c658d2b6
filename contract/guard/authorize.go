package guard

import (
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
)

// An Action is what a principal wants to do.
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

// An Authorizer decides whether a principal may call a tool, after permissions
// were checked. A nil error allows the call. Any other error denies it, and its
// text goes only to the audit log. An error that wraps [ErrUnavailable] answers
// unavailable instead. A panic, or no answer within 10 seconds, denies the
// call. It is called concurrently.
type Authorizer func(context.Context, Action) error
