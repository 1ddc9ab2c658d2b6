// Package jsonfield lists the fields of a struct as encoding/json sees them:
// names from json tags, promotion of embedded structs, shadowing and conflicts.
package jsonfield
