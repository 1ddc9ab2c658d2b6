package native

import (
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// OwnError returns a handler's request to open a page in the form that reaches
// the caller, and any other error as it is. It is the only JSON-RPC error that
// an mcp-go handler can choose.
func OwnError(err error) error {
	required, ok := pageRequired(err)
	failed, _ := errors.AsType[*contract.Error](err)
	if !ok || failed != nil {
		return err
	}
	data, _ := json.Marshal(required) //nolint:errchkjson // if it cannot be encoded, there is no data
	return &adapter.RPCError{Code: mcp.URL_ELICITATION_REQUIRED, Message: required.Error(), Data: data}
}

// SDKError returns the error of a call in the form that mcp-go writes as the
// JSON-RPC error of its handler.
func SDKError(err error) error {
	own, ok := errors.AsType[*adapter.RPCError](err)
	if !ok {
		return err
	}
	var required mcp.URLElicitationRequiredError
	_ = json.Unmarshal(own.Data, &required) // OwnError wrote it
	return required
}

// ErrorDetails returns the JSON-RPC error for a call's error, as mcp-go chooses
// it: protocol version 2026-07-28 reserves the code that asks for a page.
func ErrorDetails(err error, modern bool) mcp.JSONRPCErrorDetails {
	if required, ok := pageRequired(err); ok && !modern {
		return required.JSONRPCError().Error
	}
	return mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: err.Error()}
}

func pageRequired(err error) (mcp.URLElicitationRequiredError, bool) {
	if required, ok := errors.AsType[mcp.URLElicitationRequiredError](err); ok {
		return required, true
	}
	required, _ := errors.AsType[*mcp.URLElicitationRequiredError](err)
	if required == nil {
		return mcp.URLElicitationRequiredError{}, false
	}
	return *required, true
}
