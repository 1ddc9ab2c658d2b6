// Package schemadiff compares two JSON Schemas (draft 2020-12) and says what became narrower, what became wider, and
// what cannot be told.
//
// [Compare] follows references, so that a schema written out and one that refers to $defs are the same. Its promise is
// soundness: where it reports nothing [Narrowed] and nothing [Unknown], every value that the old schema accepts is
// accepted by the new one; where it reports nothing [Widened] and nothing [Unknown], the other way round. The promise
// does not hold backwards: a schema may be reported narrower that is not, where that takes more than comparing its
// keywords one by one.
//
// # How it compares
//
// A schema is the conjunction of its keywords, of what its $ref leads to, and of its allOf. Keywords that depend on
// each other (properties, patternProperties and additionalProperties; prefixItems and items; contains with its bounds;
// if, then and else) are compared together, every other one by itself. The branches of anyOf are matched: each old one
// has to be within a new one, and the other way round. oneOf is the same where its branches exclude each other by their
// types, constants or members. A list of types and a nullable anyOf are the same.
//
// # Limits
//
// What depends on more than a schema's own keywords (unevaluatedProperties, unevaluatedItems, $dynamicRef) is the same or
// unknown. So are two patterns and two formats, but for the integer formats, and what takes more than a bounded number
// of steps to compare.
package schemadiff
