// Package diff compares two JSON Schemas (draft 2020-12): what became
// narrower, what became wider, and what cannot be determined.
//
// [Compare] follows references, so a schema that is written out equals one that
// refers to $defs. Its promise is soundness: without a finding that is
// [Narrowed] or [Unknown], the new schema accepts every value that the old one
// accepts. Without a finding that is [Widened] or [Unknown], the old schema
// accepts every value that the new one accepts. The reverse does not hold: a
// schema may be reported as narrower that is not, if only a comparison of
// several keywords together would show it.
//
// # How it compares
//
// A schema is the conjunction of its keywords, of the schema that its $ref
// leads to, and of its allOf. Keywords that depend on each other are compared
// together: properties, patternProperties and additionalProperties; prefixItems
// and items; contains with its bounds; if, then and else. All others are
// compared one by one. The branches of anyOf are matched: each old one has to
// be within a new one, and the reverse. The same holds for oneOf if its
// branches exclude each other by their types, constants or members. A list of
// types equals a nullable anyOf.
//
// # Defaults and annotations
//
// The guard fills in defaults before it checks arguments. Without a finding of
// the kind [Default], the promise holds for values with defaults too: the new
// schema accepts the value, and it has every member that it had before. If
// nothing is [Widened] either, it is the same value.
//
// So only defaults that are filled in count; package defaults lists them. A
// default of a member that was refused before is no finding, because Build has
// proved that it makes no value invalid. Any other default is an annotation. A
// lenient schema fills in no default without that proof, which the comparison
// does not know: a keyword that changes nothing can end or begin the filling
// without a finding.
//
// Annotations are compared everywhere, also if another part of the same schema
// has the same one. A protection, such as x-secret, holds if any part has it.
//
// # Limits
//
// Schemas with keywords that depend on more than their own schema
// (unevaluatedProperties, unevaluatedItems, $dynamicRef) are the same or
// unknown, except for annotations. The same holds for two patterns, and for two
// formats that are not integer formats. A comparison ends with [Unknown] after
// a bounded number of steps.
package diff
