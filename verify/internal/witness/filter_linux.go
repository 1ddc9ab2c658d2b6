//go:build amd64 || arm64

package witness

import (
	"errors"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data. Both architectures are little-endian, so the
// lower half of an argument comes first.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16
)

// A when is the condition under which a call is notified. The zero value means
// always.
type when struct {
	arg    int
	any    uint32 // notified if one of these bits is set
	except *int   // notified unless the argument is this value
	shared bool   // notified for a writable shared mapping of a file
}

// These build conditions.
var always = when{}

func bits(arg int, mask uint32) when  { return when{arg: arg, any: mask} }
func unless(arg int, value *int) when { return when{arg: arg, except: value} }
func load(offset int) unix.SockFilter {
	return stmt(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, uint32(offset))
}
func ret(action uint32) unix.SockFilter { return stmt(unix.BPF_RET|unix.BPF_K, action) }

func stmt(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }

// jump skips yes instructions if the comparison is true, and no instructions
// otherwise.
func jump(comparison uint16, k uint32, yes, no int) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | comparison, K: k, Jt: uint8(yes), Jf: uint8(no)}
}

// instructions decides about one call. It always ends in a return.
func (w when) instructions() []unix.SockFilter {
	notify, allow := ret(unix.SECCOMP_RET_USER_NOTIF), ret(unix.SECCOMP_RET_ALLOW)
	arg := load(offsetArgs + 8*w.arg)
	switch {
	case w.any != 0:
		return []unix.SockFilter{arg, jump(unix.BPF_JSET, w.any, 0, 1), notify, allow}
	case w.except != nil:
		return []unix.SockFilter{arg, jump(unix.BPF_JEQ, uint32(*w.except), 1, 0), notify, allow}
	case w.shared:
		const prot, flags = offsetArgs + 8*2, offsetArgs + 8*3
		return []unix.SockFilter{
			load(prot), jump(unix.BPF_JSET, unix.PROT_WRITE, 0, 4),
			load(flags), jump(unix.BPF_JSET, unix.MAP_ANONYMOUS, 2, 0), jump(unix.BPF_JSET, unix.MAP_SHARED, 0, 1),
			notify, allow,
		}
	}
	return []unix.SockFilter{notify}
}

// filter returns the program that notifies of the calls. Calls of another
// architecture are all notified, because their numbers mean something else.
func filter(calls []call) []unix.SockFilter {
	program := []unix.SockFilter{
		load(offsetArch),
		jump(unix.BPF_JEQ, nativeArch, 1, 0), ret(unix.SECCOMP_RET_USER_NOTIF),
		load(offsetNumber),
		jump(unix.BPF_JGE, foreignBit, 0, 1), ret(unix.SECCOMP_RET_USER_NOTIF),
	}
	for _, c := range calls {
		decide := c.when.instructions()
		program = append(program, jump(unix.BPF_JEQ, uint32(c.number), 0, len(decide)))
		program = append(program, decide...)
	}
	return append(program, ret(unix.SECCOMP_RET_ALLOW))
}

// install puts all of this process's threads under the filter and returns the
// listener. The calling goroutine must be locked to its thread. Programs that
// the process starts are under the filter too, and cannot gain privileges.
func install(calls []call) (listener int, err error) {
	program := filter(calls)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, err
	}
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: unsafe.SliceData(program)}
	flags := uintptr(unix.SECCOMP_FILTER_FLAG_TSYNC | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH | unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	// Without the flag, a signal from the Go scheduler interrupts a notified
	// call, and the kernel notifies again. The flag is new in Linux 5.19.
	listener, err = seccompFD(unix.SECCOMP_SET_MODE_FILTER, flags|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, unsafe.Pointer(&prog))
	if errors.Is(err, unix.EINVAL) {
		listener, err = seccompFD(unix.SECCOMP_SET_MODE_FILTER, flags, unsafe.Pointer(&prog))
	}
	return listener, err
}

// A call is a system call to notify of.
type call struct {
	number uintptr
	name   string
	when   when
	read   func(*notified) (Event, bool) // its event, if it has one
}

// table returns the notified calls, ordered by number. The process talks to its
// supervisor through the control socket, so those messages are not notified.
// Neither are signals to itself.
func table(control, self int) []call {
	calls := slices.Concat(calls(&control, &self), oldCalls())
	slices.SortFunc(calls, func(a, b call) int { return int(a.number) - int(b.number) })
	return calls
}
