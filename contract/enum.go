package contract

import (
	"fmt"
	"strings"
)

// The small enums of this package share their text form: index 0 is
// undeclared and has no text.

func enumString(kind string, texts []string, v uint8) string {
	switch {
	case v == 0:
		return "undeclared"
	case int(v) < len(texts):
		return texts[v]
	default:
		return fmt.Sprintf("%s(%d)", kind, v)
	}
}

func enumMarshal(kind string, texts []string, v uint8) ([]byte, error) {
	if v == 0 || int(v) >= len(texts) {
		return nil, fmt.Errorf("contract: %s %d has no text", kind, v)
	}
	return []byte(texts[v]), nil
}

func enumUnmarshal(kind string, texts []string, text []byte, v *uint8) error {
	for i, t := range texts {
		if i > 0 && t == string(text) {
			*v = uint8(i) //nolint:gosec // the tables have a handful of entries
			return nil
		}
	}
	return fmt.Errorf("contract: unknown %s: allowed are %s", kind, strings.Join(texts[1:], ", "))
}
