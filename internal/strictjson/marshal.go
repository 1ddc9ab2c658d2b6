package strictjson

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Marshal writes a tree of [Parse] in the canonical form of RFC 8785: without
// white space, members sorted by the UTF-16 code units of their names, one
// spelling for every string and number. It differs from the RFC in one point:
// integers keep all their digits. The RFC rounds them to doubles, which would
// make 9007199254740992 and 9007199254740993 equal. Equal trees have equal
// bytes.
//
// The error is an [*Error] for a NaN, an infinity, a string that is not UTF-8,
// and any other Go type.
func Marshal(tree any) ([]byte, error) {
	data, err := appendTree(nil, tree)
	if err != nil {
		err.Pointer = PrintablePointer(err.Pointer)
		return nil, err
	}
	return data, nil
}

// Canonical parses data with the default [Limits] and writes it like [Marshal].
// Texts of the same value give the same bytes, whatever their white space,
// member order and spelling of numbers and strings.
func Canonical(data []byte) ([]byte, error) {
	tree, err := Parse(data, Limits{})
	if err != nil {
		return nil, err
	}
	return Marshal(tree)
}

func appendTree(dst []byte, tree any) ([]byte, *Error) {
	switch v := tree.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		return appendString(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case uint64:
		return strconv.AppendUint(dst, v, 10), nil
	case float64:
		return appendFloat(dst, v)
	case []any:
		return appendArray(dst, v)
	case map[string]any:
		return appendObject(dst, v)
	default:
		return nil, &Error{Rule: RuleValue, Message: "is not a value of a JSON tree"}
	}
}

func appendString(dst []byte, text string) ([]byte, *Error) {
	out, err := jsontext.AppendQuote(dst, text)
	if err != nil {
		return nil, &Error{Rule: RuleUTF8, Message: "must be valid UTF-8"}
	}
	return out, nil
}

func appendFloat(dst []byte, float float64) ([]byte, *Error) {
	if math.IsNaN(float) || math.IsInf(float, 0) {
		return nil, &Error{Rule: RuleValue, Message: "must be a finite number"}
	}
	if integer, ok := wholeFloat(float); ok {
		return appendTree(dst, integer)
	}
	return jsontext.AppendFloat(dst, float, 64), nil
}

func appendArray(dst []byte, list []any) ([]byte, *Error) {
	dst = append(dst, '[')
	for i, item := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err *Error
		if dst, err = appendTree(dst, item); err != nil {
			err.Pointer = PointerIndex("", i) + err.Pointer
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func appendObject(dst []byte, members map[string]any) ([]byte, *Error) {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.SortFunc(names, compareUTF16)
	dst = append(dst, '{')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err *Error
		if dst, err = appendString(dst, name); err == nil {
			dst, err = appendTree(append(dst, ':'), members[name])
		}
		if err != nil {
			err.Pointer = Pointer("", name) + err.Pointer
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// compareUTF16 orders names by their UTF-16 code units (RFC 8785, section
// 3.2.3). This is the order of their bytes, except for characters beyond the
// basic plane, whose surrogates sort before U+E000.
func compareUTF16(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for i > 0 && i < len(a) && !utf8.RuneStart(a[i]) {
		i--
	}
	if i >= len(a) || i >= len(b) {
		return strings.Compare(a, b)
	}
	x, _ := utf8.DecodeRuneInString(a[i:])
	y, _ := utf8.DecodeRuneInString(b[i:])
	if (x > 0xFFFF) != (y > 0xFFFF) {
		return leadUnit(x) - leadUnit(y)
	}
	return int(x) - int(y)
}

// leadUnit returns the first UTF-16 code unit of r. The value of a surrogate is
// enough to order it among others.
func leadUnit(r rune) int {
	if r > 0xFFFF {
		return 0xD800
	}
	return int(r)
}

// AppendNumber appends the canonical form of a literal, and returns the number
// as [Parse] reads it. It reports false for anything that is not a number or
// that Parse refuses. Limiting the length is up to the caller.
func AppendNumber(dst, literal []byte) (out []byte, number any, ok bool) {
	if v := jsontext.Value(literal); v.Kind() != jsontext.KindNumber || !v.IsValid() {
		return dst, nil, false
	}
	number, problem := parseNumber(string(literal))
	if problem != "" {
		return dst, nil, false
	}
	out, err := appendTree(dst, number)
	return out, number, err == nil
}
