package folder

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/fuzz"
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
	fuzz.Tools(f, tools,
		verify.WithDrawn(15),
		verify.WithFixture(func(t testing.TB) verify.Fixture {
			folder, dir := opened(t)
			fresh, err := folder.Tools()
			require.NoError(t, err)
			return verify.Fixture{Tools: fresh, Folders: []string{dir}}
		}),
		verify.Case{Tool: "files.list", Input: ListInput{}},
		verify.Case{Tool: "files.read", Input: ReadInput{Path: "a.txt"}},
		verify.Case{Tool: "files.write", Input: WriteInput{Path: "b.txt", Content: "tea"}},
		verify.Case{Tool: "files.write", Input: WriteInput{Path: "a.txt", Content: "tea", Overwrite: true}})
}
