//go:build amd64 || arm64

package witness

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// A notification is the kernel's struct seccomp_notif.
type notification struct {
	id     uint64
	thread uint32
	_      uint32 // flags
	number int32
	arch   uint32
	_      uint64 // instruction pointer
	args   [6]uint64
}

// A response is the kernel's struct seccomp_notif_resp.
type response struct {
	id    uint64
	_     int64 // value
	err   int32
	flags uint32
}

// notification serves one call: it reads its event and lets the call continue.
func (s *supervisor) notification() error {
	in := make([]byte, max(uintptr(s.sizes.notif), unsafe.Sizeof(notification{})))
	n := (*notification)(unsafe.Pointer(unsafe.SliceData(in)))
	if err := ioctl(s.listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(n)); err != nil {
		// The thread was killed or interrupted before it was served.
		return ignore(ignore(err, unix.ENOENT), unix.EINTR)
	}
	event, seen := s.read(n)
	if seen && ioctl(s.listener, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.id)) == nil {
		s.record(event)
	}

	out := make([]byte, max(uintptr(s.sizes.resp), unsafe.Sizeof(response{})))
	r := (*response)(unsafe.Pointer(unsafe.SliceData(out)))
	r.id = n.id
	if n.arch == nativeArch && n.number == unix.SYS_IO_URING_SETUP {
		// The kernel does not show what a ring does, and programs that use
		// rings also work without them.
		r.err = -int32(unix.ENOSYS)
	} else {
		r.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	}
	return ignore(ioctl(s.listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(r)), unix.ENOENT)
}

// read returns a call's event, if it has one.
func (s *supervisor) read(n *notification) (Event, bool) {
	c, known := s.calls[n.number]
	switch {
	case n.arch != nativeArch || !known:
		return Event{Kind: Unknown, By: Kernel, Detail: "a system call of another architecture"}, true
	case c.read == nil:
		return Event{}, false
	}
	return c.read(&notified{call: c.name, thread: int(n.thread), args: n.args, sockets: &s.sockets})
}

// record adds an event to the open window. Data sent over a connection that the
// window opened is not a further event.
func (s *supervisor) record(e Event) {
	if s.window && !s.usesConnection(e) {
		s.events = add(s.events, e)
	}
}

// usesConnection reports whether an event sends over one of this window's
// connections.
func (s *supervisor) usesConnection(e Event) bool {
	if e.Kind != Send {
		return false
	}
	for _, earlier := range s.events {
		if earlier.Kind == Connect && earlier.Network == e.Network && earlier.Address == e.Address {
			return true
		}
	}
	return false
}

// ioctl makes a call on a listener.
func ioctl(fd int, request uintptr, argument unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(argument)); errno != 0 {
		return errno
	}
	return nil
}
