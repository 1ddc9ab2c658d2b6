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
const largest = 16_500_000

// A function that looks up methods by an index or a name of run time makes the
// linker keep every exported method of every type. The linker marks it with
// <ReflectMethod>.
func TestSmallest_LinksNoMethodsThatNothingCalls(t *testing.T) {
	t.Parallel()
	longtest.Only(t)
	binary := filepath.Join(t.TempDir(), "smallest")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-dumpdep", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err)
	edges := strings.Split(string(out), "\n")
	require.Greater(t, len(edges), 1000, "the linker prints its edges")
	looksUp := map[string]bool{}
	for _, edge := range edges {
		for symbol := range strings.SplitSeq(edge, " -> ") {
			name, marked := strings.CutSuffix(symbol, " <ReflectMethod>")
			ours := strings.HasPrefix(name, "github.com/toolcontract/") || strings.HasPrefix(name, "main.")
			looksUp[name] = looksUp[name] || marked && ours
		}
	}
	maps.DeleteFunc(looksUp, func(_ string, is bool) bool { return !is })
	assert.Empty(t, slices.Sorted(maps.Keys(looksUp)))
	info, err := os.Stat(binary)
	require.NoError(t, err)
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		assert.LessOrEqual(t, info.Size(), int64(largest))
	}
}
