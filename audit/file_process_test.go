//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package audit_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
)

// The test binary runs itself as another process. childEnv selects its task,
// and logEnv its log.
const (
	childEnv = "AUDIT_TEST_CHILD"
	logEnv   = "AUDIT_TEST_LOG"
)

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "write":
		err = writeForEver(os.Getenv(logEnv))
	case "limit":
		err = writeUpToALimit(os.Getenv(logEnv))
	default:
		err = errors.New("unknown child")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child returns the test binary as another process.
func child(t *testing.T, what, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childEnv+"="+what, logEnv+"="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

// writeForEver writes events from several goroutines, and prints the call id of
// each event that was written.
func writeForEver(path string) error {
	sink, err := audit.OpenFile(path)
	if err != nil {
		return err
	}
	failed := make(chan error)
	for w := range 8 {
		go func() {
			for n := 0; ; n++ {
				event := numbered(allKinds()[n%4], n)
				event.CallID = fmt.Sprintf("%d-%d-%d", os.Getpid(), w, n)
				event.Error = strings.Repeat("x", 2_000)
				if err := sink.Write(context.Background(), event); err != nil {
					failed <- err
					return
				}
				fmt.Println(event.CallID)
			}
		}()
	}
	return <-failed
}

func TestFileSurvivesKill9(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	var kept []string
	head := audit.Genesis
	for range 5 {
		cmd := child(t, "write", path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines, enough := bufio.NewScanner(out), len(kept)+100
		for lines.Scan() {
			if id := lines.Text(); strings.Count(id, "-") == 2 {
				kept = append(kept, id)
			}
			if len(kept) == enough {
				_, err := audit.OpenFile(path)
				assert.ErrorIs(t, err, audit.ErrLocked, "the other process has the log")
				require.NoError(t, cmd.Process.Kill())
			}
		}
		require.Error(t, cmd.Wait())
		require.GreaterOrEqual(t, len(kept), enough)

		report := verifyFile(t, path, head)
		t.Log(report)
		require.Subset(t, callIDs(readLog(t, path)), kept, "what Write returned nil for is there")

		sink := openLog(t, path)
		event := numbered(audit.Intent, 1)
		event.CallID = fmt.Sprintf("after-%d", len(kept))
		require.NoError(t, sink.Write(t.Context(), event))
		require.NoError(t, sink.Close())
		kept, head = append(kept, event.CallID), sink.Head()
		after := verifyFile(t, path, head)
		assert.Equal(t, report.Records+1, after.Records)
		assert.Equal(t, report.Torn, after.Torn)
		assert.False(t, after.TornTail)
	}
}

// writeUpToALimit writes events until the file may not grow, and one more after
// the limit is lifted.
func writeUpToALimit(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	sink, err := audit.OpenFile(path)
	if err != nil {
		return err
	}
	low := limit
	low.Cur = 1000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
		return err
	}
	for n := 0; err == nil; n++ {
		if err = sink.Write(context.Background(), numbered(audit.Intent, n)); err == nil {
			fmt.Printf("c%d\n", n)
		}
	}
	if !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("the limit is not felt: %w", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := sink.Write(context.Background(), numbered(audit.Intent, 100)); err != nil {
		return err
	}
	fmt.Println("c100")
	return sink.Close()
}

func TestFileHasAWholeChainWhenTheFileMayNotGrow(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	out, err := child(t, "limit", path).Output()
	require.NoError(t, err)
	report := verifyFile(t, path, "")
	assert.Equal(t, 1, report.Torn)
	assert.Equal(t, strings.Fields(string(out)), callIDs(readLog(t, path)))
}

func TestFileHashIsTheOneThatTheDocumentationComputes(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"sh", "sed", "tr", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	path := logPath(t)
	sink := openLog(t, path)
	require.NoError(t, sink.Write(t.Context(), hostileEvent()))
	require.NoError(t, sink.Write(t.Context(), fullEvent()))
	require.NoError(t, sink.Close())
	const documented = `sed -n 2p "$0" | sed 's/,"hash":"[0-9a-f]*"}$/}/' | tr -d '\n' | sha256sum`
	out, err := exec.CommandContext(t.Context(), "sh", "-c", documented, path).Output()
	require.NoError(t, err)
	assert.Equal(t, sink.Head(), strings.Fields(string(out))[0])
}
