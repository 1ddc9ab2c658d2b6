package witness

import "golang.org/x/sys/unix"

// nativeArch is the table's architecture. foreignBit marks the numbers of the
// x32 ABI, which reports the same architecture.
const (
	nativeArch = unix.AUDIT_ARCH_X86_64
	foreignBit = 0x40000000
)

// oldCalls returns the system calls that only amd64 has.
func oldCalls() []call {
	return []call{
		{unix.SYS_OPEN, "open", bits(1, opensForWriting), open(cwd, 0, 1)},
		{unix.SYS_CREAT, "creat", always, (*notified).creat},
		{unix.SYS_MKDIR, "mkdir", always, path(Write, cwd, 0, "creates the folder")},
		{unix.SYS_MKNOD, "mknod", always, path(Write, cwd, 0, "creates the file")},
		{unix.SYS_SYMLINK, "symlink", always, path(Write, cwd, 1, "creates the link")},
		{unix.SYS_LINK, "link", always, path(Write, cwd, 1, "creates the link")},
		{unix.SYS_UNLINK, "unlink", always, path(Remove, cwd, 0, "removes it")},
		{unix.SYS_RMDIR, "rmdir", always, path(Remove, cwd, 0, "removes it")},
		{unix.SYS_RENAME, "rename", always, rename(cwd, 0, cwd, 1)},
		{unix.SYS_CHMOD, "chmod", always, path(Mode, cwd, 0, "changes the mode")},
		{unix.SYS_CHOWN, "chown", always, path(Mode, cwd, 0, "changes the owner")},
		{unix.SYS_LCHOWN, "lchown", always, path(Mode, cwd, 0, "changes the owner")},
		{unix.SYS_UTIME, "utime", always, path(Mode, cwd, 0, "changes the times")},
		{unix.SYS_UTIMES, "utimes", always, path(Mode, cwd, 0, "changes the times")},
		{unix.SYS_FUTIMESAT, "futimesat", always, path(Mode, 0, 1, "changes the times")},
		{unix.SYS_IOPL, "iopl", always, act(System, "takes access to the ports of the machine")},
		{unix.SYS_IOPERM, "ioperm", always, act(System, "takes access to the ports of the machine")},
	}
}
