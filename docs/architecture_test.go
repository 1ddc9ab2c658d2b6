package docs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
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

// vocabulary is what every package of the library may speak.
var vocabulary = []string{"internal", "internal/schema", "internal/bound", "internal/fieldtag", "internal/servertext",
	"risk", "trust", "idempotency", "dryrun"}

// layers names, for each part of the module, the other parts that it may
// import. A package belongs to the part with the longest name that begins its
// path. A part may always import itself.
var layers = map[string][]string{
	"internal":            {},
	"internal/schema":     {"internal", "trust"},
	"internal/bound":      {"internal", "internal/schema"},
	"internal/fieldtag":   {"internal", "internal/schema", "internal/bound"},
	"internal/servertext": {"trust"},
	"internal/exchange":   {"internal/bound", "contract", "guard/people"},
	"internal/trifecta":   {"contract", "risk"},

	"internal/testing": {"internal", "risk", "trust", "contract", "audit", "store", "guard/people", "guard", "agent/client", "agent"},

	"risk":        {"internal"},
	"trust":       {"internal"},
	"idempotency": {"internal"},
	"dryrun":      {"internal"},

	"contract/definition": vocabulary,
	"contract":            with(vocabulary, "contract/definition"),
	"internal/clausediff": with(vocabulary, "contract"),
	"internal/listing":    {"contract"},
	"contract/compat":     with(vocabulary, "contract", "internal/clausediff"),
	"adapter/wrap":        {"contract"},
	"adapter/belt":        {"guard"},

	"audit": {"internal", "risk"},
	"store": {"internal"},
	"host":  {},

	"guard/people":   {"risk", "contract"},
	"guard/internal": with(vocabulary, "contract", "audit", "store", "guard/people"),
	"guard/internal/consent": with(vocabulary, "contract", "internal/exchange", "audit",
		"store", "guard/people", "guard/internal", "guard/internal/answer",
		"guard/internal/facts"),

	// The engine of a call, from its leaves to its top.
	"guard/internal/facts": with(vocabulary, "contract", "store", "guard/people", "guard/internal"),
	"guard/internal/callctx": with(vocabulary, "contract", "store", "guard/internal",
		"guard/internal/facts"),
	"guard/internal/operatorlog": with(vocabulary, "contract", "guard/internal",
		"guard/internal/callctx", "guard/internal/facts"),
	"guard/internal/answer": {"contract", "internal/exchange", "store"},
	"guard/internal/running": {
		"internal", "internal/schema", "internal/bound", "trust", "contract", "store", "guard/internal",
		"guard/internal/answer", "guard/internal/callctx", "guard/internal/operatorlog",
	},
	"guard/internal/results": with(vocabulary, "contract", "internal/exchange", "guard/internal",
		"guard/internal/answer", "guard/internal/facts", "guard/internal/operatorlog",
		"guard/internal/running"),
	"guard/internal/access": with(vocabulary, "contract", "store",
		"guard/internal", "guard/internal/answer", "guard/internal/callctx",
		"guard/internal/consent", "guard/internal/facts", "guard/internal/operatorlog"),
	"guard/internal/rounds": with(vocabulary, "contract", "internal/exchange", "store",
		"guard/internal", "guard/internal/answer", "guard/internal/consent",
		"guard/internal/facts", "guard/internal/results"),
	"guard/internal/dryruns": with(vocabulary, "contract", "internal/exchange", "store",
		"guard/internal", "guard/internal/answer", "guard/internal/consent",
		"guard/internal/facts", "guard/internal/results", "guard/internal/running"),
	"guard/internal/records": with(vocabulary, "contract", "internal/exchange", "store",
		"guard/internal", "guard/internal/answer", "guard/internal/consent",
		"guard/internal/access", "guard/internal/callctx", "guard/internal/facts",
		"guard/internal/results", "guard/internal/running", "guard/internal/dryruns"),
	"guard/internal/engine": with(vocabulary, "contract", "internal/exchange", "audit",
		"store", "guard/people", "guard/internal", "guard/internal/access",
		"guard/internal/answer", "guard/internal/callctx", "guard/internal/consent",
		"guard/internal/facts", "guard/internal/operatorlog", "guard/internal/records",
		"guard/internal/results", "guard/internal/rounds",
		"guard/internal/running", "guard/internal/dryruns"),

	"guard": with(vocabulary, "contract", "internal/trifecta", "audit", "store",
		"internal/exchange", "guard/people", "guard/internal",
		"guard/internal/access", "guard/internal/callctx", "guard/internal/consent", "guard/internal/facts",
		"guard/internal/operatorlog", "guard/internal/running", "guard/internal/engine"),

	"serve":        {"internal", "adapter", "guard"},
	"serve/oauth":  {"internal", "guard"},
	"serve/pages":  {"internal", "trust", "contract", "store", "guard", "guard/people"},
	"gateway/keys": {"risk", "trust", "idempotency", "contract"},
	"adapter": with(vocabulary, "contract", "internal/clausediff", "internal/listing", "adapter/belt", "adapter/wrap",
		"internal/exchange", "audit", "store", "guard", "guard/people"),
	"mcpgo": {"internal", "contract", "adapter/belt", "adapter/wrap", "adapter", "guard"},
	"serve/program": {
		"internal", "contract", "audit", "guard", "guard/people", "adapter",
		"mcpgo", "gateway/keys", "serve",
		"serve/oauth", "serve/pages", "gateway/catalog",
	},
	"contracttest": with(vocabulary, "contract", "contract/definition", "contract/compat",
		"internal/trifecta", "audit", "guard", "guard/people",
		"internal/exchange", "internal/listing", "host"),

	"gateway": {"risk", "idempotency", "contract", "agent/client", "adapter", "gateway/catalog"},
	"gateway/catalog": with(vocabulary, "contract", "contract/compat", "adapter/wrap", "agent/client",
		"internal/trifecta", "guard", "internal/exchange", "adapter"),
	"agent/client": with(vocabulary, "contract"),
	"agent":        with(vocabulary, "contract", "agent/client"),
}

// with returns the parts of a list and more of them.
func with(parts []string, more ...string) []string { return slices.Concat(parts, more) }

// In this module, only the adapter imports mcp-go.
const (
	mcpGo          = "github.com/mark3labs/mcp-go"
	adapterOfMCPGo = "mcpgo"
)

// TestArchitecture_SharedPackagesHaveNoSDK also finds an SDK behind another
// module, because a user of one SDK must not get the other.
func TestArchitecture_SharedPackagesHaveNoSDK(t *testing.T) {
	t.Parallel()
	for _, pkg := range []string{
		"gateway/keys", "adapter", "contracttest", "verify", "gateway/catalog",
		"gateway", "agent/client", "agent", "host",
	} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./"+pkg).Output()
		require.NoError(t, err)
		deps := strings.Fields(string(out))
		assert.Contains(t, deps, module+"/"+pkg)
		for _, dep := range deps {
			for _, sdk := range []string{mcpGo, "github.com/modelcontextprotocol/go-sdk"} {
				assert.False(t, dep == sdk || strings.HasPrefix(dep, sdk+"/"), "%s depends on %s", pkg, dep)
			}
		}
	}
}

// TestArchitecture_AgentsHaveNoDatabase: a database in an agent would be
// several megabytes in every host.
func TestArchitecture_AgentsHaveNoDatabase(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./agent").Output()
	require.NoError(t, err)
	for dep := range strings.FieldsSeq(string(out)) {
		assert.False(t, strings.HasPrefix(dep, "modernc.org/") || dep == "database/sql", "the agent depends on %s", dep)
	}
}

// TestArchitecture_OnlyTestsThatFuzzHaveTheFlagsOfRapid: importing package
// rapid gives a test binary some flags, and tests that do not fuzz need none of
// them.
func TestArchitecture_OnlyTestsThatFuzzHaveTheFlagsOfRapid(t *testing.T) {
	t.Parallel()
	fuzz := []string{"verify/storetest", "verify/fuzz"}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.ImportPath}} {{.Deps}}", "./...",
		"./verify/...").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		pkg, deps, _ := strings.Cut(strings.TrimPrefix(line, module+"/"), " ")
		if !slices.Contains(fuzz, pkg) {
			assert.NotContains(t, deps, "pgregory.net/rapid", pkg)
		}
	}
	tests := []string{"list", "-deps", "-test", "./verify", "./contracttest"}
	out, err = exec.CommandContext(t.Context(), "go", tests...).Output()
	require.NoError(t, err)
	assert.NotContains(t, strings.Fields(string(out)), "pgregory.net/rapid")
}

// TestArchitecture_NoModuleImportsInternalPackagesOfAnother also holds for
// tests, because go mod tidy reads those of the packages that a user imports. A
// user can have the root in another version than a module beside it.
func TestArchitecture_NoModuleImportsInternalPackagesOfAnother(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	require.NoError(t, err)
	folders := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		folders[name] = folder
	}
	moduleOf := func(pkg string) string {
		for ; folders[pkg] == ""; pkg = path.Dir(pkg) {
			if pkg == "." {
				return ""
			}
		}
		return pkg
	}
	published, imports := 0, 0
	for name, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, "LICENSE")); err != nil {
			continue // it is not published
		}
		published++
		err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && file != folder && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || hasModule(file)) {
				return filepath.SkipDir
			}
			if !strings.HasSuffix(file, ".go") {
				return nil
			}
			for _, pkg := range importsOf(t, file) {
				if slices.Contains(strings.Split(pkg, "/"), "internal") && strings.HasPrefix(pkg, module+"/") {
					imports++
					assert.Equal(t, name, moduleOf(pkg), "%s imports %s", file, pkg)
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
	assert.Greater(t, published, 5, "the test finds the modules")
	assert.Greater(t, imports, 100, "the test finds the imports")
}

// importsOf returns the import paths of a file.
func importsOf(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	require.NoError(t, err)
	var paths []string
	for _, spec := range parsed.Imports {
		pkg, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		paths = append(paths, pkg)
	}
	return paths
}

func partOf(pkg string) string {
	for p := pkg; p != "."; p = path.Dir(p) {
		if _, ok := layers[p]; ok {
			return p
		}
	}
	return ""
}

func TestArchitecture_PackagesImportOnlyLowerLayers(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || hasModule(file)) {
			return filepath.SkipDir
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || pkg == "." {
			return nil
		}
		part := partOf(pkg)
		require.NotEmpty(t, part, "%s belongs to no part of the architecture", pkg)
		seen[part] = true
		for _, imported := range importsOf(t, file) {
			if strings.HasPrefix(imported, mcpGo) {
				assert.Equal(t, adapterOfMCPGo, part, "%s imports mcp-go", file)
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
