// Package results turns the end of a handler, or a refusal, into the result
// that a caller gets: checked, cleaned, delimited and measured.
package results

import (
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/operatorlog"
)

// A Writer writes the results of one tool. [NewWriter] makes one.
type Writer struct {
	*facts.Tool

	lines *operatorlog.Log
}

// NewWriter returns the writer of a tool, which reports panics to lines.
func NewWriter(t *facts.Tool, lines *operatorlog.Log) Writer { return Writer{t, lines} }
