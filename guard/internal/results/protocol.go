package results

import (
	"errors"

	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// protocolError answers a call that its handler ended with a JSON-RPC error.
// Data that is not JSON, or is no longer JSON because a number was redacted, is
// left out. The text is for callers that bypass adapters.
func protocolError(v *facts.View, e *running.Ended) *exchange.Result {
	failed, _ := errors.AsType[*exchange.RPCError](e.Wrapped)
	message, removed := text.OfError(v.Redact(failed.Message))
	r := errorResult(v.Tool, facts.CodeProtocolError, message)
	r.RPC = &exchange.RPCError{Code: failed.Code, Message: message}
	clean := Sanitizer{}
	data := []byte(v.Redact(string(failed.Data)))
	if tree, err := strictjson.Parse(data, strictjson.Limits{}); err == nil && len(data) <= maxData {
		if clean, err := clean.Structured(nil, data, tree); err == nil {
			r.RPC.Data = clean
		}
	}
	r.Outcome.Sanitized = removed + clean.Removed
	return r
}

// maxData is the largest data member of a JSON-RPC error, in bytes.
const maxData = 64 << 10
