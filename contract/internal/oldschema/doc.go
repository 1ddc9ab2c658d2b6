// Package schema derives JSON Schemas (draft 2020-12) from Go types, refuses the ones that cannot be kept, and keeps
// the rest: it fills in defaults and reports what a value breaks.
//
// The work is in three steps. [Derive] reflects a type, [Compile] turns a document, derived or written by hand, into a
// [Schema], and a Schema's Fill and Validate run on every call. Mistakes of an author are [Problem] values, all of them
// at once; what a value breaks are [Violation] values. Neither ever holds a value.
//
// # What a type means
//
// A type means to its schema what it means to encoding/json, read strictly: names match exactly, unknown members are
// refused, and every value that the schema accepts can be bound to the type, but for what an author's own
// UnmarshalText refuses.
//
//   - A struct is an object with additionalProperties false. A field is required unless its json tag says omitempty or
//     omitzero; embedded structs are promoted, shadowed and hidden as encoding/json does it. A type that is used more
//     than once, or within itself, stands in $defs; the root is always written out.
//   - A pointer is its element: null is not accepted. An interface and a json.RawMessage accept anything.
//   - Integers of up to 32 bits carry the range of their kind. Those of 64 bits would need numbers that a double
//     rounds, so a signed one has the format int64 and an unsigned one a minimum of 0; both are held to their range.
//   - A []byte is base64, a time.Time is a date-time (RFC 3339), a time.Duration is an integer of nanoseconds, a
//     text marshaler is a string.
//   - A map is an object whose names are those of its keys: strings, integers in their one decimal form, text.
//
// No $schema and no $id is written: MCP reads a schema without $schema as 2020-12.
//
// # Tags
//
// The jsonschema tag is a list, separated by commas, of keyword=value; a comma inside a value is written \\, in the tag.
//
//	title description                                           every field
//	readOnly writeOnly                                          every field, true or false
//	required                                                    no value; an input field with omitempty
//	default example enum                                        strings, numbers, booleans (enum: not booleans)
//	minLength maxLength pattern format                          strings
//	minimum maximum exclusiveMinimum exclusiveMaximum multipleOf numbers
//	minItems maxItems uniqueItems                               arrays
//
// Keywords of strings and numbers on an array are about its items, default apart: it is repeated, once for each item.
// example and enum are repeated too. jsonschema_description is a description that may hold commas, jsonschema_extras a
// list of x-…=value that is published as it is; those of [ProtectionKeywords] come from Options alone. Everything else is a Problem.
package oldschema
