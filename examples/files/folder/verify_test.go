package folder

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/verify"
)

func TestTools_DoWhatTheirContractsDeclare(t *testing.T) {
	t.Parallel()
	cases := map[string][]verify.Option{
		"files.list": {verify.Case{Input: ListInput{}}, verify.Case{Name: "no folder", Input: ListInput{Path: "none"}}},
		"files.read": {
			verify.Case{Input: ReadInput{Path: "a.txt"}},
			verify.Case{Name: "no file", Input: ReadInput{Path: "none"}},
			verify.Case{Name: "outside", Input: ReadInput{Path: "../a"}},
		},
		"files.write": {
			verify.Case{Name: "new", Input: WriteInput{Path: "b.txt", Content: "tea and milk"}},
			verify.Case{Name: "replaced", Input: WriteInput{Path: "a.txt", Content: "tea and milk", Overwrite: true}},
			verify.Case{Name: "outside", Input: WriteInput{Path: "../b"}},
		},
	}
	f, _ := open(t)
	tools, err := f.Tools()
	require.NoError(t, err)
	for i, tool := range tools {
		t.Run(tool.Name(), func(t *testing.T) {
			t.Parallel()
			fresh := verify.WithFixture(func(t testing.TB) verify.Fixture {
				dir := filepath.Join(t.TempDir(), "root")
				put(t, "milk", dir, "a.txt")
				f, err := Open(dir, false)
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, f.Close()) })
				fresh, err := f.Tools()
				require.NoError(t, err)
				return verify.Fixture{Tool: fresh[i], Folders: []string{dir}}
			})
			verify.Tool(t, tool, append(cases[tool.Name()], fresh)...)
		})
	}
}
