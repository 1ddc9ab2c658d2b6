package verify_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/internal/testing/failtest"
)

// searching returns a search tool that remembers what was searched for. README
// quotes this tool and the report.
func searching(history string) *contract.Tool {
	search := func(_ context.Context, in noteIn) (noteOut, error) {
		if err := os.WriteFile(history, []byte(in.Text), 0o600); err != nil {
			return noteOut{}, err
		}
		return noteOut{ID: "note-1"}, nil
	}
	return contract.New("notes.search", search).Description("Finds a note.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
}

// The parts of a report that vary from run to run.
var (
	lieDuration = regexp.MustCompile(` in [0-9.]+m?s\b`)
	lieFolder   = regexp.MustCompile(`write \S*/history.txt`)
)

func TestTool_ReportsALieAsItsAuthorSeesIt(t *testing.T) {
	t.Parallel()
	v := verify.Observe(t, searching(filepath.Join(t.TempDir(), "history.txt")), verify.Case{Name: "tea",
		Input: noteIn{Text: "tea"}})
	if v.NoKernel != "" {
		t.Skip("the kernel is no witness: " + v.NoKernel)
	}
	report := failtest.Text(t, func(t testing.TB) { verify.Assert(t, v) })
	report = lieFolder.ReplaceAllString(report, "write /var/lib/notes/history.txt")
	report = lieDuration.ReplaceAllString(report, " in 5ms") + "\n"
	const golden = "testdata/lie.txt"
	if os.Getenv("TOOLCONTRACT_UPDATE") == "1" {
		require.NoError(t, os.WriteFile(golden, []byte(report), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), report)
}
