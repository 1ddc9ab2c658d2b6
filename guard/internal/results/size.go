package results

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// askForLess is the hint if the result of a read is too large.
const askForLess = "Ask for less, for example for fewer items, a narrower filter or a smaller page."

// A TooLargeError reports that a result or a preview is larger than the limit.
type TooLargeError struct {
	what        string
	size, limit int64
	declared    bool // the contract declares the limit
}

// Error returns the text for the audit log, with the size.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the %s has %d bytes, and maxResultBytes is %d", e.what, e.size, e.limit)
}

// Refusal returns the refusal result_too_large. Its message names the limit,
// and says whether the contract declares it.
func (e *TooLargeError) Refusal(t *facts.ProtectedTool, more string) *answer.Refusal {
	source := "the default of maxResultBytes"
	switch {
	case t.Plain != nil:
		source = "the limit of this server"
	case e.declared:
		source = "the maxResultBytes of the contract"
	}
	r := answer.NewRefusal(contract.CodeResultTooLarge, fmt.Sprintf("the %s is larger than %d bytes, %s%s", e.what, e.limit, source,
		more)).Because(e)
	if t.Mode(r.Code).Class == contract.ClassRetryable {
		r.Hint = askForLess
		r.Lines = []string{askForLess}
	}
	return r
}

// CheckSize returns a TooLargeError if a result is larger than the limit. The
// parts of the result were cleaned by clean. The size is roughly that on the
// wire, without the escapes in texts. Data that is both structured content and
// text counts twice.
func CheckSize(t *facts.ProtectedTool, what string, r *exchange.Result, clean *Sanitizer) error {
	return checkBytes(t, what, len(r.Text)+len(r.Structured)+len(r.Requests)+len(r.State)+clean.bytes)
}

// TooMany turns the error for a result with more values than fit into the limit
// into a TooLargeError, and returns any other error unchanged. The size is that
// of the JSON, in bytes.
func TooMany(t *facts.ProtectedTool, what string, size int, err error) error {
	if e, ok := errors.AsType[*strictjson.Error](err); ok && e.Rule == strictjson.RuleSize {
		return cmp.Or(checkBytes(t, what, size), err)
	}
	return err
}

// CheckPassed refuses an SDK's own result that is larger than the limit.
func CheckPassed(t *facts.ProtectedTool, passed *bound.Passed) *answer.Refusal {
	tooLarge, ok := errors.AsType[*TooLargeError](checkBytes(t, "result", int(passed.Bytes)))
	if !ok {
		return nil
	}
	return tooLarge.Refusal(t, "")
}

func checkBytes(t *facts.ProtectedTool, what string, size int) error {
	limit := cmp.Or(t.Doc.MaxResultBytes, bound.DefaultResultBytes)
	if int64(size) <= limit {
		return nil
	}
	return &TooLargeError{what: what, size: int64(size), limit: limit, declared: t.Doc.MaxResultBytes != 0}
}

// The reasons of [Broken].
const (
	BrokenFailure   = "failure"
	BrokenSize      = "too_large"
	BrokenStructure = "unstructured"
	BrokenSchema    = "schema"
)

// Broken returns why the contract no longer permits a result that was stored
// under an earlier contract. It is empty if the contract still permits it.
func Broken(t *facts.ProtectedTool, r *exchange.Result) string {
	size := len(r.Structured)
	for _, c := range r.Content {
		opened, _ := openItem(c)
		size += opened.wireBytes()
	}
	if r.IsError { // its text has a limit of its own
		isDeclared := slices.ContainsFunc(t.Doc.FailureModes, func(m contract.FailureMode) bool {
			return m.Code == r.Outcome.Code && m.Class == r.Outcome.Class
		})
		if !isDeclared {
			return BrokenFailure
		}
	} else {
		size += len(r.Text)
	}
	switch {
	case checkBytes(t, "result", size) != nil:
		return BrokenSize
	case r.Structured != nil && !fitsOutput(t, r.Structured):
		return BrokenSchema
	case r.Structured == nil && !r.IsError && t.Impl.Facts().Output == bound.Structured:
		return BrokenStructure
	}
	return ""
}
