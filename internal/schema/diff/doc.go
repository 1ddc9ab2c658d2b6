// Package diff compares two JSON Schemas (draft 2020-12): what became narrower,
// what became wider, and what can't be determined.
//
// [Compare] follows references, so a schema written in place equals one that
// refers to $defs. It promises soundness: without a finding that is [Narrowed]
// or [Unknown], the new schema accepts every value the old one accepts. Without
// a finding that is [Widened] or [Unknown], the old schema accepts every value
// the new one accepts. The converse doesn't hold: a schema may be reported as
// narrower although it isn't, if only a joint comparison of several keywords
// would show that.
//
// # How it compares
//
// A schema is the conjunction of its keywords, of the schema its $ref leads to,
// and of its allOf. Keywords that depend on each other are compared together:
// properties, patternProperties and additionalProperties; prefixItems and
// items; contains and its bounds; if, then and else. All others are compared
// one by one. The branches of anyOf are matched: each old one must be contained
// in a new one, and vice versa. The same goes for oneOf if its branches exclude
// each other by their types, constants or members. A list of types equals a
// nullable anyOf.
//
// # Defaults and annotations
//
// The guard fills in defaults before it checks arguments. Without a finding of
// the kind [Default], the promise covers values with defaults too: the new
// schema accepts the value, which has every member it had before. If nothing is
// [Widened] either, it is the same value.
//
// So only defaults that are filled in count; package defaults says which those
// are. The default of a member that used to be refused is no finding, because
// Build has proved that it makes no value invalid. Any other default is an
// annotation. A lenient schema doesn't fill in a default without that proof,
// and the comparison doesn't know about this: a keyword that changes nothing
// can start or stop the filling without a finding.
//
// Annotations are compared everywhere, even if another part of the same schema
// has the same one. A protection, such as x-secret, applies if any part has it.
//
// # Limits
//
// Schemas with keywords that depend on more than their own schema
// (unevaluatedProperties, unevaluatedItems, $dynamicRef) are either the same or
// unknown, annotations aside. So are two patterns, and two formats that aren't
// integer formats. After a bounded number of steps a comparison ends with
// [Unknown].
package diff
