package main_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/internal/longtest"
)

// largest is how large the smallest server may be, in bytes, on linux/amd64.
const largest = 15_780_000

// A server over stdio links TLS only if its SDK does. mcp-go links nothing but
// what initializes the package; the official SDK links all of it.
func TestSmallest_IsSmall(t *testing.T) {
	t.Parallel()
	longtest.Only(t)
	binary, edges := build(t, ".")
	assert.Empty(t, slices.DeleteFunc(functions(t, binary, "crypto/tls"), func(name string) bool {
		return strings.HasSuffix(name, ".init") || strings.HasSuffix(name, ".init.0")
	}))
	assert.Empty(t, lookUps(edges))
	info, err := os.Stat(binary)
	require.NoError(t, err)
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		assert.LessOrEqual(t, info.Size(), int64(largest))
	}
}

func TestSmallest_OnTheOfficialSDKLinksNoMoreTLSThanTheSDK(t *testing.T) {
	t.Parallel()
	longtest.Only(t)
	plain, _ := build(t, "../gosdk/migration/plain")
	binary, edges := build(t, "../gosdk/smallest")
	sdk := functions(t, plain, "crypto/tls")
	require.NotEmpty(t, sdk)
	assert.Equal(t, sdk, functions(t, binary, "crypto/tls"))
	assert.Empty(t, lookUps(edges))
}

// build builds the program in a folder, and returns its file and the edges that
// its linker followed.
func build(t *testing.T, folder string) (binary, edges string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "server")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-dumpdep", "-o", binary, folder)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	require.Greater(t, strings.Count(string(out), " -> "), 1000, "the linker prints its edges")
	return binary, string(out)
}

// functions returns the functions of a package, and of those below it, that a
// binary has.
func functions(t *testing.T, binary, pkg string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "tool", "nm", binary).Output()
	require.NoError(t, err)
	require.Contains(t, string(out), " T main.main\n")
	var names []string
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) != 3 || !strings.EqualFold(fields[1], "t") {
			continue
		}
		if name := fields[2]; strings.HasPrefix(name, pkg+".") || strings.HasPrefix(name, pkg+"/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// lookUps returns the functions of this project that look up methods by an
// index or a name of run time. Such a function makes the linker keep every
// exported method of every type. The linker marks it with <ReflectMethod>.
func lookUps(edges string) []string {
	found := map[string]bool{}
	for edge := range strings.Lines(edges) {
		for symbol := range strings.SplitSeq(strings.TrimSpace(edge), " -> ") {
			name, marked := strings.CutSuffix(symbol, " <ReflectMethod>")
			if marked && (strings.HasPrefix(name, "github.com/toolcontract/") || strings.HasPrefix(name, "main.")) {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
