// Package results turns the end of a handler, or a refusal, into the result
// that a caller gets.
package results

import "github.com/toolcontract/toolcontract/contract/guard/internal/facts"

// A Writer writes the results of one tool.
type Writer struct{ *facts.Tool }
