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
// # Defaults and annotations
//
// The promise of a value that is filled in first, as the guard does with arguments: where there is also no finding of
// kind [Default], every value that the old schema accepts, filled in by its defaults, is accepted by the new one, filled
// in by those of the new one, and has every member that it had; where nothing is [Widened] either, it is the same value.
// So only a default that is filled in counts: that of a property, through allOf and $ref, its object's and its own. Several
// of one member are compared as a set: where they differ, none is filled in. A default that comes with a
// member which was refused before is no finding, unless a keyword that may refuse objects for it stands around it: then
// it is [Unknown]. Any other default is an annotation.
//
// An annotation is compared wherever it stands, also where another part of the same schema says it too. A protection
// holds where any part says so.
//
// # Limits
//
// What depends on more than a schema's own keywords (unevaluatedProperties, unevaluatedItems, $dynamicRef) is the same or
// unknown, but for annotations. So are two patterns and two formats, but for the integer formats, and what takes more
// than a bounded number of steps to compare, or more combinations of patterns of names than are tried for defaults.
package schemadiff
