package direct

import (
	"bytes"
	"strconv"
)

// The functions in this file take a valid JSON value, or nil.

const (
	maxID       = 255 // bytes
	maxIDDigits = 15  // a float64 holds every integer of 15 digits
	// maxDigits bounds each number in an object. A number with that many digits
	// is within the range of a float64.
	maxDigits = 300
)

// isID reports whether mcp-go would answer with the bytes of the ID as they
// were sent.
func isID(value []byte) bool {
	return isInteger(value) || isPlain(value) && len(value) <= maxID
}

// isInteger reports whether a value is an integer that a float64 holds, in its
// only spelling. So -0 is not one.
func isInteger(value []byte) bool {
	digits := bytes.TrimPrefix(value, []byte("-"))
	if len(digits) == 0 || len(digits) > maxIDDigits || len(digits) < len(value) && digits[0] == '0' {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// isPlain reports whether a value is a string of ASCII characters that
// encoding/json does not escape.
func isPlain(value []byte) bool {
	if len(value) == 0 || value[0] != '"' {
		return false
	}
	for _, c := range value[1 : len(value)-1] {
		if c < ' ' || c > '~' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// plainText returns the text of a plain string; see [isPlain].
func plainText(value []byte) (text string, ok bool) {
	if !isPlain(value) {
		return "", false
	}
	return string(value[1 : len(value)-1]), true
}

// scalar decodes a plain string or an integer as encoding/json does. It returns
// nil for any other value.
func scalar(value []byte) any {
	if text, ok := plainText(value); ok {
		return text
	}
	if !isInteger(value) {
		return nil
	}
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return nil
	}
	return number
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// fitsFloats reports whether every number in a value is within the range of a
// float64. To keep it simple, it refuses all numbers that have an exponent or
// many digits.
func fitsFloats(value []byte) bool {
	digits := 0
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '"':
			i = textEnd(value, i)
			digits = 0
		case c >= '0' && c <= '9':
			if digits++; digits > maxDigits {
				return false
			}
		case (c == 'e' || c == 'E') && digits > 0:
			return false
		default:
			digits = 0
		}
	}
	return true
}

// textEnd returns the index of the closing quote of the string whose opening
// quote is at an index.
func textEnd(value []byte, index int) int {
	for index++; index < len(value) && value[index] != '"'; index++ {
		if value[index] == '\\' {
			index++
		}
	}
	return index
}
