package toolcontract_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/toolcontract/toolcontract"

// layers says, for each part of the module, on which other parts it may rest.
// A package belongs to the part with the longest name that begins its path; a
// part may always use itself.
var layers = map[string][]string{
	"internal":          {},
	"risk":              {"internal"},
	"trust":             {"internal"},
	"idempotency":       {"internal"},
	"dryrun":            {"internal"},
	"contract/internal": {"internal"},
	"contract":          {"internal", "contract/internal", "risk", "trust", "idempotency", "dryrun"},
	"contract/audit":    {"internal", "risk"},
	"contract/guard":    {"internal", "contract/internal", "risk", "trust", "idempotency", "dryrun", "contract", "contract/audit"},
	"contract/mcpgo":    {"internal", "contract/internal", "risk", "trust", "idempotency", "dryrun", "contract", "contract/audit", "contract/guard"},
	"contract/approval": {"internal", "risk", "trust", "idempotency", "contract", "contract/audit", "contract/guard"},
	"contract/contracttest": {
		"internal", "contract/internal", "risk", "trust", "idempotency", "dryrun",
		"contract", "contract/audit", "contract/guard", "contract/mcpgo",
	},
	"examples": {"risk", "trust", "idempotency", "dryrun", "contract", "contract/audit", "contract/guard", "contract/approval", "contract/mcpgo"},
}

// mcp-go is imported at the seam and by what serves, nowhere else.
const (
	mcpGo    = "github.com/mark3labs/mcp-go"
	seam     = "contract/mcpgo"
	examples = "examples"
)

func partOf(pkg string) string {
	for p := pkg; p != "."; p = path.Dir(p) {
		if _, ok := layers[p]; ok {
			return p
		}
	}
	return ""
}

func TestArchitecture_PackagesRestOnWhatIsBelowThem(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || pkg == "." {
			return nil
		}
		part := partOf(pkg)
		require.NotEmpty(t, part, "%s belongs to no part of the architecture", pkg)
		seen[part] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			if strings.HasPrefix(imported, mcpGo) {
				assert.Contains(t, []string{seam, examples}, part, "%s imports mcp-go", file)
			}
			below, ok := strings.CutPrefix(imported, module+"/")
			if !ok || partOf(below) == part {
				continue
			}
			assert.True(t, slices.Contains(layers[part], partOf(below)), "%s must not import %s", file, below)
		}
		return nil
	})
	require.NoError(t, err)
	for part := range layers {
		assert.True(t, seen[part], "the part %s has no package", part)
	}
}
