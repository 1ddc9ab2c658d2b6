// Package derive derives the JSON Schema (draft 2020-12) of a Go type.
//
// # Types
//
// The schema describes what encoding/json reads and writes, strictly: names
// match exactly, unknown members are refused, and every accepted value can be
// bound to the type, unless an UnmarshalText method of the author refuses it.
//
//   - A struct is an object with additionalProperties false. A field is
//     required unless its json tag has omitempty or omitzero. Embedded structs
//     are promoted, shadowed and hidden as in encoding/json. A struct that is
//     used more than once, and a type within itself, is in $defs; the root is
//     always written out.
//   - A pointer has the schema of its element: null is not accepted. An
//     interface and a json.RawMessage accept anything.
//   - An integer of up to 32 bits has the range of its kind. The range of 64
//     bits would need numbers that a double rounds, so a signed one has the
//     format int64 and an unsigned one the minimum 0; decoding enforces the
//     rest.
//   - A []byte is base64, a time.Time is a date-time (RFC 3339), a
//     time.Duration is an integer of nanoseconds, a text marshaler is a string.
//   - A map is an object whose names are those of its keys: strings, integers
//     in decimal form without leading zeros, or text.
//
// There is no $schema and no $id, because MCP reads a schema without $schema as
// draft 2020-12.
//
// # Tags
//
// The jsonschema tag is a list of keyword=value, separated by commas. A comma
// within a value is written \\, in the tag.
//
//	title description                                           every field
//	readOnly writeOnly                                          every field, true or false
//	required                                                    no value; an input field with omitempty
//	default example enum                                        strings, numbers, booleans (enum: not booleans)
//	minLength maxLength pattern format                          strings
//	minimum maximum exclusiveMinimum exclusiveMaximum multipleOf numbers
//	minItems maxItems uniqueItems                               arrays
//
// Keywords of strings and numbers on an array apply to its items, except
// default, which is repeated once for each item. example and enum are repeated
// too. jsonschema_description is a description that may hold commas.
// jsonschema_extras is a list of x-…=value, which are published as they are.
// Everything else is a mistake.
//
// # Why not the Reflector
//
// The schemas are values of github.com/invopop/jsonschema, and the methods by
// which a type describes its own schema are those of that package. Its
// Reflector is not used, because repairing its output takes more code than
// reflecting. It does not resolve shadowed fields, and overflows the stack for
// a struct that embeds a pointer to itself. It gives integers no range and
// ignores pointer receivers and text marshalers. It writes the defaults of
// lists as text and drops unknown keywords.
package derive
