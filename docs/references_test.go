package docs_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxBackward bounds, in percent, the references between the files of a package
// that run back, in the order in which the files use each other.
const maxBackward = 15

// forward has the folders whose packages are held to it.
var forward = []string{"contract", "guard", "mcpgo"}

// noImports imports nothing, because only the objects of a package itself
// matter here.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not imported") }

// references returns which files of a folder use which others.
func references(t *testing.T, folder string) (names []string, uses map[[2]int]bool) {
	t.Helper()
	fset := token.NewFileSet()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, filepath.Join(folder, e.Name()), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
		names = append(names, filepath.Join(folder, e.Name()))
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: noImports{}, Error: func(error) {}}
	pkg, _ := conf.Check(folder, fset, files, &info)
	uses = map[[2]int]bool{}
	for id, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		from := slices.Index(names, fset.Position(id.Pos()).Filename)
		to := slices.Index(names, fset.Position(object.Pos()).Filename)
		if from != to && from >= 0 && to >= 0 {
			uses[[2]int{from, to}] = true
		}
	}
	return names, uses
}

// backward returns the number of references that run back in the best order of
// the files that a simple search finds: it moves one file at a time, from the
// order of their names and from the reverse.
func backward(files int, uses map[[2]int]bool) int {
	byName := make([]int, files)
	for i := range byName {
		byName[i] = i
	}
	reversed := slices.Clone(byName)
	slices.Reverse(reversed)
	return min(backwardFrom(byName, uses), backwardFrom(reversed, uses))
}

func backwardFrom(order []int, uses map[[2]int]bool) int {
	files := len(order)
	count := func(order []int) int {
		at := make([]int, files)
		for i, file := range order {
			at[file] = i
		}
		n := 0
		for use := range uses {
			if at[use[0]] > at[use[1]] {
				n++
			}
		}
		return n
	}
	best := count(order)
	for improved := true; improved; {
		improved = false
		for from := range files {
			for to := range files {
				moved := slices.Clone(order)
				file := moved[from]
				moved = slices.Insert(slices.Delete(moved, from, from+1), to, file)
				if n := count(moved); n < best {
					best, order, improved = n, moved, true
				}
			}
		}
	}
	return best
}

// Within each package, most references run in one direction. Between packages
// the compiler sees to it.
func TestPackages_ReferencesRunForward(t *testing.T) {
	t.Parallel()
	var folders []string
	for _, root := range forward {
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() != "testdata" {
				folders = append(folders, path)
			}
			return err
		}))
	}
	for _, folder := range folders {
		files, uses := references(t, folder)
		if len(uses) == 0 {
			continue
		}
		back := backward(len(files), uses)
		t.Logf("%s: %d files, %d references, %d back (%d %%)", folder, len(files), len(uses), back, 100*back/len(uses))
		assert.LessOrEqual(t, 100*back, maxBackward*len(uses), "%s: references between its files run back", folder)
	}
}
