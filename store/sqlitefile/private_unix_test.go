//go:build unix

package sqlitefile_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// oddName is a name that ends in characters with a meaning in URIs.
const oddName = "?#%20 &é.db"

func assertForTheUserAlone(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o077, path)
}
