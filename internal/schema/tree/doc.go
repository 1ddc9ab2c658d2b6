// Package tree is the single tree representation of a JSON Schema document of
// draft 2020-12. It has the only list of keywords and answers what other
// packages ask about a schema: which schemas it holds, which of them apply to
// the same value, to a member or to an item, and which JSON types it names.
//
// [Read] reads a text, and a [Builder] writes one. The tree represents what was
// written and doesn't judge it. A malformed keyword holds no schemas and has no
// number, text or list; package schema reports it.
package tree
