package examplestore

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSealingKey_IsDecodedOrReplaced(t *testing.T) {
	t.Parallel()
	long := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
	tests := []struct {
		name, encoded string
		want          string
		warns, fails  bool
	}{
		{"a key of 32 bytes", long, strings.Repeat("k", 32), false, false},
		{"no key", "", exampleKey, true, false},
		{"a key that is too short", base64.StdEncoding.EncodeToString([]byte("short")), "", false, true},
		{"invalid base64", strings.Repeat("?", 64), "", false, true},
		{"base64 without padding", strings.TrimRight(long, "="), "", false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			key, warnings, err := (&Store{KeyEnv: "KEY"}).sealingKey(tt.encoded)
			assert.Equal(t, tt.want, string(key))
			assert.Equal(t, tt.warns, len(warnings) > 0)
			assert.Equal(t, tt.fails, err != nil)
			if err != nil {
				assert.NotContains(t, err.Error(), tt.encoded, "the key must not be logged")
			}
		})
	}
}
