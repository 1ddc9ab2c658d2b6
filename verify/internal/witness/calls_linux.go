//go:build amd64 || arm64

package witness

import "golang.org/x/sys/unix"

// opensForWriting has the flags of open that can have an effect.
const opensForWriting = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC

// calls returns the system calls with an effect that both architectures have.
func calls(control, self *int) []call {
	return []call{
		{unix.SYS_OPENAT, "openat", bits(2, opensForWriting), open(0, 1, 2)},
		{unix.SYS_OPENAT2, "openat2", always, (*notified).openat2},
		{unix.SYS_OPEN_BY_HANDLE_AT, "open_by_handle_at", bits(2, opensForWriting), act(Unknown, "opens a file by its handle")},

		{unix.SYS_WRITE, "write", always, writeTo(0)},
		{unix.SYS_PWRITE64, "pwrite64", always, writeTo(0)},
		{unix.SYS_WRITEV, "writev", always, writeTo(0)},
		{unix.SYS_PWRITEV, "pwritev", always, writeTo(0)},
		{unix.SYS_PWRITEV2, "pwritev2", always, writeTo(0)},
		{unix.SYS_SENDFILE, "sendfile", always, writeTo(0)},
		{unix.SYS_SPLICE, "splice", always, writeTo(2)},
		{unix.SYS_COPY_FILE_RANGE, "copy_file_range", always, writeTo(2)},
		{unix.SYS_FTRUNCATE, "ftruncate", always, writeTo(0)},
		{unix.SYS_FALLOCATE, "fallocate", always, writeTo(0)},
		{unix.SYS_TRUNCATE, "truncate", always, path(Write, cwd, 0, "changes the size")},
		{unix.SYS_MMAP, "mmap", when{shared: true}, (*notified).mmap},
		{unix.SYS_IO_SUBMIT, "io_submit", always, act(Unknown, "submits asynchronous input or output")},

		{unix.SYS_MKDIRAT, "mkdirat", always, path(Write, 0, 1, "creates the folder")},
		{unix.SYS_MKNODAT, "mknodat", always, path(Write, 0, 1, "creates the file")},
		{unix.SYS_SYMLINKAT, "symlinkat", always, path(Write, 1, 2, "creates the link")},
		{unix.SYS_LINKAT, "linkat", always, path(Write, 2, 3, "creates the link")},
		{unix.SYS_UNLINKAT, "unlinkat", always, path(Remove, 0, 1, "removes it")},
		{unix.SYS_RENAMEAT, "renameat", always, rename(0, 1, 2, 3)},
		{unix.SYS_RENAMEAT2, "renameat2", always, rename(0, 1, 2, 3)},

		{unix.SYS_FCHMOD, "fchmod", always, descriptor(Mode, 0, "changes the mode")},
		{unix.SYS_FCHMODAT, "fchmodat", always, path(Mode, 0, 1, "changes the mode")},
		{unix.SYS_FCHMODAT2, "fchmodat2", always, path(Mode, 0, 1, "changes the mode")},
		{unix.SYS_FCHOWN, "fchown", always, descriptor(Mode, 0, "changes the owner")},
		{unix.SYS_FCHOWNAT, "fchownat", always, path(Mode, 0, 1, "changes the owner")},
		{unix.SYS_UTIMENSAT, "utimensat", always, path(Mode, 0, 1, "changes the times")},
		{unix.SYS_SETXATTR, "setxattr", always, path(Mode, cwd, 0, "changes an attribute")},
		{unix.SYS_LSETXATTR, "lsetxattr", always, path(Mode, cwd, 0, "changes an attribute")},
		{unix.SYS_FSETXATTR, "fsetxattr", always, descriptor(Mode, 0, "changes an attribute")},
		{unix.SYS_SETXATTRAT, "setxattrat", always, path(Mode, 0, 1, "changes an attribute")},
		{unix.SYS_REMOVEXATTR, "removexattr", always, path(Mode, cwd, 0, "removes an attribute")},
		{unix.SYS_LREMOVEXATTR, "lremovexattr", always, path(Mode, cwd, 0, "removes an attribute")},
		{unix.SYS_FREMOVEXATTR, "fremovexattr", always, descriptor(Mode, 0, "removes an attribute")},
		{unix.SYS_REMOVEXATTRAT, "removexattrat", always, path(Mode, 0, 1, "removes an attribute")},
		{unix.SYS_FILE_SETATTR, "file_setattr", always, path(Mode, 0, 1, "changes an attribute")},

		{unix.SYS_CONNECT, "connect", always, (*notified).connect},
		{unix.SYS_BIND, "bind", always, (*notified).bind},
		{unix.SYS_SENDTO, "sendto", always, (*notified).sendto},
		{unix.SYS_SENDMSG, "sendmsg", unless(0, control), (*notified).sendmsg},
		{unix.SYS_SENDMMSG, "sendmmsg", always, (*notified).sendmsg},
		{unix.SYS_MQ_OPEN, "mq_open", bits(1, opensForWriting), act(Send, "opens a message queue for writing")},
		{unix.SYS_MQ_TIMEDSEND, "mq_timedsend", always, act(Send, "sends to a message queue")},
		{unix.SYS_MQ_UNLINK, "mq_unlink", always, act(Remove, "removes a message queue")},
		{unix.SYS_MSGSND, "msgsnd", always, act(Send, "sends to a message queue")},
		{unix.SYS_SEMOP, "semop", always, act(Unknown, "changes a semaphore that processes share")},
		{unix.SYS_SEMTIMEDOP, "semtimedop", always, act(Unknown, "changes a semaphore that processes share")},
		{unix.SYS_SHMAT, "shmat", always, act(Unknown, "maps memory that processes share")},

		{unix.SYS_EXECVE, "execve", always, execute(cwd, 0)},
		{unix.SYS_EXECVEAT, "execveat", always, execute(0, 1)},
		{unix.SYS_KILL, "kill", unless(0, self), kill(0, 1)},
		{unix.SYS_TKILL, "tkill", always, kill(0, 1)},
		{unix.SYS_TGKILL, "tgkill", unless(0, self), kill(0, 2)},
		{unix.SYS_RT_SIGQUEUEINFO, "rt_sigqueueinfo", unless(0, self), kill(0, 1)},
		{unix.SYS_RT_TGSIGQUEUEINFO, "rt_tgsigqueueinfo", unless(0, self), kill(0, 2)},
		{unix.SYS_PIDFD_SEND_SIGNAL, "pidfd_send_signal", always, kill(-1, 1)},

		{unix.SYS_PTRACE, "ptrace", always, act(Unknown, "controls another process")},
		{unix.SYS_PROCESS_VM_WRITEV, "process_vm_writev", always, act(Unknown, "writes to the memory of a process")},
		{unix.SYS_PIDFD_GETFD, "pidfd_getfd", always, act(Unknown, "takes a descriptor of another process")},
		{unix.SYS_BPF, "bpf", always, act(Unknown, "loads or changes a program of the kernel")},
		{unix.SYS_IO_URING_SETUP, "io_uring_setup", always, nil},
		{unix.SYS_IO_URING_ENTER, "io_uring_enter", always, act(Unknown, "submits calls that the kernel does not show")},
		{unix.SYS_KEYCTL, "keyctl", always, act(Unknown, "may change a key of the kernel")},
		{unix.SYS_ADD_KEY, "add_key", always, act(System, "adds a key to the kernel")},

		{unix.SYS_MOUNT, "mount", always, path(System, cwd, 1, "mounts a file system")},
		{unix.SYS_UMOUNT2, "umount2", always, path(System, cwd, 0, "unmounts a file system")},
		{unix.SYS_PIVOT_ROOT, "pivot_root", always, act(System, "changes the root of the file system")},
		{unix.SYS_MOVE_MOUNT, "move_mount", always, path(System, 2, 3, "mounts a file system")},
		{unix.SYS_FSCONFIG, "fsconfig", always, act(System, "configures a file system")},
		{unix.SYS_MOUNT_SETATTR, "mount_setattr", always, path(System, 0, 1, "changes a mount")},
		{unix.SYS_SWAPON, "swapon", always, act(System, "adds swap space")},
		{unix.SYS_SWAPOFF, "swapoff", always, act(System, "removes swap space")},
		{unix.SYS_QUOTACTL, "quotactl", always, act(System, "may change a quota")},
		{unix.SYS_QUOTACTL_FD, "quotactl_fd", always, act(System, "may change a quota")},
		{unix.SYS_ACCT, "acct", always, act(System, "changes process accounting")},
		{unix.SYS_REBOOT, "reboot", always, act(System, "restarts the machine")},
		{unix.SYS_KEXEC_LOAD, "kexec_load", always, act(System, "loads a kernel")},
		{unix.SYS_KEXEC_FILE_LOAD, "kexec_file_load", always, act(System, "loads a kernel")},
		{unix.SYS_INIT_MODULE, "init_module", always, act(System, "loads a module of the kernel")},
		{unix.SYS_FINIT_MODULE, "finit_module", always, act(System, "loads a module of the kernel")},
		{unix.SYS_DELETE_MODULE, "delete_module", always, act(System, "unloads a module of the kernel")},
		{unix.SYS_SETHOSTNAME, "sethostname", always, act(System, "changes the name of the machine")},
		{unix.SYS_SETDOMAINNAME, "setdomainname", always, act(System, "changes the name of the machine")},
		{unix.SYS_SETTIMEOFDAY, "settimeofday", always, act(System, "changes the clock")},
		{unix.SYS_CLOCK_SETTIME, "clock_settime", always, act(System, "changes the clock")},
	}
}
