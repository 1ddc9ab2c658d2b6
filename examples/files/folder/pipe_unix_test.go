//go:build unix

package folder

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPipes_AreNotFiles(t *testing.T) {
	t.Parallel()
	f, dir := open(t)
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	_, err := f.read(t.Context(), ReadInput{Path: "pipe"}) // returns without a writer
	assertRefused(t, err)
	_, err = f.write(t.Context(), WriteInput{Path: "pipe", Overwrite: true})
	assertRefused(t, err)
	out, err := f.list(t.Context(), ListInput{})
	require.NoError(t, err)
	assert.Empty(t, out.Entries)
}
