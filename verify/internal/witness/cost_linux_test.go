//go:build amd64 || arm64

package witness_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// With -v, this test also reports the time that a tool, a window and a call
// take, and a child process's memory.
func TestKernel_ManyEqualActsAreOneEvent(t *testing.T) {
	needKernel(t)
	const calls, tools = 2000, 20
	begin := time.Now()
	for i := range tools {
		witness.Run(t, fmt.Sprint("tool ", i), witness.Options{}, func(_ *testing.T, rec *witness.Recorder) []byte {
			rec.Window(func() {})
			return nil
		}, noError)
	}
	perTool := time.Since(begin) / tools

	witness.Run(t, "calls", witness.Options{}, func(t *testing.T, rec *witness.Recorder) []byte {
		missing := newRun(t).path("missing")
		begin := time.Now()
		seen := rec.Window(func() {
			for range calls {
				_ = os.Mkdir(missing+"/x", 0o700)
			}
		})
		named := time.Since(begin) / calls
		require.Len(t, seen.Events, 1)
		file, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		require.NoError(t, err)
		begin = time.Now()
		rec.Window(func() {
			for range calls {
				_, _ = file.WriteString("x")
			}
		})
		written := time.Since(begin) / calls
		begin = time.Now()
		for range 50 {
			rec.Window(func() {})
		}
		window := time.Since(begin) / 50
		status, err := os.ReadFile("/proc/self/status")
		require.NoError(t, err)
		_, peak, _ := strings.Cut(string(status), "VmHWM:")
		peak, _, _ = strings.Cut(strings.TrimSpace(peak), "\n")
		return fmt.Appendf(nil, "a call with a path %v, a write %v, a window %v, peak memory %s", named, written, window, peak)
	}, func(t *testing.T, result witness.Result, err error) {
		require.NoError(t, err)
		t.Logf("a tool %v, %s", perTool, result.Report)
	})
}
