//go:build amd64 || arm64

package witness_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

func TestRun_FindsTestsByTheirNames(t *testing.T) {
	needKernel(t)
	t.Parallel()
	for _, name := range []string{
		"plain", "with spaces", "a.dot", "a/slash", "", "(group)|[set]", `\back`, "ünïcödé", "\x00\u202e", "a$^*+?{1}", "same",
		"same", "same#01",
	} {
		t.Run("outer "+name, func(t *testing.T) {
			t.Parallel()
			witness.Run(t, name, witness.Options{}, func(t *testing.T, _ *witness.Recorder) []byte {
				return []byte(t.Name())
			}, func(t *testing.T, result witness.Result, err error) {
				require.NoError(t, err)
				assert.Equal(t, t.Name(), string(result.Report))
			})
		})
	}
}

func TestRun_ObservesInOneProcessAndJudgesInTheOther(t *testing.T) {
	needKernel(t)
	var observed, judged, after int
	for _, name := range []string{"first", "second"} {
		witness.Run(t, name, witness.Options{}, func(*testing.T, *witness.Recorder) []byte {
			observed++
			return []byte(strconv.Itoa(observed))
		}, func(t *testing.T, result witness.Result, err error) {
			require.NoError(t, err)
			judged++
			assert.Equal(t, "1", string(result.Report))
			assert.Equal(t, []witness.Source{witness.Kernel}, result.Seen)
			assert.Empty(t, result.Why)
			assert.NotEmpty(t, result.Unseen)
		})
		after++
	}
	assert.Empty(t, os.Getenv("TOOLCONTRACT_WITNESS"), "what follows is not repeated")
	if flag.Lookup("test.run").Value.String() == "" {
		assert.Equal(t, []int{0, 2, 2}, []int{observed, judged, after})
	}
}

func TestRun_RepeatsTheSetUpFromTheStart(t *testing.T) {
	needKernel(t)
	before, err := os.Getwd()
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	changed := os.Getenv("TOOLCONTRACT_WITNESS_TEST") + "x"
	t.Setenv("TOOLCONTRACT_WITNESS_TEST", changed)
	witness.Run(t, "later", witness.Options{}, func(t *testing.T, _ *witness.Recorder) []byte {
		report, err := json.Marshal([]string{before, changed})
		require.NoError(t, err)
		return report
	}, func(t *testing.T, result witness.Result, err error) {
		require.NoError(t, err)
		var inside []string
		require.NoError(t, json.Unmarshal(result.Report, &inside))
		assert.Equal(t, []string{before, changed}, inside)
	})
}

func TestRun_ReportsAChildThatFails(t *testing.T) {
	needKernel(t)
	for _, tt := range []struct {
		name    string
		observe func(t *testing.T) []byte
	}{
		{"a failed assertion", func(t *testing.T) []byte { t.Error("the cause"); return nil }},
		{"a fatal error", func(t *testing.T) []byte { t.Fatal("the cause"); return nil }},
		{"a panic", func(*testing.T) []byte { panic("the cause") }},
		{"a panic of another goroutine", func(*testing.T) []byte {
			go panic("the cause")
			select {}
		}},
		{"the end of the process", func(*testing.T) []byte {
			_, _ = os.Stdout.WriteString("the cause\n")
			os.Exit(3)
			return nil
		}},
		{"a report that is skipped", func(t *testing.T) []byte {
			_, _ = os.Stdout.WriteString("the cause\n")
			t.SkipNow()
			return nil
		}},
		{"a long output", func(t *testing.T) []byte {
			_, _ = os.Stdout.WriteString(strings.Repeat("much\n", 1<<16))
			t.Fatal("the cause")
			return nil
		}},
		{"a killed process", func(t *testing.T) []byte {
			_, _ = os.Stdout.WriteString("the cause\n")
			assert.NoError(t, unix.Kill(os.Getpid(), unix.SIGKILL))
			select {}
		}},
	} {
		witness.Run(t, tt.name, witness.Options{}, func(t *testing.T, rec *witness.Recorder) []byte {
			rec.Window(func() { _ = os.Remove(filepath.Join(t.TempDir(), "missing")) })
			return tt.observe(t)
		}, func(t *testing.T, result witness.Result, err error) {
			var failed *witness.ChildError
			require.ErrorAs(t, err, &failed)
			assert.NotEmpty(t, failed.Reason)
			assert.Contains(t, failed.Output, "the cause")
			assert.Less(t, len(failed.Output), 70_000)
		})
	}
}

func TestRun_ReportsATestThatDoesNotReachItAgain(t *testing.T) {
	needKernel(t)
	if os.Getenv("TOOLCONTRACT_WITNESS") != "" {
		t.Skip("only in the child")
	}
	witness.Run(t, "unreached", witness.Options{}, func(*testing.T, *witness.Recorder) []byte {
		return nil
	}, func(t *testing.T, result witness.Result, err error) {
		var failed *witness.ChildError
		require.ErrorAs(t, err, &failed)
		assert.Nil(t, result.Report)
	})
}

func TestRun_EndsAnObservationThatHangs(t *testing.T) {
	needKernel(t)
	for name, hang := range map[string]func(){
		"in Go":         func() { select {} },
		"in the kernel": func() { _ = unix.Pause() },
		"with the Go runtime stopped": func() {
			_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
		},
	} {
		witness.Run(t, name, witness.Options{Limit: 200 * time.Millisecond}, func(_ *testing.T, rec *witness.Recorder) []byte {
			rec.Window(hang)
			return nil
		}, func(t *testing.T, _ witness.Result, err error) {
			var failed *witness.ChildError
			require.ErrorAs(t, err, &failed)
			assert.Contains(t, failed.Reason, "200ms")
		})
	}
}

func TestRun_ClosesTheWindowOfAPanic(t *testing.T) {
	needKernel(t)
	witness.Run(t, "panic", witness.Options{}, func(t *testing.T, rec *witness.Recorder) []byte {
		assert.PanicsWithValue(t, "ours", func() { rec.Window(func() { panic("ours") }) })
		r := newRun(t)
		assert.Len(t, rec.Window(func() { _ = os.Remove(r.path("old")) }).Events, 1)
		return nil
	}, noError)
}

func noError(t *testing.T, _ witness.Result, err error) {
	t.Helper()
	require.NoError(t, err)
}

func TestRecorder_AttributesActsToWindows(t *testing.T) {
	needKernel(t)
	witness.Run(t, "windows", witness.Options{Settle: -1}, func(t *testing.T, rec *witness.Recorder) []byte {
		r := newRun(t)
		write := func(name string) { assert.NoError(t, os.WriteFile(r.path(name), nil, 0o600)) }
		write("set-up")
		first := rec.Window(func() { write("first") })
		assert.Equal(t, []string{"write ./first (openat)"}, normal(r, first.Events))

		write("between")
		release, done := make(chan struct{}), make(chan struct{})
		second := rec.Window(func() {
			go func() {
				defer close(done)
				<-release
				write("late")
			}()
		})
		assert.Empty(t, second.Events)

		close(release)
		<-done
		assert.Empty(t, rec.Window(func() {}).Events)
		return nil
	}, noError)
}

func TestRecorder_CountsGoroutinesThatAreLeft(t *testing.T) {
	needKernel(t)
	witness.Run(t, "left", witness.Options{Settle: time.Millisecond}, func(t *testing.T, rec *witness.Recorder) []byte {
		release := make(chan struct{})
		defer close(release)
		started := func() {
			for range 3 {
				go func() { <-release }()
			}
		}
		started()
		assert.Equal(t, 3, rec.Window(started).Running)
		assert.Zero(t, rec.Window(func() {}).Running)
		return nil
	}, noError)
}

func TestRecorder_DoesNotWaitForConnectionsThatAreIdle(t *testing.T) {
	needKernel(t)
	witness.Run(t, "idle", witness.Options{Settle: time.Second}, func(t *testing.T, rec *witness.Recorder) []byte {
		server := httptest.NewServer(http.NotFoundHandler())
		defer server.Close()
		db := newDatabase(run{t, t.TempDir()}, "journal_mode(delete)")
		seen := rec.Window(func() {
			response, err := server.Client().Get(server.URL)
			assert.NoError(t, err)
			assert.NoError(t, response.Body.Close())
			other, err := sql.Open("sqlite", ":memory:")
			assert.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, other.Close()) })
			assert.NoError(t, other.PingContext(t.Context()))
			assert.NoError(t, db.PingContext(t.Context()))
		})
		assert.Zero(t, seen.Running)
		return nil
	}, noError)
}

func TestRecorder_UsesAllWitnesses(t *testing.T) {
	needKernel(t)
	dir := t.TempDir()
	witness.Run(t, "all", witness.Options{Folders: []string{dir}}, func(t *testing.T, rec *witness.Recorder) []byte {
		assert.True(t, rec.Kernel())
		seen := rec.Window(func() { _ = os.WriteFile(filepath.Join(dir, "new"), nil, 0o600) })
		var by []witness.Source
		for _, e := range seen.Events {
			by = append(by, e.By)
		}
		assert.Equal(t, []witness.Source{witness.Kernel, witness.Folder}, by)
		return nil
	}, func(t *testing.T, result witness.Result, err error) {
		require.NoError(t, err)
		assert.Equal(t, []witness.Source{witness.Kernel, witness.Folder}, result.Seen)
	})
}

// TestHelper_Hangs is run by the tests below, in a separate process.
func TestHelper_Hangs(t *testing.T) {
	ready := os.Getenv("TOOLCONTRACT_WITNESS_READY")
	if ready == "" {
		t.Skip("a helper of other tests")
	}
	witness.Run(t, "hangs", witness.Options{}, func(_ *testing.T, rec *witness.Recorder) []byte {
		rec.Window(func() {
			_ = os.WriteFile(ready+"~", []byte(strconv.Itoa(os.Getpid())), 0o600)
			_ = os.Rename(ready+"~", ready)
			for { // every round is notified
				_ = os.Remove(ready + "-missing")
				runtime.Gosched()
			}
		})
		return nil
	}, noError)
}

func TestRun_LeavesNoProcessWhenTheFirstOneIsKilled(t *testing.T) {
	needKernel(t)
	ready := filepath.Join(t.TempDir(), "ready")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelper_Hangs$")
	cmd.Env = append(os.Environ(), "TOOLCONTRACT_WITNESS_READY="+ready)
	require.NoError(t, cmd.Start())
	var pid int
	require.Eventually(t, func() bool {
		content, err := os.ReadFile(ready)
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(string(content))
		return err == nil
	}, 20*time.Second, time.Millisecond)
	require.NoError(t, cmd.Process.Kill())
	assert.Error(t, cmd.Wait())
	require.Eventually(t, func() bool { return !alive(pid) }, 20*time.Second, time.Millisecond)
}

// alive reports whether a process exists and has not ended.
func alive(pid int) bool {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	return !errors.Is(err, os.ErrNotExist) && !bytes.Contains(status, []byte("State:\tZ"))
}

// TestHelper_ReadsAFile is run by the test below, in a separate process.
func TestHelper_ReadsAFile(t *testing.T) {
	file := os.Getenv("TOOLCONTRACT_WITNESS_FILE")
	if file == "" {
		t.Skip("a helper of other tests")
	}
	witness.Run(t, "reads", witness.Options{}, func(t *testing.T, rec *witness.Recorder) []byte {
		t.Chdir(filepath.Dir(file))
		seen := rec.Window(func() {
			for range 1000 { // so that the log is flushed
				_, _ = os.ReadFile(filepath.Base(file))
				_, _ = os.LookupEnv("TOOLCONTRACT_WITNESS_USED")
			}
		})
		assert.Empty(t, seen.Events)
		return nil
	}, noError)
}

// From this log, the go command decides whether a test's result is cached.
func TestRun_LogsTheFilesOfTheChildForTheCacheOfTests(t *testing.T) {
	needKernel(t)
	r := newRun(t)
	log := r.path("log")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelper_ReadsAFile$", "-test.testlogfile="+log)
	cmd.Env = append(os.Environ(), "TOOLCONTRACT_WITNESS_FILE="+r.path("old"))
	require.NoError(t, cmd.Run())
	content, err := os.ReadFile(log)
	require.NoError(t, err)
	lines := strings.Split(string(content), "\n")
	assert.Contains(t, lines, "stat "+r.path("old"))
	assert.Contains(t, lines, "getenv TOOLCONTRACT_WITNESS_USED")
}

// TestHelper_Arguments is run by the test below, in a separate process.
func TestHelper_Arguments(t *testing.T) {
	if os.Getenv("TOOLCONTRACT_WITNESS_ARGUMENTS") == "" {
		t.Skip("a helper of other tests")
	}
	witness.Run(t, "arguments", witness.Options{}, func(t *testing.T, _ *witness.Recorder) []byte {
		assert.True(t, testing.Short())
		assert.Equal(t, "set", *ownFlag)
		assert.Equal(t, []string{"an", "-argument"}, flag.Args())
		for _, name := range []string{"cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "coverprofile"} {
			assert.Empty(t, flag.Lookup("test."+name).Value.String(), name)
		}
		return nil
	}, noError)
}

var ownFlag = flag.String("witness-test-flag", "", "a flag of a test")

func TestRun_PassesTheFlagsThatChangeATestAndNoneThatWritesAFile(t *testing.T) {
	needKernel(t)
	r := newRun(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelper_Arguments$", "-test.short", "-witness-test-flag=set",
		"-test.count=2", "-test.v=test2json", "-test.shuffle=on", "-test.timeout=1m", "-test.cpu=1,2", "-test.bench=.",
		"-test.cpuprofile="+r.path("cpu"), "-test.memprofile="+r.path("mem"), "-test.trace="+r.path("trace"),
		"an", "-argument")
	cmd.Env = append(os.Environ(), "TOOLCONTRACT_WITNESS_ARGUMENTS=1")
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, string(output))
}

func FuzzRun(f *testing.F) {
	f.Add("seed")
	f.Fuzz(func(t *testing.T, _ string) {
		witness.Run(t, "fuzzed", witness.Options{}, func(*testing.T, *witness.Recorder) []byte {
			return []byte("report")
		}, func(t *testing.T, result witness.Result, err error) {
			require.NoError(t, err)
			assert.Equal(t, "report", string(result.Report))
			fuzzing := flag.Lookup("test.fuzz").Value.String() != ""
			assert.Equal(t, fuzzing || witness.Supported() != "", result.Why != "")
		})
	})
}
