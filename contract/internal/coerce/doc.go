// Package coerce reads arguments leniently, where the tool author allows it:
// null as absent, text as a number or a boolean, one value as a list of one.
//
// A value is read in another form only if its schema refuses the JSON type of
// the value and accepts the type of the other form. So a value that a strict
// reading accepts never changes. Each value has at most one other form, and the
// result is validated like any other.
//
// The schema of a value is found on paths of properties, patternProperties,
// additionalProperties, items and prefixItems, through $ref, allOf and an anyOf
// with null. Below other unions nothing is read leniently, because a branch
// would have to be guessed.
package coerce
