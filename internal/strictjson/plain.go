package strictjson

// IsPlain reports whether all strings and names in a JSON text are certain to
// consist of printable ASCII, tabs and line feeds.
func IsPlain(text []byte) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c < ' ' || c > '~':
			return false
		case c == '\\':
			if i++; i == len(text) || !isPlainEscape(text[i]) {
				return false
			}
		}
	}
	return true
}

func isPlainEscape(c byte) bool { return c == '"' || c == '\\' || c == '/' || c == 'n' || c == 't' }

// Count counts the values in a tree of [Parse], including the root.
func Count(tree any) int {
	n := 1
	switch v := tree.(type) {
	case []any:
		for _, item := range v {
			n += Count(item)
		}
	case map[string]any:
		for _, item := range v {
			n += Count(item)
		}
	}
	return n
}
