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
var vocabulary = []string{"internal", "contract/internal", "risk", "trust", "idempotency", "dryrun"}

// layers names, for each part of the module, the other parts that it may
// import. A package belongs to the part with the longest name that begins its
// path. A part may always import itself.
var layers = map[string][]string{
	"internal":             {},
	"internal/faultystore": {"internal", "contract/store"},
	"internal/clienttest":  {"internal", "contract/agent/client", "contract/agent"},
	"internal/sdktest": {"internal", "risk", "trust", "contract", "contract/guard/audit", "contract/guard/people",
		"contract/guard"},
	"risk":                       {"internal"},
	"trust":                      {"internal"},
	"idempotency":                {"internal"},
	"dryrun":                     {"internal"},
	"contract/internal":          {"internal", "risk", "trust", "idempotency", "dryrun"},
	"contract/internal/exchange": {"contract", "contract/guard/people"},

	"contract/definition":          vocabulary,
	"contract":                     with(vocabulary, "contract/definition"),
	"contract/contracttest/compat": with(vocabulary, "contract"),
	"contract/adapter/wrap":        {"contract"},
	"contract/internal/trifecta":   {"contract", "risk"},

	"contract/guard/audit": {"internal", "risk"},
	"contract/store":       {"internal"},
	"contract/host":        {},

	"contract/guard/people":   {"risk", "contract"},
	"contract/guard/internal": with(vocabulary, "contract", "contract/guard/audit", "contract/store", "contract/guard/people"),
	"contract/guard/internal/consent": with(vocabulary, "contract", "contract/internal/exchange", "contract/guard/audit",
		"contract/store", "contract/guard/people", "contract/guard/internal", "contract/guard/internal/answer",
		"contract/guard/internal/facts"),

	// The engine of a call, from its leaves to its top.
	"contract/guard/internal/facts": with(vocabulary, "contract", "contract/guard/people"),
	"contract/guard/internal/oplog": with(vocabulary, "contract", "contract/guard/internal",
		"contract/guard/internal/facts"),
	"contract/guard/internal/answer": {"contract", "contract/internal/exchange", "contract/store"},
	"contract/guard/internal/running": {
		"internal", "trust", "contract", "contract/internal", "contract/store", "contract/guard/internal",
		"contract/guard/internal/answer", "contract/guard/internal/oplog",
	},
	"contract/guard/internal/results": with(vocabulary, "contract", "contract/internal/exchange", "contract/guard/internal",
		"contract/guard/internal/answer", "contract/guard/internal/facts", "contract/guard/internal/oplog",
		"contract/guard/internal/running"),
	"contract/guard/internal/access": with(vocabulary, "contract", "contract/store",
		"contract/guard/internal", "contract/guard/internal/answer", "contract/guard/internal/consent",
		"contract/guard/internal/facts", "contract/guard/internal/oplog"),
	"contract/guard/internal/rounds": with(vocabulary, "contract", "contract/internal/exchange", "contract/store",
		"contract/guard/internal", "contract/guard/internal/answer", "contract/guard/internal/consent",
		"contract/guard/internal/results"),
	"contract/guard/internal/trial": with(vocabulary, "contract", "contract/internal/exchange", "contract/store",
		"contract/guard/internal", "contract/guard/internal/answer", "contract/guard/internal/consent",
		"contract/guard/internal/facts", "contract/guard/internal/results", "contract/guard/internal/running"),
	"contract/guard/internal/records": with(vocabulary, "contract", "contract/internal/exchange", "contract/store",
		"contract/guard/internal", "contract/guard/internal/answer", "contract/guard/internal/consent",
		"contract/guard/internal/access", "contract/guard/internal/facts", "contract/guard/internal/results",
		"contract/guard/internal/running", "contract/guard/internal/trial"),
	"contract/guard/internal/engine": with(vocabulary, "contract", "contract/internal/exchange", "contract/guard/audit",
		"contract/store", "contract/guard/people", "contract/guard/internal", "contract/guard/internal/access",
		"contract/guard/internal/answer", "contract/guard/internal/consent",
		"contract/guard/internal/facts", "contract/guard/internal/oplog", "contract/guard/internal/records",
		"contract/guard/internal/results", "contract/guard/internal/rounds",
		"contract/guard/internal/running", "contract/guard/internal/trial"),

	"contract/guard": with(vocabulary, "contract", "contract/internal/trifecta", "contract/guard/audit", "contract/store",
		"contract/internal/exchange", "contract/guard/people", "contract/guard/internal",
		"contract/guard/internal/access", "contract/guard/internal/consent", "contract/guard/internal/facts",
		"contract/guard/internal/oplog", "contract/guard/internal/running", "contract/guard/internal/engine"),

	"contract/serve":               {"internal", "contract/adapter", "contract/guard"},
	"contract/serve/oauth":         {"internal", "contract/guard"},
	"contract/serve/pages":         {"internal", "trust", "contract", "contract/store", "contract/guard", "contract/guard/people"},
	"contract/adapter/gatewaykeys": {"risk", "trust", "idempotency", "contract"},
	"contract/adapter": with(vocabulary, "contract", "contract/adapter/wrap", "contract/internal/exchange",
		"contract/guard/audit", "contract/store", "contract/guard", "contract/guard/people"),
	"contract/mcpgo": {"internal", "contract", "contract/adapter/wrap", "contract/adapter", "contract/guard"},
	"contract/serve/program": {
		"internal", "contract", "contract/guard/audit", "contract/guard", "contract/guard/people", "contract/adapter",
		"contract/mcpgo", "contract/adapter/gatewaykeys", "contract/serve",
		"contract/serve/oauth", "contract/serve/pages", "contract/gateway/catalog",
	},
	"contract/contracttest": with(vocabulary, "contract", "contract/definition", "contract/contracttest/compat",
		"contract/internal/trifecta", "contract/guard/audit", "contract/guard", "contract/guard/people",
		"contract/internal/exchange", "contract/adapter", "contract/host"),

	"contract/gateway": {"risk", "idempotency", "contract", "contract/agent/client", "contract/adapter", "contract/gateway/catalog"},
	"contract/gateway/catalog": with(vocabulary, "contract", "contract/adapter/wrap", "contract/agent/client",
		"contract/internal/trifecta", "contract/guard", "contract/internal/exchange", "contract/adapter"),
	"contract/agent/client": with(vocabulary, "contract"),
	"contract/agent":        with(vocabulary, "contract", "contract/agent/client"),
}

// with returns the parts of a list and more of them.
func with(parts []string, more ...string) []string { return slices.Concat(parts, more) }

// In this module, only the adapter imports mcp-go.
const (
	mcpGo          = "github.com/mark3labs/mcp-go"
	adapterOfMCPGo = "contract/mcpgo"
)

// TestArchitecture_SharedPackagesHaveNoSDK also finds an SDK behind another
// module, because a user of one SDK must not get the other.
func TestArchitecture_SharedPackagesHaveNoSDK(t *testing.T) {
	t.Parallel()
	for _, pkg := range []string{
		"contract/adapter/gatewaykeys", "contract/adapter", "contract/contracttest", "contract/verify", "contract/gateway/catalog",
		"contract/gateway", "contract/agent/client", "contract/agent", "contract/host",
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
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./contract/agent").Output()
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
	fuzz := []string{"contract/verify/storetest", "contract/verify/fuzz"}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.ImportPath}} {{.Deps}}", "./...",
		"./contract/verify/...").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		pkg, deps, _ := strings.Cut(strings.TrimPrefix(line, module+"/"), " ")
		if !slices.Contains(fuzz, pkg) {
			assert.NotContains(t, deps, "pgregory.net/rapid", pkg)
		}
	}
	tests := []string{"list", "-deps", "-test", "./contract/verify", "./contract/contracttest"}
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
