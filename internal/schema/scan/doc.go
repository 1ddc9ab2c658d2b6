// Package scan checks the bytes of a JSON text against a schema in one pass and
// writes their canonical form, or records which keywords they break. It is the
// fast path of a call: it builds no tree and writes no violation messages.
//
// A [Scanner] decides only when it is sure. The canonical form of an accepted
// text is exactly what the slow path would write: strictjson.Parse, the
// defaults, the validation, then strictjson.Marshal. The breaks of a refused
// text are exactly the violations the validator reports. For any other text,
// the caller takes the slow path. If a schema has keywords the Scanner doesn't
// know, the validator checks the values of that schema. If the validator
// refuses such a value, the caller takes the slow path for that text too.
package scan
