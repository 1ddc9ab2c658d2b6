//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package stdout

import (
	"os"
	"syscall"
)

// descriptor is the file descriptor of standard output.
const descriptor = 1

// isDescriptor reports whether a file is the standard output of the process.
func isDescriptor(file *os.File) (is bool) {
	c, err := file.SyscallConn()
	return err == nil && c.Control(func(fd uintptr) { is = fd == descriptor }) == nil && is
}

// redirectDescriptor makes the descriptor of standard output write to pipe.
// Child processes do not inherit the file that it returns.
func redirectDescriptor(file, pipe *os.File) (own *os.File, restore func(), err error) {
	syscall.ForkLock.RLock()
	saved, err := syscall.Dup(descriptor)
	if err == nil {
		syscall.CloseOnExec(saved)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("dup", err)
	}
	own = os.NewFile(uintptr(saved), file.Name())
	if err := replace(int(pipe.Fd()), descriptor); err != nil { // Fd puts the pipe in blocking mode, as prints expect
		_ = own.Close()
		return nil, nil, os.NewSyscallError("dup2", err)
	}
	return own, func() {
		_ = replace(saved, descriptor)
		_ = own.Close()
	}, nil
}
