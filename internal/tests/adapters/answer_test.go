package adapters_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// A message is one message from the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *protocolError  `json:"error"`

	text string
}

// A protocolError is the error in a JSON-RPC response.
type protocolError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// The JSON-RPC codes the suite expects.
const (
	invalidParams = -32602
)

// An answer is the response to a request, with the methods rules need to check
// it.
type answer struct {
	t    *checkRun
	sent string
	message
	progress []message // progress notifications before the response
}

// A toolResult is the result of a tools/call.
type toolResult struct {
	Content           []item                     `json:"content"`
	StructuredContent json.RawMessage            `json:"structuredContent"`
	IsError           bool                       `json:"isError"`
	Meta              map[string]json.RawMessage `json:"_meta"`
	ResultType        string                     `json:"resultType"`
	InputRequests     map[string]inputRequest    `json:"inputRequests"`
	RequestState      string                     `json:"requestState"`
}

// An item is one content item.
type item map[string]json.RawMessage

// text returns the text of a member, or "" if it isn't a text.
func (i item) text(member string) string {
	var text string
	_ = json.Unmarshal(i[member], &text) // anything else has no text
	return text
}

// An inputRequest is a question in a result.
type inputRequest struct {
	Method string   `json:"method"`
	Params question `json:"params"`
}

// A question is the parameters of elicitation/create.
type question struct {
	Mode            string `json:"mode"`
	Message         string `json:"message"`
	URL             string `json:"url"`
	ElicitationID   string `json:"elicitationId"`
	RequestedSchema struct {
		Type       string                                `json:"type"`
		Properties map[string]map[string]json.RawMessage `json:"properties"`
		Required   []string                              `json:"required"`
	} `json:"requestedSchema"`
}

// broken ends the check with what was sent, what came back, and what was
// expected.
func (a answer) broken(format string, args ...any) {
	a.t.broken("sent %s; got %s; expected %s", cut(a.sent), cut(a.text), fmt.Sprintf(format, args...))
}

// expect ends the check unless a condition is met.
func (a answer) expect(ok bool, format string, args ...any) {
	if !ok {
		a.broken(format, args...)
	}
}

// maxReport is the number of bytes of a message that a violation shows.
const maxReport = 2000

func cut(text string) string {
	if len(text) <= maxReport {
		return text
	}
	return text[:maxReport] + "…"
}

// into decodes the result.
func (a answer) into(result any) {
	a.expect(a.Error == nil && len(a.Result) > 0, "a result")
	if err := json.Unmarshal(a.Result, result); err != nil {
		a.broken("a result of the protocol's form: %v", err)
	}
}

// result returns the result of a tools/call.
func (a answer) result() toolResult {
	var r toolResult
	a.into(&r)
	return r
}

// outcome returns the outcome of a tools/call.
func (a answer) outcome() contract.Outcome {
	raw, ok := a.result().Meta[contract.MetaKeyOutcome]
	a.expect(ok, "an outcome in _meta")
	var o contract.Outcome
	if err := json.Unmarshal(raw, &o); err != nil {
		a.broken("an outcome that can be read: %v", err)
	}
	return o
}

// ran expects the result of a call that the handler answered.
func (a answer) ran() toolResult {
	a.status(contract.StatusOK)
	return a.result()
}

// status expects the status of an outcome.
func (a answer) status(want contract.Status) contract.Outcome {
	o := a.outcome()
	a.expect(o.Status == want, "the status %q", want)
	return o
}

// refused expects a refusal with a code.
func (a answer) refused(code string) contract.Outcome {
	o := a.outcome()
	a.expect(o.Status == contract.StatusError && o.Code == code, "the status %q with the code %q", contract.StatusError, code)
	return o
}

// unknown expects the answer to a name that doesn't exist.
func (a answer) unknown() {
	a.expect(a.Error != nil && a.Error.Code == invalidParams, "the JSON-RPC error %d", invalidParams)
}

// without expects that the answer contains none of the texts.
func (a answer) without(texts ...string) {
	for _, text := range texts {
		a.expect(!strings.Contains(a.text, text), "an answer without %q", text)
	}
}

// as returns the answer with one name replaced by another, to compare bytes.
func (a answer) as(name, other string) string {
	return strings.ReplaceAll(string(a.anonymous()), name, other)
}

// anonymous returns the response without its id.
func (a answer) anonymous() []byte {
	raw, err := json.Marshal(struct {
		Result json.RawMessage `json:"result,omitempty"`
		Error  *protocolError  `json:"error,omitempty"`
	}{a.Result, a.Error})
	if err != nil {
		a.broken("a response that can be written again: %v", err)
	}
	return raw
}

// quote returns a text as JSON.
func quote(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		return `""` // a string can always be marshaled
	}
	return string(raw)
}

// equalJSON reports whether two JSON values are equal, with exact numbers.
func equalJSON(a, b json.RawMessage) bool {
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && equalValues(x, y)
}
