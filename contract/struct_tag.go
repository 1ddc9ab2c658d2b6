package contract

import (
	"strconv"
	"strings"
)

// A tagPair is one key:"value" of a struct tag.
type tagPair struct{ key, value string }

// parseStructTag reads a whole struct tag. reflect.StructTag.Lookup stops
// without a word at the first thing it cannot read, and returns the first of
// two equal keys; here both are mistakes. The message is empty when all is well.
func parseStructTag(tag string) (pairs []tagPair, message string) {
	seen := map[string]bool{}
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
		if seen[key] {
			return pairs, "the key " + key + " stands twice"
		}
		seen[key] = true
		pairs = append(pairs, tagPair{key, value})
	}
}
