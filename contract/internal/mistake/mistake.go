// Package mistake has what the errors about declarations, definitions and
// snapshots have in common: a rule, a place, a message and a remedy.
package mistake

import "strings"

// Text returns "[RULE] WHERE: MESSAGE; REMEDY" without the empty parts.
func Text(rule, where, message, remedy string) string {
	var b strings.Builder
	b.WriteString("[" + rule + "]")
	if where != "" {
		b.WriteString(" " + where)
	}
	b.WriteString(": " + message)
	if remedy != "" {
		b.WriteString("; " + remedy)
	}
	return b.String()
}

// List returns every error of type E in the tree of err, in order. It does not
// look below an E. It returns nil for a nil err.
func List[E error](err error) []E {
	switch e := err.(type) { //nolint:errorlint // this walks the tree itself
	case nil:
		return nil
	case E:
		return []E{e}
	case interface{ Unwrap() []error }:
		var all []E
		for _, sub := range e.Unwrap() {
			all = append(all, List[E](sub)...)
		}
		return all
	case interface{ Unwrap() error }:
		return List[E](e.Unwrap())
	}
	return nil
}
