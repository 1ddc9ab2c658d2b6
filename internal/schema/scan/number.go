package scan

import (
	"bytes"
	"math"
	"math/big"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// exactFloat is the limit below which every integer is exactly a float64.
const exactFloat = 1 << 53

// A bound is a numeric limit.
type bound struct {
	keyword   string
	limit     any  // int64, uint64 or float64
	isMaximum bool // otherwise a minimum
	exclusive bool
}

func newBound(keyword string, limit any) (bound, bool) {
	switch limit.(type) {
	case int64, uint64, float64:
	default:
		return bound{}, false
	}
	return bound{
		keyword: keyword, limit: limit, isMaximum: keyword == "maximum" || keyword == "exclusiveMaximum",
		exclusive: keyword == "exclusiveMinimum" || keyword == "exclusiveMaximum",
	}, true
}

// admits reports whether a number is within the bound. If sure is false, within
// is meaningless.
func (b bound) admits(number any) (within, sure bool) {
	order, sure := compare(number, b.limit)
	if order == 0 {
		return !b.exclusive, sure
	}
	return order < 0 == b.isMaximum, sure
}

// compare orders two numbers. It doesn't compare a fraction with an integer
// that no float64 represents.
func compare(a, b any) (order int, ok bool) {
	if x, isInt := a.(int64); isInt {
		if y, isInt := b.(int64); isInt {
			return sign(x < y, x > y), true
		}
	}
	x, exactX := asFloat(a)
	y, exactY := asFloat(b)
	return sign(x < y, x > y), exactX && exactY
}

func sign(less, more bool) int {
	switch {
	case less:
		return -1
	case more:
		return 1
	default:
		return 0
	}
}

// asFloat reports whether a float64 represents the number exactly.
func asFloat(number any) (float float64, exact bool) {
	switch n := number.(type) {
	case int64:
		return float64(n), -exactFloat <= n && n <= exactFloat
	case float64:
		return n, true
	default:
		return 0, false
	}
}

// A multiple is a multipleOf.
type multiple struct {
	integer int64 // 0: not an integer
	of      *big.Rat
}

func newMultiple(of any) *multiple {
	m := &multiple{}
	m.integer, _ = of.(int64)
	if m.of = tree.Rational(of); m.of == nil || m.of.Sign() <= 0 {
		return nil
	}
	return m
}

func (m *multiple) admits(number any) bool {
	if n, ok := number.(int64); ok && m.integer > 0 {
		return n%m.integer == 0
	}
	n := tree.Rational(number)
	return n != nil && n.Quo(n, m.of).IsInt()
}

func (r *run) number(k *check) (kind tree.Types, ok bool) {
	begin := r.at
	for r.at < len(r.data) && isOfNumber(r.data[r.at]) {
		r.at++
	}
	literal := r.data[begin:r.at]
	if n, ok := plainInteger(literal); ok {
		r.out = append(r.out, literal...)
		return tree.IntegerType, !k.limitsNumbers() || r.limits(k, n)
	}
	if n, ok := plainFraction(literal); ok {
		r.out = append(r.out, literal...)
		return tree.FractionType, !k.limitsNumbers() || r.limits(k, n)
	}
	if len(literal) > strictjson.DefaultNumberLength {
		return 0, false
	}
	out, n, ok := strictjson.AppendNumber(r.out, literal)
	if !ok {
		return 0, false
	}
	r.out = out
	float, isFloat := n.(float64)
	if !isFloat {
		return tree.IntegerType, r.limits(k, n)
	}
	// A whole number beyond 64 bits is left to the slow path.
	if k.kinds&tree.FractionType == 0 && float == math.Trunc(float) {
		return 0, false
	}
	return tree.FractionType, r.limits(k, n)
}

func isOfNumber(c byte) bool {
	return '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// plainInteger parses a literal that is its own canonical form.
func plainInteger(literal []byte) (n int64, ok bool) {
	digits := literal
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	const maxDigits = 18
	if len(digits) == 0 || len(digits) > maxDigits || digits[0] == '0' && len(literal) > 1 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	if len(digits) < len(literal) {
		n = -n
	}
	return n, true
}

// plainFraction parses a literal such as 19.5 that is its own canonical form: a
// decimal of at most 15 digits is the shortest text of its float64, and
// dividing its digits by a power of ten gives exactly that float64.
func plainFraction(literal []byte) (n float64, ok bool) {
	const maxDigits, smallest = 15, 6 // below 0.000001 the canonical form has an exponent
	point := bytes.IndexByte(literal, '.')
	if point < 1 || len(literal)-1 > maxDigits || literal[len(literal)-1] == '0' {
		return 0, false
	}
	whole, ok := plainInteger(literal[:point])
	if !ok || literal[0] == '-' || whole == 0 && len(literal)-point-1 > smallest {
		return 0, false
	}
	digits := whole
	power := int64(1)
	for _, c := range literal[point+1:] {
		if c < '0' || c > '9' {
			return 0, false
		}
		digits = 10*digits + int64(c-'0')
		power = 10 * power
	}
	return float64(digits) / float64(power), power > 1
}

// limitsNumbers reports whether limits has anything to check. Asking first
// saves callers from allocating an any for most numbers.
func (k *check) limitsNumbers() bool {
	return len(k.bounds) > 0 || k.multipleOf != nil || k.formats != nil
}

// limits records which limits a number breaks. It returns false if it isn't
// sure.
func (r *run) limits(k *check, number any) bool {
	if k.formats != nil && k.formats(number) != nil {
		r.broken(k, "format")
		return true
	}
	for _, b := range k.bounds {
		within, sure := b.admits(number)
		if !sure {
			return false
		}
		if !within {
			r.broken(k, b.keyword)
		}
	}
	if k.multipleOf != nil && !k.multipleOf.admits(number) {
		r.broken(k, "multipleOf")
	}
	return true
}
