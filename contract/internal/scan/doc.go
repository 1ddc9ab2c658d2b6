// Package scan checks the bytes of a JSON text against a schema in one pass,
// and writes their canonical form. It is the fast path of a call: it builds no
// tree and words no violation.
//
// A [Scanner] only accepts. An accepted text surely fits the schema, and its
// canonical form is the one that the slow path writes: strictjson.Parse, the
// defaults, the validation, and strictjson.Marshal. Any other text may fit all
// the same, so the caller takes the slow path for it. If a schema has keywords
// that the Scanner does not know, the validator checks the values of that
// schema.
package scan
