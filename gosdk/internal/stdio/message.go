package stdio

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// methodListen is a request that stays open as long as the session.
const methodListen = "subscriptions/listen"

// methodCancelled cancels a running request.
const methodCancelled = "notifications/cancelled"

// The errors for lines that never reach the SDK. They repeat no part of the
// line.
var (
	errNotJSON   = &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not a JSON object"}
	errLongLine  = &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is too long"}
	errEnvelope  = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the line is not a JSON-RPC 2.0 message"}
	errID        = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the id is not a string or an integer of at most 2^53"}
	errIDInUse   = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the id belongs to a request that is running"}
	errNotServed = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server is shutting down"}
)

// decode decodes a line as the SDK does, but first refuses what the SDK would
// misread: it rounds ids that are not integers, and takes a request with a null
// id for a notification, which gets no answer.
func decode(line []byte) (jsonrpc.Message, *jsonrpc.Error) {
	var envelope struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
	}
	if trimmed := bytes.TrimSpace(line); len(trimmed) == 0 || trimmed[0] != '{' || !json.Valid(trimmed) {
		return nil, errNotJSON
	}
	if err := json.Unmarshal(line, &envelope); err != nil {
		return nil, errEnvelope
	}
	if envelope.ID != nil && !isID(envelope.ID) {
		return nil, errID
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, errEnvelope
	}
	return message, nil
}

// isID reports whether the protocol allows an id and the SDK writes it back as
// it was sent.
func isID(raw json.RawMessage) bool {
	var text string
	if json.Unmarshal(raw, &text) == nil && raw[0] == '"' {
		return true
	}
	const most = 1 << 53
	var number int64
	return raw[0] != 'n' && json.Unmarshal(raw, &number) == nil && number >= -most && number <= most
}

// cancels returns the id of the request that a message cancels.
func cancels(m jsonrpc.Message) (jsonrpc.ID, bool) {
	req, ok := m.(*jsonrpc.Request)
	if !ok || req.Method != methodCancelled {
		return jsonrpc.ID{}, false
	}
	var params struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(req.Params, &params) != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	return id, err == nil && id.IsValid()
}

// refusal returns the error response to a request, or to a line whose id is
// unknown.
func refusal(id jsonrpc.ID, why *jsonrpc.Error) ([]byte, error) {
	if !id.IsValid() {
		// The SDK would omit a null id, which JSON-RPC 2.0 §5 does not allow.
		return json.Marshal(struct {
			Version string         `json:"jsonrpc"`
			ID      *int           `json:"id"`
			Error   *jsonrpc.Error `json:"error"`
		}{"2.0", nil, why})
	}
	return jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Error: why})
}
