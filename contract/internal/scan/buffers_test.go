package scan_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/internal/scan"
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
