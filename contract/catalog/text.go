package catalog

import (
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/trust"
)

// The bounds of what one tool may have. Longer texts are cut; a tool with a
// larger part is quarantined.
const (
	maxTitle       = 256
	maxDescription = 16 << 10
	maxClauseText  = 4 << 10 // one text of a contract in _meta
	maxWord        = 128     // a version, an alias or a permission
	maxWords       = 64      // the aliases or the permissions of a tool
	maxContract    = 128 << 10
	maxSchema      = 256 << 10
)

// shown returns a text of a server without characters that hide or reorder
// text, and cut to a number of bytes. It reports whether the text was cut.
func shown(text string, limit int) (clean string, cut bool) {
	// It is cut first, because cleaning costs time for each byte.
	if cut = len(text) > limit; cut {
		end := limit
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	clean, _ = trust.Sanitize(text)
	return clean, cut
}

// cleanTree cleans every text in a JSON tree, also the names of members.
func cleanTree(tree any) any {
	switch v := tree.(type) {
	case string:
		clean, _ := shown(v, maxClauseText)
		return clean
	case []any:
		for i := range v {
			v[i] = cleanTree(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, value := range v {
			name, _ = shown(name, maxWord)
			clean[name] = cleanTree(value)
		}
		return clean
	}
	return tree
}
