package witness_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

func TestTree_Diff(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		act  func(t *testing.T, root *os.Root)
		want []witness.Event
	}{
		{"nothing", func(*testing.T, *os.Root) {}, nil},
		{"a read", func(t *testing.T, root *os.Root) {
			_, err := root.ReadFile("a")
			require.NoError(t, err)
		}, nil},
		{"a new file in a new folder", func(t *testing.T, root *os.Root) {
			require.NoError(t, root.Mkdir("new", 0o700))
			require.NoError(t, root.WriteFile("new/b", nil, 0o600))
		}, []witness.Event{{Kind: witness.Write, Path: "new"}, {Kind: witness.Write, Path: "new/b"}}},
		{"other content of the same size", func(t *testing.T, root *os.Root) {
			require.NoError(t, root.WriteFile("a", []byte("B"), 0o600))
		}, []witness.Event{{Kind: witness.Write, Path: "a"}}},
		{"a removed folder", func(t *testing.T, root *os.Root) {
			require.NoError(t, root.RemoveAll("sub"))
		}, []witness.Event{{Kind: witness.Remove, Path: "sub"}, {Kind: witness.Remove, Path: "sub/c"}}},
		{"a mode", func(t *testing.T, root *os.Root) {
			require.NoError(t, root.Chmod("a", 0o640))
		}, []witness.Event{{Kind: witness.Mode, Path: "a"}}},
		{"a link to another target", func(t *testing.T, root *os.Root) {
			require.NoError(t, root.Remove("link"))
			require.NoError(t, root.Symlink("sub", "link"))
		}, []witness.Event{{Kind: witness.Write, Path: "link"}}},
		{"a rename", func(t *testing.T, root *os.Root) {
			require.NoError(t, root.Rename("a", "z"))
		}, []witness.Event{{Kind: witness.Remove, Path: "a"}, {Kind: witness.Write, Path: "z"}}},
		{"a file that becomes a folder", func(t *testing.T, root *os.Root) {
			require.NoError(t, root.Remove("a"))
			require.NoError(t, root.Mkdir("a", 0o700))
		}, []witness.Event{{Kind: witness.Write, Path: "a"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			root, err := os.OpenRoot(dir)
			require.NoError(t, err)
			defer func() { assert.NoError(t, root.Close()) }()
			require.NoError(t, root.WriteFile("a", []byte("A"), 0o600))
			require.NoError(t, root.Mkdir("sub", 0o700))
			require.NoError(t, root.WriteFile("sub/c", nil, 0o600))
			require.NoError(t, root.Symlink("a", "link"))

			before, err := witness.Tree(dir)
			require.NoError(t, err)
			tt.act(t, root)
			after, err := witness.Tree(dir)
			require.NoError(t, err)

			for i := range tt.want {
				tt.want[i].By = witness.Folder
				tt.want[i].Path = filepath.Join(dir, filepath.FromSlash(tt.want[i].Path))
			}
			got := before.Diff(after)
			for i := range got {
				got[i].Detail = ""
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestTree_AMissingFolderIsEmpty(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "later")
	before, err := witness.Tree(dir)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(dir, 0o700))
	after, err := witness.Tree(dir)
	require.NoError(t, err)
	require.Len(t, before.Diff(after), 1)
	assert.Equal(t, witness.Write, before.Diff(after)[0].Kind)
	assert.Equal(t, witness.Remove, after.Diff(before)[0].Kind)
}
