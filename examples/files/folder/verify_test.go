package folder

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/contracttest"
)

func TestTools_DoWhatTheirContractsDeclare(t *testing.T) {
	t.Parallel()
	cases := map[string][]contracttest.VerifyOption{
		"files.list": {contracttest.Case{Input: ListInput{}}, contracttest.Case{Name: "no folder", Input: ListInput{Path: "none"}}},
		"files.read": {
			contracttest.Case{Input: ReadInput{Path: "a.txt"}},
			contracttest.Case{Name: "no file", Input: ReadInput{Path: "none"}},
			contracttest.Case{Name: "outside", Input: ReadInput{Path: "../a"}},
		},
		"files.write": {
			contracttest.Case{Name: "new", Input: WriteInput{Path: "b.txt", Content: "tea and milk"}},
			contracttest.Case{Name: "replaced", Input: WriteInput{Path: "a.txt", Content: "tea and milk", Overwrite: true}},
			contracttest.Case{Name: "outside", Input: WriteInput{Path: "../b"}},
		},
	}
	f, _ := open(t)
	tools, err := f.Tools()
	require.NoError(t, err)
	for i, tool := range tools {
		t.Run(tool.Name(), func(t *testing.T) {
			t.Parallel()
			fresh := contracttest.WithFixture(func(t testing.TB) contracttest.Fixture {
				dir := filepath.Join(t.TempDir(), "root")
				put(t, "milk", dir, "a.txt")
				f, err := Open(dir, false)
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, f.Close()) })
				fresh, err := f.Tools()
				require.NoError(t, err)
				return contracttest.Fixture{Tool: fresh[i], Folders: []string{dir}}
			})
			contracttest.Verify(t, tool, append(cases[tool.Name()], fresh)...)
		})
	}
}
