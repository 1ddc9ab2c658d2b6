// Package declare holds what contracts, definitions, snapshots and a gateway's
// files share: the form of names, free-form metadata, and the text of a
// mistake.
package declare

import "strings"

// MistakeText returns "[RULE] WHERE: MESSAGE; REMEDY" without the empty parts.
func MistakeText(rule, where, message, remedy string) string {
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

// Mistakes returns every error of type E in the tree of err, in order. It does
// not look below an E. It returns nil for a nil err.
func Mistakes[E error](err error) []E {
	switch e := err.(type) { //nolint:errorlint // this walks the tree itself
	case nil:
		return nil
	case E:
		return []E{e}
	case interface{ Unwrap() []error }:
		var all []E
		for _, sub := range e.Unwrap() {
			all = append(all, Mistakes[E](sub)...)
		}
		return all
	case interface{ Unwrap() error }:
		return Mistakes[E](e.Unwrap())
	}
	return nil
}
