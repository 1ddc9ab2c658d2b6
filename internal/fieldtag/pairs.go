package fieldtag

import (
	"slices"
	"strconv"
	"strings"
)

// A Pair is one key:"value" of a struct tag. The value is unquoted.
type Pair struct{ Key, Value string }

// Pairs reads a whole struct tag. A malformed tag and a repeated key are
// mistakes: message then describes the mistake, and pairs holds what precedes
// it. [reflect.StructTag.Lookup] reports neither, and ignores the rest of the
// tag.
func Pairs(tag string) (pairs []Pair, message string) {
	for {
		tag = strings.TrimLeft(tag, " ")
		if tag == "" {
			return pairs, ""
		}
		i := strings.IndexFunc(tag, func(r rune) bool { return r <= ' ' || r == ':' || r == '"' || r == 0x7f })
		if i <= 0 || i+1 >= len(tag) || tag[i] != ':' || tag[i+1] != '"' {
			return pairs, `a struct tag is a list of key:"value" pairs separated by spaces`
		}
		key := tag[:i]
		quoted, err := strconv.QuotedPrefix(tag[i+1:])
		if err != nil {
			return pairs, "the value of " + key + " is not a quoted string"
		}
		value, err := strconv.Unquote(quoted)
		if err != nil {
			return pairs, "the value of " + key + " is not a quoted string"
		}
		tag = tag[i+1+len(quoted):]
		if tag != "" && tag[0] != ' ' {
			return pairs, "a space is missing after the value of " + key
		}
		if slices.ContainsFunc(pairs, func(p Pair) bool { return p.Key == key }) {
			return pairs, "the key " + key + " stands twice"
		}
		pairs = append(pairs, Pair{key, value})
	}
}
