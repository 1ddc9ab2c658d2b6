//go:build amd64 || arm64

package witness_test

import (
	"encoding/json"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// text returns a path the way system calls take it.
func text(t *testing.T, path string) uintptr {
	t.Helper()
	p, err := unix.BytePtrFromString(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = *p })
	return uintptr(unsafe.Pointer(p))
}

// A rawCall is one system call with the line of its event.
type rawCall struct {
	name string
	want string
	call func(r run) syscall.Errno
}

// raw makes a system call.
func raw(number uintptr, args ...uintptr) syscall.Errno {
	var a [6]uintptr
	copy(a[:], args)
	_, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	return errno
}

const none = syscall.Errno(0)

var here = ^uintptr(99) // AT_FDCWD

// The calls use paths that do not exist, or the run's own files. The kernel's
// answer shows that the call was let through.
func rawCalls() []rawCall {
	missing := func(number uintptr, before int, more ...uintptr) func(run) syscall.Errno {
		return func(r run) syscall.Errno {
			args := append(make([]uintptr, 0, 6), []uintptr{here}[:before]...)
			return raw(number, append(append(args, text(r.T, r.path("no/file"))), more...)...)
		}
	}
	openHow := func(flags uint64) func(run) syscall.Errno {
		return func(r run) syscall.Errno {
			how := &unix.OpenHow{Flags: flags}
			defer runtime.KeepAlive(how)
			return missing(unix.SYS_OPENAT2, 1, uintptr(unsafe.Pointer(how)), unix.SizeofOpenHow)(r)
		}
	}
	return []rawCall{
		{"openat2", "write ./no/file (openat2)", openHow(unix.O_WRONLY | unix.O_CREAT)},
		{"openat2 to read", "", openHow(unix.O_RDONLY)},
		{"mkdirat", "write ./no/file (mkdirat)", missing(unix.SYS_MKDIRAT, 1)},
		{"mknodat", "write ./no/file (mknodat)", missing(unix.SYS_MKNODAT, 1, unix.S_IFIFO)},
		{"unlinkat", "remove ./no/file (unlinkat)", missing(unix.SYS_UNLINKAT, 1)},
		{"truncate", "write ./no/file (truncate)", missing(unix.SYS_TRUNCATE, 0)},
		{"fchmodat2", "mode ./no/file (fchmodat2)", missing(unix.SYS_FCHMODAT2, 1)},
		{"utimensat", "mode ./no/file (utimensat)", missing(unix.SYS_UTIMENSAT, 1)},
		{"setxattr", "mode ./no/file (setxattr)", missing(unix.SYS_SETXATTR, 0)},
		{"lsetxattr", "mode ./no/file (lsetxattr)", missing(unix.SYS_LSETXATTR, 0)},
		{"removexattr", "mode ./no/file (removexattr)", missing(unix.SYS_REMOVEXATTR, 0)},
		{"execveat of a missing program", "", missing(unix.SYS_EXECVEAT, 1)},
		{"renameat2", "rename ./no/file → ./moved (renameat2)", func(r run) syscall.Errno {
			return raw(unix.SYS_RENAMEAT2, here, text(r.T, r.path("no/file")), here, text(r.T, r.path("moved")))
		}},
		{"fchmod", "mode ./old (fchmod)", onOld(unix.SYS_FCHMOD, 0o600)},
		{"fchown", "mode ./old (fchown)", onOld(unix.SYS_FCHOWN, ^uintptr(0), ^uintptr(0))},
		{"ftruncate", "write ./old (ftruncate)", onOld(unix.SYS_FTRUNCATE, 1)},
		{"fallocate", "write ./old (fallocate)", onOld(unix.SYS_FALLOCATE, 0, 0, 1)},
		{"fsetxattr", "mode ./old (fsetxattr)", func(r run) syscall.Errno {
			return onOld(unix.SYS_FSETXATTR, text(r.T, "user.x"), text(r.T, "x"), 1)(r)
		}},
		{"futimens", "mode ./old (utimensat)", onOld(unix.SYS_UTIMENSAT, 0, 0, 0)},
		{"writev", "write ./old (writev)", func(r run) syscall.Errno {
			data := []byte("x")
			iov := &unix.Iovec{Base: &data[0], Len: 1}
			defer runtime.KeepAlive(iov)
			return onOld(unix.SYS_WRITEV, uintptr(unsafe.Pointer(iov)), 1)(r)
		}},
		{"an empty path", "mode ./old (fchownat)", func(r run) syscall.Errno {
			return onOld(unix.SYS_FCHOWNAT, text(r.T, ""), ^uintptr(0), ^uintptr(0), unix.AT_EMPTY_PATH)(r)
		}},
		{"a path through a descriptor", "write ./old (openat)", func(r run) syscall.Errno {
			f, err := os.Open(r.path("old"))
			require.NoError(r, err)
			defer func() { assert.NoError(r, f.Close()) }()
			_, err = unix.Open("/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.O_WRONLY|unix.O_TRUNC|unix.O_CLOEXEC, 0)
			assert.NoError(r, err)
			return none
		}},
		{"the standard output by its path", "", func(r run) syscall.Errno {
			for _, name := range []string{"/proc/self/fd/1", "/proc/thread-self/fd/1", "/dev/fd/1", "/dev/stdout"} {
				if _, err := os.Stat(name); err != nil {
					continue // some containers lack it
				}
				fd, err := unix.Open(name, unix.O_WRONLY|unix.O_CLOEXEC, 0)
				assert.NoError(r, err)
				_, err = unix.Write(fd, []byte("x"))
				assert.NoError(r, err)
				assert.NoError(r, unix.Close(fd))
			}
			return none
		}},
		{"an unmapped path", "", func(run) syscall.Errno { return raw(unix.SYS_UNLINKAT, here, 8) }},
		{"io_uring_setup", "", func(r run) syscall.Errno {
			errno := raw(unix.SYS_IO_URING_SETUP, 1, 0)
			assert.Equal(r, unix.ENOSYS, errno, "a ring is refused")
			return errno
		}},
		{"io_uring_enter", "unknown (io_uring_enter)", func(run) syscall.Errno { return raw(unix.SYS_IO_URING_ENTER, ^uintptr(0)) }},
		{"ptrace", "unknown (ptrace)", func(run) syscall.Errno { return raw(unix.SYS_PTRACE, ^uintptr(0)) }},
		{"process_vm_writev", "unknown (process_vm_writev)", func(run) syscall.Errno { return raw(unix.SYS_PROCESS_VM_WRITEV, 0) }},
		{"mount", "system ./no/file (mount)", func(r run) syscall.Errno {
			return raw(unix.SYS_MOUNT, 0, text(r.T, r.path("no/file")))
		}},
		{"umount2", "system ./no/file (umount2)", missing(unix.SYS_UMOUNT2, 0)},
		{"signal zero", "", func(run) syscall.Errno { return raw(unix.SYS_KILL, uintptr(os.Getppid()), 0) }},
		{"a signal to itself", "", func(run) syscall.Errno { return raw(unix.SYS_KILL, uintptr(os.Getpid()), uintptr(unix.SIGURG)) }},
		{"a signal to its thread", "", func(run) syscall.Errno {
			return raw(unix.SYS_TKILL, uintptr(unix.Gettid()),
				uintptr(unix.SIGURG))
		}},
		{"a signal to another", "signal (kill)", func(run) syscall.Errno {
			return raw(unix.SYS_KILL, uintptr(os.Getppid()),
				uintptr(unix.SIGURG))
		}},
		{"sendmsg with an address", "send udp 127.0.0.1:PORT (sendmsg)", func(r run) syscall.Errno {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
			require.NoError(r, err)
			assert.NoError(r, unix.Sendmsg(fd, []byte("x"), nil, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: 9}, 0))
			assert.NoError(r, unix.Close(fd))
			return none
		}},
		{"a mapped address", "send udp 127.0.0.1:PORT (sendto)", func(r run) syscall.Errno {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
			require.NoError(r, err)
			// The socket refuses the address after the notification.
			to := &unix.SockaddrInet6{Addr: [16]byte{10: 255, 11: 255, 12: 127, 15: 1}, Port: 9}
			assert.Error(r, unix.Sendto(fd, []byte("x"), 0, to))
			assert.NoError(r, unix.Close(fd))
			return none
		}},
	}
}

// onOld makes a call on a descriptor of the file "old".
func onOld(number uintptr, more ...uintptr) func(run) syscall.Errno {
	return func(r run) syscall.Errno {
		fd, err := unix.Open(r.path("old"), unix.O_RDWR|unix.O_CLOEXEC, 0)
		require.NoError(r, err)
		defer func() { assert.NoError(r, unix.Close(fd)) }()
		return raw(number, append([]uintptr{uintptr(fd)}, more...)...)
	}
}

func TestKernel_Calls(t *testing.T) {
	needKernel(t)
	observeCalls(t, append(rawCalls(), oldCalls()...))
}

// observeCalls makes each call in a window of one child process.
func observeCalls(t *testing.T, calls []rawCall) {
	t.Helper()
	witness.Run(t, "calls", witness.Options{}, func(t *testing.T, rec *witness.Recorder) []byte {
		got := map[string][]string{}
		for _, c := range calls {
			r := newRun(t)
			seen := rec.Window(func() { c.call(r) })
			got[c.name] = normal(r, seen.Events)
		}
		report, err := json.Marshal(got)
		require.NoError(t, err)
		return report
	}, func(t *testing.T, result witness.Result, err error) {
		require.NoError(t, err)
		var got map[string][]string
		require.NoError(t, json.Unmarshal(result.Report, &got))
		for _, c := range calls {
			want := []string{}
			if c.want != "" {
				want = append(want, c.want)
			}
			assert.Equal(t, want, got[c.name], c.name)
		}
	})
}
