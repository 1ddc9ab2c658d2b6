package results

import (
	"cmp"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/content"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
)

// askForLess is the advice if the result of a read is too large.
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

// Refusal returns result_too_large. The message has the limit, and whether the
// contract declares it.
func (e *TooLargeError) Refusal(t Writer, more string) *refusal.Refusal {
	source := "the default of maxResultBytes"
	if e.declared {
		source = "the maxResultBytes of the contract"
	}
	r := refusal.New(contract.CodeResultTooLarge, fmt.Sprintf("the %s is larger than %d bytes, %s%s", e.what, e.limit, source,
		more)).Because(e)
	if t.Mode(r.Code).Class == contract.ClassRetryable {
		r.Hint, r.Lines = askForLess, []string{askForLess}
	}
	return r
}

// CheckSize returns a TooLargeError if a result is larger than the limit.
func (t Writer) CheckSize(what string, r *exchange.Result, metaBytes int) error {
	limit := cmp.Or(t.Doc.MaxResultBytes, contract.DefaultMaxResultBytes)
	size := sizeOf(r) + int64(metaBytes)
	if size <= limit {
		return nil
	}
	return &TooLargeError{what: what, size: size, limit: limit, declared: t.Doc.MaxResultBytes != 0}
}

// itemBytes is roughly the size of the member names of an item in JSON.
const itemBytes = 64

// sizeOf is roughly the size of a result on the wire, in bytes, without its
// _meta and without the escapes in its texts. Data that is both structured
// content and text counts twice.
func sizeOf(r *exchange.Result) int64 {
	n := len(r.Text) + len(r.Structured)
	for _, c := range r.Content {
		item, _ := content.Open(c)
		n += itemBytes + item.WireBytes()
	}
	return int64(n)
}
