package mcpgo

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A WrapOption configures [Wrap]. Nil is an error of Build.
type WrapOption interface{ applyWrap(w *wrapped) }

type wrapOptionFunc func(*wrapped)

func (f wrapOptionFunc) applyWrap(w *wrapped) { f(w) }

// WithExactIntegers declares that the handler reads integers beyond 2^53 with
// GetInt, RequireInt, GetIntSlice, BindArguments or RawArguments. Arguments
// then hold an integer that no float64 holds as an int; BindArguments and
// RawArguments always have all digits. A call with an integer above the largest
// int64 is refused as invalid_input, because GetInt would return its default.
// Do not use the option for a handler that asserts the type float64 or that
// binds to float64 or any. Default: a call with an integer that no float64
// holds is refused, because mcp-go would round the number that was shown.
func WithExactIntegers() WrapOption { return wrapOptionFunc(func(w *wrapped) { w.exact = true }) }

// ruleExact is violated by an integer that mcp-go would round.
const ruleExact = "schema.exact"

// maxInexact is the number of such integers that are reported at once.
const maxInexact = 10

// checkExact returns the integers in a tree that mcp-go's Arguments, which are
// float64, would give a handler as other integers.
func checkExact(tree any) []schema.Violation {
	return inexact{isExact, "-9007199254740992 to 9007199254740992"}.in(tree)
}

// checkInt returns the integers in a tree that are no int64. GetInt returns its
// default for them.
func checkInt(tree any) []schema.Violation {
	isInt := func(integer any) bool { _, ok := integer.(int64); return ok }
	return inexact{isInt, "-9223372036854775808 to 9223372036854775807"}.in(tree)
}

// An inexact finds integers that a handler would read as others.
type inexact struct {
	reads func(integer any) bool // reports whether a handler reads an int64 or a uint64 exactly
	safe  string                 // integers that every handler reads exactly
}

func (x inexact) in(tree any) []schema.Violation {
	var found []schema.Violation
	x.collect("", tree, &found)
	return found
}

func (x inexact) collect(at string, value any, found *[]schema.Violation) {
	if len(*found) >= maxInexact {
		return
	}
	switch v := value.(type) {
	case int64, uint64:
		if !x.reads(v) {
			*found = append(*found, schema.Violation{
				Rule: ruleExact, Pointer: jsonptr.Printable(at),
				Message: "is an integer that the tool cannot read exactly; use one from " + x.safe,
			})
		}
	case []any:
		for i, item := range v {
			x.collect(jsonptr.AppendIndex(at, i), item, found)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			x.collect(jsonptr.Append(at, name), v[name], found)
		}
	}
}

// isExact reports whether an integer has the same value after it was a float64,
// as an int.
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

// exactArguments returns arguments as encoding/json does, except for integers
// that no float64 holds.
func exactArguments(arguments json.RawMessage) (any, error) {
	tree, err := strictjson.Parse(arguments, strictjson.Limits{})
	if err != nil {
		return nil, err
	}
	return withExactIntegers(tree), nil
}

func withExactIntegers(value any) any {
	switch v := value.(type) {
	case int64:
		if isExact(v) {
			return float64(v)
		}
		return int(v)
	case []any:
		for i, item := range v {
			v[i] = withExactIntegers(item)
		}
	case map[string]any:
		for name, member := range v {
			v[name] = withExactIntegers(member)
		}
	}
	return value
}
