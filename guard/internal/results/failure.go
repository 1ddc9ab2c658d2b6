package results

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/trust"
)

// Refused turns a refusal into the result that the caller gets.
func Refused(t *facts.ProtectedTool, r *answer.Refusal) *exchange.Result {
	message, lines := r.Message, r.Lines
	if len(r.Violations) > 0 {
		message = violationText(r.Violations)
	}
	if r.RetryAfter > 0 {
		lines = append(slices.Clip(lines), answer.TryAgain(r.RetryAfter))
	}
	result := errorResult(t, r.Code, message, lines...)
	o := &result.Outcome
	o.RetryAfterMs = milliseconds(r.RetryAfter)
	o.URL = r.URL
	o.Hint = r.Hint
	o.StepUp = r.StepUp
	o.MissingPermissions = r.MissingPermissions
	o.Violations = r.Violations
	return result
}

// violationText lists every violation.
func violationText(violations []contract.Violation) string {
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
	return text.NeutralizeFatal(b.String())
}

// plainPointer matches a JSON Pointer that cannot contain a sentence.
var plainPointer = regexp.MustCompile(`^(/[A-Za-z0-9_.~-]{0,64})*$`)

// DeclaredFailure returns the result of a failure that the tool declares, with
// its text. If the contract delimits texts, all of the handler's words are in
// one block after the description of the failure.
func DeclaredFailure(v *facts.View, f *contract.Error) *exchange.Result {
	t := v.Tool
	words := f.Message()
	advice := v.Redact(f.Advice())
	where := v.Redact(f.Pointer())
	if ownWords(t, f.Code(), words) != "" { // the contract's own words tell nothing about the call
		words = v.Redact(words)
	}
	message, removed := text.OfError(words)
	hint, inHint := text.OfError(advice)
	pointer, inPointer := text.OfError(where)
	if message == "" {
		message = t.Mode(f.Code()).Description
	}
	at, delay := "", ""
	if pointer != "" {
		at = "At " + pointer + " in the arguments."
	}
	if after := f.RetryAfter(); after > 0 {
		delay = answer.TryAgain(after)
	}
	var r *exchange.Result
	switch own := ownWords(t, f.Code(), message); {
	case !delimits(t, trust.DelimitText):
		r = errorResult(t, f.Code(), message, nonEmpty(at, delay, hint)...)
	case plainPointer.MatchString(pointer):
		r = errorResult(t, f.Code(), "", nonEmpty(delimitWords(t, own, hint), at, delay)...)
	default:
		r = errorResult(t, f.Code(), "", nonEmpty(delimitWords(t, own, at, hint), delay)...)
	}
	r.Outcome.Hint = hint
	r.Outcome.RetryAfterMs = milliseconds(f.RetryAfter())
	r.Outcome.Sanitized = removed + inHint + inPointer
	r.Outcome.Removed = errorRemovals(words+advice+where, message+hint+pointer, r.Outcome.Sanitized)
	if pointer != "" {
		r.Outcome.Violations = []contract.Violation{{Rule: f.Code(), Pointer: pointer, Message: message}}
	}
	return r
}

// ownWords returns a text of the handler, or "" if it is just the contract's
// description of the code.
func ownWords(t *facts.ProtectedTool, code, message string) string {
	if message == t.Mode(code).Description {
		return ""
	}
	return message
}

// delimitWords returns the lines of a handler's error as one delimited block.
// It returns "" if all are empty.
func delimitWords(t *facts.ProtectedTool, lines ...string) string {
	if lines = nonEmpty(lines...); len(lines) == 0 {
		return ""
	}
	return trust.Delimit(strings.Join(lines, "\n"))
}

// nonEmpty returns the lines that are not empty.
func nonEmpty(lines ...string) []string {
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// handlerErrorResult returns an error result with a handler's text, which is
// delimited if the contract delimits texts.
func handlerErrorResult(t *facts.ProtectedTool, code, message string) *exchange.Result {
	if delimits(t, trust.DelimitText) {
		return errorResult(t, code, "", nonEmpty(delimitWords(t, ownWords(t, code, message)))...)
	}
	return errorResult(t, code, message)
}

// errorResult returns an error result: "code: message", marked if it is fatal,
// and further lines of text. An empty message is replaced by the contract's
// description of the code.
func errorResult(t *facts.ProtectedTool, code, message string, lines ...string) *exchange.Result {
	mode := t.Mode(code)
	if message == "" {
		message = mode.Description
	}
	whole := strings.Join(append([]string{code + ": " + message}, lines...), "\n")
	if mode.Class == contract.ClassFatal {
		whole = text.FatalMark + " " + whole
	}
	return &exchange.Result{Text: whole, IsError: true, Outcome: contract.Outcome{
		Status: contract.StatusError, Code: code, Class: mode.Class,
	}}
}

// milliseconds rounds up, because a caller that retries too early would be
// refused again.
func milliseconds(d time.Duration) int64 {
	ms := int64(d / time.Millisecond)
	if d%time.Millisecond > 0 {
		ms++
	}
	return ms
}
