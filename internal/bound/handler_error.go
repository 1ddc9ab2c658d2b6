package bound

import "encoding/json"

// An ErrorKind is the kind of a [HandlerError].
type ErrorKind int

// The kinds of errors that an adapter returns for a handler of another form.
const (
	// Refused means that the contract has no answer for the handler's result,
	// or the handler cannot take the arguments.
	Refused ErrorKind = iota
	// Reported means that the handler returned a result that reports a failure.
	Reported
	// InputRequired means that the handler needs input from the client before
	// it can go on. Nothing has happened yet.
	InputRequired
	// Protocol means that the handler ended its call with a JSON-RPC error, which
	// is Err.
	Protocol
)

// A HandlerError is the error that an adapter returns for a handler of another
// form, if the handler returned neither a result nor an error of its own.
type HandlerError struct {
	Kind ErrorKind
	// Err is why the call was refused, for the audit log only, or the error
	// that a reported result stands for.
	Err error

	// Code is the code that answers a refused call, one of the guard's own.
	// Undeclared errors have another answer.
	Code string

	// Content has the items of a reported result, as []contract.Content. The
	// guard returns the text of Err instead of their texts.
	Content any
	// Structured is the structured content of a reported result. Nil: none.
	Structured []byte
	// Own means that no declared failure stands for a reported result: Err has its
	// texts.
	Own bool
	// Unread is why a part of a reported result could not be read. Nil: all
	// parts were read.
	Unread error

	// Requests are what a handler needs from the client: requests by key, as a
	// JSON object. State is what the handler gets back with the responses.
	Requests json.RawMessage
	State    string

	// Question is what a typed handler asks, instead of Requests. The response
	// has the key [QuestionKey].
	Question *Question
	// Unasked means that a typed handler got no answer to its question, for the
	// reason Err, a [contract.Error] with Code. Nothing has happened yet.
	Unasked bool
}

// QuestionKey is the key of the request of a [Question].
const QuestionKey = "ask"

// A Question is what a typed handler asks its client: a person, who fills in a
// form, or a model.
type Question struct {
	// Text is the question, or the prompt for the model.
	Text string `json:"text"`
	// Form is the JSON Schema of the form, or null for a model.
	Form json.RawMessage `json:"form"`
	// MaxTokens bounds the text of the model. Zero for a person.
	MaxTokens int `json:"maxTokens"`
}

// Request returns the question as a JSON object of one request.
func (q *Question) Request() (json.RawMessage, error) {
	method := "elicitation/create"
	params := map[string]any{"mode": "form", "message": q.Text, "requestedSchema": q.Form}
	if q.MaxTokens > 0 {
		method = "sampling/createMessage"
		content := map[string]string{"type": "text", "text": q.Text}
		params = map[string]any{"messages": []any{map[string]any{"role": "user", "content": content}}, "maxTokens": q.MaxTokens}
	}
	return json.Marshal(map[string]any{QuestionKey: map[string]any{"method": method, "params": params}})
}

// Error returns the text of Err. It never has the requests of the handler.
func (e *HandlerError) Error() string {
	if e.Kind == InputRequired {
		return "the handler needs an input of the client"
	}
	return e.Err.Error()
}

// Unwrap makes the failure below visible to errors.As.
func (e *HandlerError) Unwrap() error { return e.Err }
