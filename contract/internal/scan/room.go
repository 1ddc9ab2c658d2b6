package scan

import (
	"bytes"
	"sync"
)

// A room is the memory that a run writes to. Runs use rooms again. No slice of
// a room leaves this package, and a room is cleared when its run ends, so no
// value of a call stays for the next one.
type room struct {
	out   []byte // the canonical form of what was read
	spare []byte // to sort members
}

var rooms = sync.Pool{New: func() any { return &room{} }}

// maxRoom is the size up to which the slices of a room are used again. Larger
// texts are rare, and clearing their room would cost every small one.
const maxRoom = 8 << 10

// newRun returns a run that reads a text. Call [run.end] when it has ended.
func newRun(data []byte) run {
	r := run{data: data}
	need := len(data) + len(data)/4
	if need > maxRoom {
		r.room = &room{out: make([]byte, 0, need)}
		return r
	}
	r.room, _ = rooms.Get().(*room) // always one
	if cap(r.out) < need {
		r.out = make([]byte, 0, need)
	}
	return r
}

// canonical returns the canonical form that the run wrote. The caller keeps it.
func (r *run) canonical() []byte {
	if cap(r.out) > maxRoom {
		return r.out // the room is not used again
	}
	return bytes.Clone(r.out)
}

// end clears the room for the next run.
func (r *run) end() {
	used := r.room
	r.room = nil
	if cap(used.out) > maxRoom || cap(used.spare) > maxRoom {
		return
	}
	clear(used.out[:cap(used.out)])
	clear(used.spare[:cap(used.spare)])
	used.out, used.spare = used.out[:0], used.spare[:0]
	rooms.Put(used)
}
