package witness_test

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// oldCalls returns those that only amd64 has.
func oldCalls() []rawCall {
	one := func(number uintptr, more ...uintptr) func(run) syscall.Errno {
		return func(r run) syscall.Errno {
			return raw(number, append([]uintptr{text(r.T, r.path("no/file"))}, more...)...)
		}
	}
	two := func(number uintptr) func(run) syscall.Errno {
		return func(r run) syscall.Errno {
			return raw(number, text(r.T, r.path("no/file")), text(r.T, r.path("no/new")))
		}
	}
	return []rawCall{
		{"open", "write ./no/file (open)", one(unix.SYS_OPEN, unix.O_CREAT)},
		{"open to read", "", one(unix.SYS_OPEN, unix.O_RDONLY)},
		{"creat", "write ./no/file (creat)", one(unix.SYS_CREAT)},
		{"mkdir", "write ./no/file (mkdir)", one(unix.SYS_MKDIR)},
		{"mknod", "write ./no/file (mknod)", one(unix.SYS_MKNOD)},
		{"rmdir", "remove ./no/file (rmdir)", one(unix.SYS_RMDIR)},
		{"unlink", "remove ./no/file (unlink)", one(unix.SYS_UNLINK)},
		{"chmod", "mode ./no/file (chmod)", one(unix.SYS_CHMOD)},
		{"chown", "mode ./no/file (chown)", one(unix.SYS_CHOWN)},
		{"lchown", "mode ./no/file (lchown)", one(unix.SYS_LCHOWN)},
		{"utime", "mode ./no/file (utime)", one(unix.SYS_UTIME)},
		{"utimes", "mode ./no/file (utimes)", one(unix.SYS_UTIMES)},
		{"rename", "rename ./no/file → ./no/new (rename)", two(unix.SYS_RENAME)},
		{"link", "write ./no/new (link)", two(unix.SYS_LINK)},
		{"symlink", "write ./no/new (symlink)", two(unix.SYS_SYMLINK)},
		{"x32", "unknown (a system call of another architecture)",
			func(run) syscall.Errno { return raw(0x40000000 | unix.SYS_GETPID) }},
	}
}
