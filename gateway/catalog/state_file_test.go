package catalog_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/gateway/catalog"
)

func TestReadState_AFileThatOthersCanChangeIsAnError(t *testing.T) {
	t.Parallel()
	for name, expose := range map[string]func(t *testing.T, path string){
		"others can write it": func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o622)) },
		"a link": func(t *testing.T, path string) {
			other := filepath.Join(t.TempDir(), "other.json")
			require.NoError(t, os.Rename(path, other))
			require.NoError(t, os.Symlink(other, path))
		},
		"another user owns it": func(t *testing.T, path string) {
			if os.Getuid() != 0 {
				t.Skip("only root can give a file away")
			}
			require.NoError(t, os.Chown(path, 12345, -1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := stateFile(t)
			require.NoError(t, state(3).WriteFile(path))
			_, err := catalog.ReadState(path)
			require.NoError(t, err)
			expose(t, path)
			_, err = catalog.ReadState(path)
			require.NotEmpty(t, catalog.Errors(err))
			assert.Equal(t, "state.file", catalog.Errors(err)[0].Rule)
		})
	}
}

func TestRefresh_AStateFileOfTwoCataloguesIsAnError(t *testing.T) {
	t.Parallel()
	path := stateFile(t)
	s := listing(declared("send", `"effect":"destructive"`))
	first, second := newCatalog(t, mail(s), withStateFile(path)), newCatalog(t, mail(s), withStateFile(path))
	before := refresh(t, first)
	s.tools = append(s.tools, tool("read", ""))
	_, err := second.Refresh(t.Context())
	require.NotEmpty(t, catalog.Errors(err), "it would forget what the first has seen")
	assert.Equal(t, "state.shared", catalog.Errors(err)[0].Rule)
	assert.Zero(t, second.Cycle())
	after := refresh(t, first)
	assert.Equal(t, before.Number+1, after.Number)
	require.NoError(t, os.Remove(path))
	refresh(t, first)
	read, err := catalog.ReadState(path)
	require.NoError(t, err)
	assert.Len(t, read.Tools, 2, "a file that is gone is written again")
}
