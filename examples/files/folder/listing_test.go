package folder

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestList_HasTheEntriesThatAPathCanNameInOrder(t *testing.T) {
	t.Parallel()
	f, dir := open(t)
	for _, name := range []string{
		"b.txt", "B.txt", "a/inner.txt", "ä.txt", ".hidden", temporary + "ABC", "nul", "a\nb", "a\u202eb", "trailing.",
	} {
		put(t, "12345", dir, filepath.FromSlash(name))
	}
	want := []Entry{
		{Name: ".hidden", Size: 5}, {Name: "B.txt", Size: 5}, {Name: "a", Dir: true}, {Name: "b.txt", Size: 5},
		{Name: "ä.txt", Size: 5},
	}
	for _, path := range []string{"", "."} {
		out, err := f.list(t.Context(), ListInput{Path: path})
		require.NoError(t, err)
		assert.Equal(t, ListOutput{Entries: want}, out)
	}
	out, err := f.list(t.Context(), ListInput{Path: "a"})
	require.NoError(t, err)
	assert.Equal(t, ListOutput{Entries: []Entry{{Name: "inner.txt", Size: 5}}}, out)
}

func TestList_RefusesMissingFoldersAndFiles(t *testing.T) {
	t.Parallel()
	f, dir := open(t)
	put(t, "x", dir, "file.txt")
	for path, want := range map[string]error{
		"none": ErrNotFound, "none/none": ErrNotFound, "file.txt": ErrInvalidPath, "file.txt/a": ErrInvalidPath,
	} {
		_, err := f.list(t.Context(), ListInput{Path: path})
		assert.ErrorIs(t, err, want, path)
	}
	empty, _ := open(t)
	out, err := empty.list(t.Context(), ListInput{})
	require.NoError(t, err)
	assert.Equal(t, ListOutput{Entries: []Entry{}}, out)
}

func TestList_IsBounded(t *testing.T) {
	t.Parallel()
	f, dir := open(t)
	for i := range maxEntries {
		put(t, "", dir, fmt.Sprintf("%04d", i))
	}
	out, err := f.list(t.Context(), ListInput{})
	require.NoError(t, err)
	assert.Len(t, out.Entries, maxEntries)
	assert.False(t, out.More)

	put(t, "", dir, "last")
	out, err = f.list(t.Context(), ListInput{})
	require.NoError(t, err)
	assert.Len(t, out.Entries, maxEntries)
	assert.Equal(t, "0999", out.Entries[maxEntries-1].Name)
	assert.True(t, out.More)
}
