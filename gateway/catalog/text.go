package catalog

import "github.com/toolcontract/toolcontract/internal/servertext"

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

// cleanTree cleans every text in a JSON tree, also the names of members.
func cleanTree(tree any) any {
	switch v := tree.(type) {
	case string:
		clean, _ := servertext.Bounded(v, maxClauseText)
		return clean
	case []any:
		for i := range v {
			v[i] = cleanTree(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, value := range v {
			name, _ = servertext.Bounded(name, maxWord)
			clean[name] = cleanTree(value)
		}
		return clean
	}
	return tree
}
