// Package derive derives the JSON Schema (draft 2020-12) of a Go type.
//
// The section "Schemas of Go types" of package contract is the reference of the
// types, of the tags and of what they mean. The schema describes what
// encoding/json reads and writes, strictly: every accepted value can be bound
// to the type, unless an UnmarshalText or UnmarshalJSON method refuses it.
//
// A struct that is used more than once, and a type within itself, is in $defs;
// the root is always written out. The range of 64 bits would need numbers that
// a double rounds, so a signed integer of 64 bits has the format int64 and an
// unsigned one the minimum 0; decoding enforces the rest. There is no $schema
// and no $id, because MCP reads a schema without $schema as draft 2020-12.
//
// # Why not the Reflector
//
// The methods by which a type describes its own schema are those of
// github.com/invopop/jsonschema, and their schemas are converted at the edge.
// Its Reflector is not used, because repairing its output takes more code than
// reflecting. It does not resolve shadowed fields, and overflows the stack for
// a struct that embeds a pointer to itself. It gives integers no range and
// ignores pointer receivers and text marshalers. It writes the defaults of
// lists as text and drops unknown keywords.
package derive
