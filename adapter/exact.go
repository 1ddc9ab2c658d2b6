package adapter

import (
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Integers are the integers that a wrapped handler reads exactly. A call with
// any other integer is refused as invalid_input, because the handler would read
// a different number than was checked and shown to a person. The zero value
// refuses none: the handler reads the raw arguments, with all digits.
type Integers uint8

const (
	// Int64Integers: the handler reads integers as int64.
	Int64Integers Integers = 1
	// Float64Integers: the handler reads integers as float64, as encoding/json
	// decodes them into any.
	Float64Integers Integers = 2
)

// check returns the integers in a tree that the handler would misread.
func (i Integers) check(tree any) []schema.Violation {
	x := integerCheck{reads: isExact, safe: "-9007199254740992 to 9007199254740992"}
	switch i {
	case Float64Integers:
	case Int64Integers:
		x.reads = func(integer any) bool { _, ok := integer.(int64); return ok }
		x.safe = "-9223372036854775808 to 9223372036854775807"
	default:
		return nil
	}
	x.collect("", tree)
	return x.found
}

// ruleExact is violated by an integer that a handler would misread.
const ruleExact = "schema.exact"

// maxInexact caps the integers that are reported at once.
const maxInexact = 10

// An integerCheck finds integers that a handler would misread.
type integerCheck struct {
	reads func(integer any) bool // reports whether a handler reads an int64 or a uint64 exactly
	safe  string                 // integers that every handler reads exactly
	found []schema.Violation
}

func (x *integerCheck) collect(at string, value any) {
	if len(x.found) >= maxInexact {
		return
	}
	switch v := value.(type) {
	case int64, uint64:
		if !x.reads(v) {
			x.found = append(x.found, schema.Violation{
				Rule: ruleExact, Pointer: strictjson.PrintablePointer(at),
				Message: "is an integer that the tool cannot read exactly; use one from " + x.safe,
			})
		}
	case []any:
		for i, item := range v {
			x.collect(strictjson.PointerIndex(at, i), item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			x.collect(strictjson.Pointer(at, name), v[name])
		}
	}
}

// isExact reports whether an integer survives a conversion to float64 and back.
func isExact(integer any) bool {
	switch v := integer.(type) {
	case int64:
		const limit = 1 << 63
		f := float64(v)
		return f < limit && int64(f) == v
	case uint64:
		return v <= math.MaxInt64 && isExact(int64(v))
	default:
		return true
	}
}

// mayRound reports whether a value of the type can hold a number as a float.
func mayRound(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return mayRound(t.Elem(), seen)
	case reflect.Map:
		return mayRound(t.Elem(), seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if mayRound(f.Type, seen) {
				return true
			}
		}
	default:
	}
	return false
}
