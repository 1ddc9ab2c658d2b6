// Package scan checks the bytes of a JSON text against a schema in one pass. It
// writes their canonical form, or records which keywords they break. It is the
// fast path of a call: it builds no tree, and words no violation.
//
// A [Scanner] decides only if it is sure. The canonical form of an accepted
// text is the one that the slow path writes: strictjson.Parse, the defaults,
// the validation, and strictjson.Marshal. The breaks of a refused text are
// exactly the violations that the validator reports. The caller takes the slow
// path for any other text. If a schema has keywords that the Scanner does not
// know, the validator checks the values of that schema. The caller also takes
// the slow path for a text with such a value that the validator refuses.
package scan
