//go:build amd64 || arm64

package witness

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// platform returns why the kernel cannot be a witness here. It asks the kernel
// without changing this process.
func platform() string {
	if _, err := notificationSizes(); err != nil {
		return refusal("does not offer seccomp notifications", err)
	}
	action := uint32(unix.SECCOMP_RET_USER_NOTIF)
	if err := seccomp(unix.SECCOMP_GET_ACTION_AVAIL, 0, unsafe.Pointer(&action)); err != nil {
		return refusal("does not offer seccomp notifications", err)
	}
	return ""
}

// refusal describes a kernel error for the report.
func refusal(what string, err error) string {
	hint := ""
	switch {
	case errors.Is(err, unix.ENOSYS):
		hint = ": it is older than Linux 5.7, or a sandbox such as gVisor or an emulator answers for it"
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		hint = ": the sandbox of this container forbids it"
	case errors.Is(err, unix.EBUSY):
		hint = ": another program already supervises this process"
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.EOPNOTSUPP):
		hint = ": it is older than Linux 5.7, or an emulator answers for it"
	}
	return fmt.Sprintf("the kernel %s (%v)%s", what, err, hint)
}

// sizes has the sizes of the kernel's structures, which newer kernels may
// extend.
type sizes struct{ notif, resp, data uint16 }

// notificationSizes asks the kernel for its sizes.
func notificationSizes() (sizes, error) {
	var s sizes
	err := seccomp(unix.SECCOMP_GET_NOTIF_SIZES, 0, unsafe.Pointer(&s))
	return s, err
}

// seccomp makes a call that returns no value.
func seccomp(operation, flags uintptr, args unsafe.Pointer) error {
	_, err := seccompFD(operation, flags, args)
	return err
}

// seccompFD makes a call that may return a descriptor.
func seccompFD(operation, flags uintptr, args unsafe.Pointer) (int, error) {
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, operation, flags, uintptr(args))
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}
