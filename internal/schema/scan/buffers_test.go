package scan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema/scan"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Not parallel, because another run would use the buffers.
func TestBuffers_KeepNothingOfACall(t *testing.T) { //nolint:paralleltest // see above
	for name, c := range map[string]struct {
		text    string
		isValid bool
	}{
		"an accepted text":        {`{"b":"secret","a":["secret"]}`, true},
		"a text that breaks off":  {`{"c":{"b":"secret","a":"secret"},"d":"secret`, false},
		"a text with equal names": {`{"b":"secret","a":{"z":"secret","y":1},"b":"secret"}`, false},
	} {
		out, spare, ok := scan.Left([]byte(c.text))
		require.Equal(t, c.isValid, ok, name)
		require.NotEmpty(t, out, name)
		require.NotEmpty(t, spare, "%s: its members were sorted", name)
		assert.NotContains(t, string(out), "secret", name)
		assert.NotContains(t, string(spare), "secret", name)
	}
}

// The slow path refuses a name that is too long. Not parallel, because another
// run would use the buffers.
func TestRun_LeavesALongNameToTheSlowPath(t *testing.T) { //nolint:paralleltest // see above
	for length, isValid := range map[int]bool{strictjson.DefaultNameLength: true, strictjson.DefaultNameLength + 1: false} {
		_, _, ok := scan.Left([]byte(`{"` + strings.Repeat("a", length) + `":1}`))
		assert.Equal(t, isValid, ok, length)
	}
}
