package servertext_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/servertext"
)

func TestBounded_CleansAndCuts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		clean string
		cut   bool
	}{
		"":                    {"", false},
		"four":                {"four", false},
		"fours":               {"four…", true},
		"foué":                {"fou…", true},
		"日本":                  {"日…", true},
		"a\u202eb":            {"a…", true},
		"\u202eb":             {"b", false},
		"\x80\x80\x80\x80b":   {"\ufffd\ufffd\ufffd\ufffd…", true},
		"\u202e\u202e\u202eb": {"…", true},
	} {
		clean, cut := servertext.Bounded(text, 4)
		assert.Equal(t, want.clean, clean, "%q", text)
		assert.Equal(t, want.cut, cut, "%q", text)
	}
}
