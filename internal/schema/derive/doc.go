// Package derive derives the JSON Schema (draft 2020-12) of a Go type.
//
// The section "Schemas of Go types" of package contract is the reference for
// the types, the tags and what they mean. The schema describes strictly what
// encoding/json reads and writes: every accepted value can be bound to the
// type, unless an UnmarshalText or UnmarshalJSON method refuses it.
//
// A struct that is used more than once, or a type that contains itself, goes to
// $defs; the root is always written in place. The range of 64 bits would need
// numbers that a double rounds, so a signed 64-bit integer has the format int64
// and an unsigned one the minimum 0; decoding enforces the rest. There is no
// $schema and no $id, because MCP reads a schema without $schema as draft
// 2020-12.
//
// # Why not the Reflector
//
// The methods by which a type describes its own schema are those of
// github.com/invopop/jsonschema; the schemas they return are converted right
// where they arrive. Its Reflector isn't used, because repairing its output
// takes more code than reflecting. It doesn't resolve shadowed fields, and
// overflows the stack on a struct that embeds a pointer to itself. It gives
// integers no range and ignores pointer receivers and text marshalers. It
// writes list defaults as text and drops unknown keywords.
package derive
