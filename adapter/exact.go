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
	switch i {
	case Float64Integers:
		return checkExact(tree)
	case Int64Integers:
		return checkInt(tree)
	default:
		return nil
	}
}

// ruleExact is violated by an integer that a handler would misread.
const ruleExact = "schema.exact"

// maxInexact caps the integers that are reported at once.
const maxInexact = 10

// checkExact returns the integers in a tree that a float64 would change.
func checkExact(tree any) []schema.Violation {
	return integerCheck{isExact, "-9007199254740992 to 9007199254740992"}.find(tree)
}

// checkInt returns the integers in a tree that do not fit an int64.
func checkInt(tree any) []schema.Violation {
	isInt := func(integer any) bool { _, ok := integer.(int64); return ok }
	return integerCheck{isInt, "-9223372036854775808 to 9223372036854775807"}.find(tree)
}

// An integerCheck finds integers that a handler would misread.
type integerCheck struct {
	reads func(integer any) bool // reports whether a handler reads an int64 or a uint64 exactly
	safe  string                 // integers that every handler reads exactly
}

func (x integerCheck) find(tree any) []schema.Violation {
	var found []schema.Violation
	x.collect("", tree, &found)
	return found
}

func (x integerCheck) collect(at string, value any, found *[]schema.Violation) {
	if len(*found) >= maxInexact {
		return
	}
	switch v := value.(type) {
	case int64, uint64:
		if !x.reads(v) {
			*found = append(*found, schema.Violation{
				Rule: ruleExact, Pointer: strictjson.PrintablePointer(at),
				Message: "is an integer that the tool cannot read exactly; use one from " + x.safe,
			})
		}
	case []any:
		for i, item := range v {
			x.collect(strictjson.PointerIndex(at, i), item, found)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			x.collect(strictjson.Pointer(at, name), v[name], found)
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
