package guard

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

// unavailableDelay is what a caller is told to wait when something is missing
// that may come back soon.
const unavailableDelay = time.Second

// fatalMark precedes the text of a fatal error, the convention by which agent
// loops abort a run.
const fatalMark = "[FATAL]"

// refuse answers with a code of the guard's own. The message is ours and
// carries no values.
func (c *call) refuse(code, message string) *Result { return c.failed(code, message) }

// refuseLater is refuse with a delay after which to try again.
func (c *call) refuseLater(code, message string, after time.Duration) *Result {
	r := c.failed(code, message, tryAgain(after))
	r.Outcome.RetryAfterMs = milliseconds(after)
	return r
}

// tryAgain says the delay in words, rounded up.
func tryAgain(after time.Duration) string {
	unit := time.Millisecond
	if after > 10*time.Second { // nobody waits for the rest
		unit = time.Second
	}
	if rest := after % unit; rest > 0 {
		after += unit - rest
	}
	return fmt.Sprintf("Try again in %s.", after)
}

// violated answers invalid_input, with every violation for the program and in
// the text.
func (c *call) violated(violations ...contract.Violation) *Result {
	var b strings.Builder
	b.WriteString("the arguments do not fit the input schema")
	for _, v := range violations {
		b.WriteString("\n- ")
		if v.Pointer == "" {
			b.WriteString("the arguments")
		} else {
			b.WriteString(v.Pointer)
		}
		b.WriteString(": " + v.Message)
	}
	r := c.failed(contract.CodeInvalidInput, neutralizeFatal(b.String()))
	r.Outcome.Violations = violations
	return r
}

// failed makes an error result: "code: message", marked where it is fatal, and
// further lines of text. An empty message is replaced by the contract's
// description of the code.
func (c *call) failed(code, message string, lines ...string) *Result {
	mode := c.mode(code)
	if message == "" {
		message = mode.Description
	}
	text := strings.Join(append([]string{code + ": " + message}, lines...), "\n")
	if mode.Class == contract.ClassFatal {
		text = fatalMark + " " + text
	}
	return &Result{Text: text, IsError: true, Outcome: contract.Outcome{
		Status: contract.StatusError, Code: code, Class: mode.Class,
	}}
}

// mode finds a code in the contract's list. One that is not there is fatal.
func (c *call) mode(code string) contract.FailureMode {
	for _, m := range c.entry.doc.FailureModes {
		if m.Code == code {
			return m
		}
	}
	return contract.FailureMode{Code: code, Class: contract.ClassFatal, Description: "The call failed.", By: contract.ByGuard}
}

// milliseconds rounds up: a caller that comes too early is refused again.
func milliseconds(d time.Duration) int64 {
	ms := int64(d / time.Millisecond)
	if d%time.Millisecond > 0 {
		ms++
	}
	return ms
}
