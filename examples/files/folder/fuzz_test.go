package folder

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/contracttest"
)

// FuzzFolder calls the tools in sequences, each on a folder of its own.
func FuzzFolder(f *testing.F) {
	opened := func(t testing.TB) (*Folder, string) {
		dir := filepath.Join(t.TempDir(), "root")
		put(t, "milk", dir, "a.txt")
		folder, err := Open(dir, false)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, folder.Close()) })
		return folder, dir
	}
	first, _ := opened(f)
	tools, err := first.Tools()
	require.NoError(f, err)
	contracttest.FuzzTools(f, tools,
		contracttest.WithDrawn(15),
		contracttest.WithFixture(func(t testing.TB) contracttest.Fixture {
			folder, dir := opened(t)
			fresh, err := folder.Tools()
			require.NoError(t, err)
			return contracttest.Fixture{Tools: fresh, Folders: []string{dir}}
		}),
		contracttest.Case{Tool: "files.list", Input: ListInput{}},
		contracttest.Case{Tool: "files.read", Input: ReadInput{Path: "a.txt"}},
		contracttest.Case{Tool: "files.write", Input: WriteInput{Path: "b.txt", Content: "tea"}},
		contracttest.Case{Tool: "files.write", Input: WriteInput{Path: "a.txt", Content: "tea", Overwrite: true}})
}
