package tree

import (
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"strconv"
)

// Rational returns the exact number that the decimal digits spell, as the
// validator does. It returns nil for an infinity and for anything that isn't a
// number.
func Rational(value any) *big.Rat {
	switch number := value.(type) {
	case int64:
		return new(big.Rat).SetInt64(number)
	case uint64:
		return new(big.Rat).SetUint64(number)
	case float64:
		return Rational(json.Number(strconv.FormatFloat(number, 'g', -1, 64)))
	case json.Number:
		if exact, ok := new(big.Rat).SetString(string(number)); ok {
			return exact
		}
	}
	return nil
}

// MaxPattern is the length, in bytes, of the longest regular expression that is
// compiled. A caller may send one where the format is "regex".
const MaxPattern = 4096

var errPattern = errors.New("schema: not a regular expression of RE2")

// Regexp compiles a regular expression from a schema. It may be at most
// [MaxPattern] bytes long.
func Regexp(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > MaxPattern {
		return nil, errPattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, errPattern
	}
	return re, nil
}
