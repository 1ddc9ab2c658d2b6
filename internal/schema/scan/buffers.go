package scan

import (
	"bytes"
	"sync"
)

// buffers are the memory that a run writes to. Runs use them again. None leaves
// this package, and they are cleared when their run ends, so no value of a call
// stays for the next one.
type buffers struct {
	out   []byte // the canonical form of what was read
	spare []byte // to sort members
}

var pool = sync.Pool{New: func() any { return &buffers{} }}

// maxPooled is the size in bytes up to which a buffer is used again. Larger
// texts are rare, and clearing their buffers would cost every small one.
const maxPooled = 8 << 10

// newRun returns a run that reads a text. Call [run.end] when it has ended.
func newRun(data []byte) run {
	r := run{data: data}
	need := len(data) + len(data)/4
	if need > maxPooled {
		r.buffers = &buffers{out: make([]byte, 0, need)}
		return r
	}
	r.buffers, _ = pool.Get().(*buffers) // always one
	if cap(r.out) < need {
		r.out = make([]byte, 0, need)
	}
	return r
}

// canonical returns the canonical form that the run wrote. The caller keeps it.
func (r *run) canonical() []byte {
	if cap(r.out) > maxPooled {
		return r.out // it is not used again
	}
	return bytes.Clone(r.out)
}

// end clears the buffers for the next run.
func (r *run) end() {
	used := r.buffers
	r.buffers = nil
	if cap(used.out) > maxPooled || cap(used.spare) > maxPooled {
		return
	}
	clear(used.out[:cap(used.out)])
	clear(used.spare[:cap(used.spare)])
	used.out, used.spare = used.out[:0], used.spare[:0]
	pool.Put(used)
}
