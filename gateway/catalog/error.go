package catalog

import "github.com/toolcontract/toolcontract/internal/declare"

// An Error is one mistake in an operator's file, in a state file or in the
// sources of a catalogue. It contains none of the file's values.
type Error struct {
	// File is "overrides", "state" or, for a mistake in the sources, "options".
	File string
	// Rule is a stable identifier, such as "overrides.reason".
	Rule string
	// Where is an RFC 6901 JSON Pointer into the file, or the name of an
	// option. Empty: the whole file.
	Where string
	// Message says what is wrong.
	Message string
	// Remedy says what to do. It may be empty.
	Remedy string
}

// Error returns "catalog: FILE: [RULE] WHERE: MESSAGE; REMEDY" without the
// empty parts.
func (e *Error) Error() string {
	return "catalog: " + e.File + ": " + declare.MistakeText(e.Rule, e.Where, e.Message, e.Remedy)
}

// Errors returns every [Error] in the tree of err, in order. It returns nil for
// a nil err.
func Errors(err error) []*Error { return declare.Mistakes[*Error](err) }
