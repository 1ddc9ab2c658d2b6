// Package tree is the one tree of a JSON Schema document of draft
// 2020-12. It has the one list of the keywords, and answers the questions that
// other packages have about a schema: which schemas it holds, which of them
// apply to the same value, to a member or to an item, and which JSON types it
// names.
//
// [Read] reads a text, and a [Builder] writes one. The tree has what was
// written and judges nothing. A malformed keyword holds no schemas and has no
// number, text or list. Package schema reports it.
package tree
