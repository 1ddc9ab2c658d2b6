//go:build amd64 || arm64

package witness_test

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// TestHelper_FallsBack is run by the tests below, where the kernel refuses.
func TestHelper_FallsBack(t *testing.T) {
	why := os.Getenv("TOOLCONTRACT_WITNESS_WHY")
	if why == "" {
		t.Skip("a helper of other tests")
	}
	dir := t.TempDir()
	witness.Run(t, "falls back", witness.Options{Folders: []string{dir}}, func(t *testing.T, rec *witness.Recorder) []byte {
		assert.False(t, rec.Kernel())
		seen := rec.Window(func() { _ = os.WriteFile(dir+"/new", nil, 0o600) })
		if assert.Len(t, seen.Events, 1) {
			assert.Equal(t, witness.Folder, seen.Events[0].By)
		}
		return []byte("report")
	}, func(t *testing.T, result witness.Result, err error) {
		require.NoError(t, err)
		assert.Equal(t, "report", string(result.Report))
		assert.Contains(t, result.Why, why)
		assert.Equal(t, []witness.Source{witness.Folder}, result.Seen)
		assert.NotEmpty(t, result.Unseen)
	})
}

// TestHelper_Refuses forbids this process the system call seccomp, like a
// container's sandbox, and becomes the helper above.
func TestHelper_Refuses(t *testing.T) {
	errno, err := strconv.Atoi(os.Getenv("TOOLCONTRACT_WITNESS_ERRNO"))
	if err != nil {
		t.Skip("a helper of other tests")
	}
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_SECCOMP, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	runtime.LockOSThread()
	require.NoError(t, unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	require.NoError(t, unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&filter)), 0, 0))
	require.NoError(t, unix.Exec("/proc/self/exe", fallsBack, os.Environ()))
}

var fallsBack = []string{"witness.test", "-test.run=^TestHelper_FallsBack$", "-test.v"}

func TestRun_FallsBackWhereTheKernelRefuses(t *testing.T) {
	for why, errno := range map[string]unix.Errno{"gVisor": unix.ENOSYS, "container": unix.EPERM, "emulator": unix.EINVAL} {
		t.Run(why, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelper_Refuses$")
			cmd.Env = append(os.Environ(), "TOOLCONTRACT_WITNESS_WHY="+why, "TOOLCONTRACT_WITNESS_ERRNO="+strconv.Itoa(int(errno)))
			output, err := cmd.CombinedOutput()
			require.NoError(t, err, string(output))
			assert.Contains(t, string(output), "--- PASS: TestHelper_FallsBack/falls_back")
		})
	}
}

// A process has one supervisor, and its children have the same one.
func TestRun_FallsBackUnderAnotherSupervisor(t *testing.T) {
	needKernel(t)
	witness.Run(t, "supervised", witness.Options{}, func(t *testing.T, _ *witness.Recorder) []byte {
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe", fallsBack[1:]...)
		cmd.Env = append(os.Environ(), "TOOLCONTRACT_WITNESS_WHY=supervises")
		output, err := cmd.CombinedOutput()
		require.NoError(t, err, string(output))
		assert.Contains(t, string(output), "--- PASS: TestHelper_FallsBack/falls_back")
		return nil
	}, noError)
}

// TestHelper_Stays is a program that outlives the handler that starts it. The
// test below ends it.
func TestHelper_Stays(t *testing.T) {
	if os.Getenv("TOOLCONTRACT_WITNESS_STAYS") == "" {
		t.Skip("a helper of other tests")
	}
	for begin := time.Now(); time.Since(begin) < time.Minute; {
		_ = os.Remove("/missing/file") // notified, or refused once the listener is closed
	}
}

func TestRun_DoesNotWaitForAProgramThatStays(t *testing.T) {
	needKernel(t)
	witness.Run(t, "stays", witness.Options{}, func(t *testing.T, rec *witness.Recorder) []byte {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestHelper_Stays$")
		cmd.Env = append(os.Environ(), "TOOLCONTRACT_WITNESS_STAYS=1")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		seen := rec.Window(func() { assert.NoError(t, cmd.Start()) })
		assert.NotEmpty(t, seen.Events)
		return []byte(strconv.Itoa(cmd.Process.Pid))
	}, func(t *testing.T, result witness.Result, err error) {
		require.NoError(t, err)
		pid, err := strconv.Atoi(string(result.Report))
		require.NoError(t, err)
		assert.True(t, alive(pid), "the program has ended before Run did")
		_ = unix.Kill(pid, unix.SIGKILL)
	})
}

// A process that cannot be read, because it revoked its parent's right to trace
// it, has unknown acts rather than none.
func TestKernel_UnreadableArgumentsAreShown(t *testing.T) {
	needKernel(t)
	if os.Getuid() == 0 {
		t.Skip("root reads every process")
	}
	witness.Run(t, "unreadable", witness.Options{}, func(t *testing.T, rec *witness.Recorder) []byte {
		r := newRun(t)
		require.NoError(t, unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
		var kinds []witness.Kind
		for _, e := range rec.Window(func() { assert.NoError(t, os.WriteFile(r.path("new"), []byte("x"), 0o600)) }).Events {
			assert.Empty(t, e.Path)
			kinds = append(kinds, e.Kind)
		}
		assert.Equal(t, []witness.Kind{witness.Write, witness.Unknown}, kinds)
		require.NoError(t, unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0))
		return nil
	}, noError)
}
