package strictjson

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxExponent is larger than every exponent of a double, with room for the
// digits of a number of the default length.
const maxExponent = 400

const (
	outOfRange     = "must be a number that a double or a 64-bit integer can hold"
	wouldBeLossy   = "must be an integer of at most 64 bits"
	absurdExponent = "must be a number with a smaller exponent"
)

// parseNumber returns the Go value of a valid JSON number, or what is wrong
// with it.
func parseNumber(literal string) (number any, problem string) {
	if !strings.ContainsAny(literal, ".eE") { // an error of ParseInt costs two allocations
		if integer, err := strconv.ParseInt(literal, 10, 64); err == nil {
			return integer, ""
		}
	}
	digits, exponent, plain, ok := splitNumber(literal)
	if !ok {
		return nil, absurdExponent
	}
	if digits == "" {
		return int64(0), ""
	}
	if integer, ok := wholeNumber(digits, exponent, literal[0] == '-'); ok {
		return integer, ""
	}
	float, err := strconv.ParseFloat(literal, 64)
	switch {
	case err != nil, float == 0:
		return nil, outOfRange
	case plain && !spells(literal, float):
		return nil, wouldBeLossy
	}
	// Only the digits that a double cannot hold may have made it a fraction.
	if integer, ok := wholeFloat(float); ok {
		return integer, ""
	}
	return float, ""
}

// splitNumber reads a literal as digits × 10^exponent. The digits have no zeros
// at either end; zero has no digits. plain means that the literal has neither a
// fraction nor an exponent.
func splitNumber(literal string) (digits string, exponent int, plain, ok bool) {
	mantissa := strings.TrimPrefix(literal, "-")
	plain = true
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(mantissa[i+1:]); err != nil || exponent < -maxExponent || exponent > maxExponent {
			return "", 0, false, false
		}
		mantissa, plain = mantissa[:i], false
	}
	whole, fraction, hasFraction := strings.Cut(mantissa, ".")
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	return trimmed, exponent, plain && !hasFraction, true
}

// wholeNumber returns ±digits × 10^exponent as an int64, or as a uint64 if it
// fits only there.
func wholeNumber(digits string, exponent int, negative bool) (any, bool) {
	const longest = len("18446744073709551615")
	if exponent < 0 || len(digits)+exponent > longest {
		return nil, false
	}
	text := digits + strings.Repeat("0", exponent)
	if negative {
		text = "-" + text
	}
	if integer, err := strconv.ParseInt(text, 10, 64); err == nil {
		return integer, true
	}
	integer, err := strconv.ParseUint(text, 10, 64)
	return integer, err == nil
}

// spells reports whether the digits of an integer literal are those of float:
// all of them, or its shortest form.
func spells(literal string, float float64) bool {
	if strconv.FormatFloat(float, 'f', -1, 64) == literal {
		return true
	}
	exact, accuracy := big.NewFloat(float).Int(nil)
	return accuracy == big.Exact && exact.String() == literal
}

// wholeFloat returns a float as an int64, or as a uint64 if it fits only there.
func wholeFloat(float float64) (any, bool) {
	const above64 = 1 << 64
	switch {
	case float != math.Trunc(float) || float < math.MinInt64 || float >= above64:
		return nil, false
	case float < -math.MinInt64:
		return int64(float), true
	default:
		return uint64(float), true
	}
}
