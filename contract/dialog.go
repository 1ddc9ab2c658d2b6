package contract

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"sync"

	"github.com/toolcontract/toolcontract/internal/bound"
)

// An answeredQuestion is a question of an earlier run and the client's response.
type answeredQuestion struct {
	Question string          `json:"q"` // its digest
	Response json.RawMessage `json:"r"`
}

// A dialogState is what a dialog carries from one run of the handler to the
// next, sealed by the guard.
type dialogState struct {
	Asked   int                `json:"n"` // how often the client was asked
	Open    string             `json:"o"` // the digest of the last question
	Answers []answeredQuestion `json:"a"`
	Unfit   bool               `json:"u,omitempty"` // an answer did not fit its question, and another was asked for
}

// A dialog holds the questions of one run of a handler: those that were answered
// before this run, and the one that ends it.
type dialog struct {
	limit int
	takes func(requests json.RawMessage) bool

	mu sync.Mutex
	dialogState
	next    int                 // the index of the answer to the next question
	pending *bound.HandlerError // ends the run; nil: nothing was asked
}

// withDialog returns the context of a run of a handler that may ask its client.
func withDialog(ctx context.Context, limit int) (context.Context, *dialog) {
	round := bound.RoundFrom(ctx)
	d := &dialog{limit: limit, takes: round.Takes}
	if json.Unmarshal([]byte(round.State), &d.dialogState) == nil {
		if response, ok := round.Responses[bound.QuestionKey]; ok {
			d.Answers = append(d.Answers, answeredQuestion{d.Open, response})
		}
	}
	return context.WithValue(ctx, bound.DialogKey{}, d), d
}

// dialogFrom returns nil outside a run of a handler that may ask.
func dialogFrom(ctx context.Context) *dialog {
	d, _ := ctx.Value(bound.DialogKey{}).(*dialog)
	return d
}

// errUnfit is returned by a function that reads a response which is no answer to
// the question.
var errUnfit = errors.New("contract: the response does not fit the question")

// unasked returns the error of a question that has no answer.
func unasked(code, message string) error {
	return &bound.HandlerError{Kind: bound.Refused, Code: code, Unasked: true, Err: &Error{code: code, message: message}}
}

// ask reads the client's response to a question. If there is none that fits, it
// returns the error that asks for one.
func (d *dialog) ask(q *bound.Question, read func(response []byte) error) error {
	if d == nil {
		return unasked(CodeConfirmationRequired, "this call cannot ask its client; declare Asks, and ask in the handler")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	request, err := q.Request()
	switch {
	case d.pending != nil:
		return d.pending
	case err != nil:
		return unasked(CodeInternalError, "contract: the question cannot be written as JSON")
	}
	sum := sha256.Sum256(request)
	digest := base64.RawStdEncoding.EncodeToString(sum[:16])
	answered := d.next < len(d.Answers) && d.Answers[d.next].Question == digest
	if answered {
		if response := d.Answers[d.next].Response; len(response) <= maxAnswerBytes {
			if err := read(response); err != errUnfit { //nolint:errorlint // it is returned as it is
				d.next++
				return err
			}
		}
	}
	d.Answers, d.Unfit = d.Answers[:d.next], d.Unfit || answered
	switch {
	case d.takes == nil || !d.takes(request):
		return unasked(CodeConfirmationRequired, "the tool needs an input that this client cannot give")
	case d.Asked >= d.limit && d.Unfit:
		return unasked(CodeInvalidInput, "the answers to the questions of the tool did not fit them; call the tool again")
	case d.Asked >= d.limit:
		return unasked(CodeInternalError, "contract: the handler asks more often than its Asks allows; raise it")
	}
	d.Asked++
	d.Open = digest
	state, err := json.Marshal(d.dialogState)
	if err != nil {
		return unasked(CodeInternalError, "contract: the answers cannot be written as JSON")
	}
	d.pending = &bound.HandlerError{Kind: bound.InputRequired, Question: q, State: string(state)}
	return d.pending
}

// ended returns the error of a run that has ended with err. A handler that went
// on without the answer may have had an effect.
func (d *dialog) ended(err error) error {
	if d == nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if asks, _ := errors.AsType[*bound.HandlerError](err); asks == d.pending || d.pending == nil {
		return err
	}
	return &bound.HandlerError{Kind: bound.Refused, Code: CodeInternalError,
		Err: errors.New("contract: the handler went on after a question without an answer; return the error of Ask")}
}
