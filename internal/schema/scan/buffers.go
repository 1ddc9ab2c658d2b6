package scan

import (
	"bytes"
	"sync"
)

// buffers is the memory a run writes to. Runs reuse it. It never leaves this
// package and is cleared when a run ends, so no value of one call is left for
// the next.
type buffers struct {
	out   []byte // the canonical form of what was read so far
	spare []byte // for sorting members
}

var pool = sync.Pool{New: func() any { return &buffers{} }}

// maxPooled is the largest size, in bytes, of a buffer that is reused. Larger
// texts are rare, and clearing their buffers would slow down every small one.
const maxPooled = 8 << 10

// newRun returns a run that reads a text. The caller must call [run.end] when
// the run is over.
func newRun(data []byte) run {
	r := run{data: data}
	need := len(data) + len(data)/4
	if need > maxPooled {
		r.buffers = &buffers{out: make([]byte, 0, need)}
		return r
	}
	r.buffers, _ = pool.Get().(*buffers) // the pool holds nothing else
	if cap(r.out) < need {
		r.out = make([]byte, 0, need)
	}
	return r
}

// canonical returns the canonical form that the run wrote. It belongs to the
// caller.
func (r *run) canonical() []byte {
	if cap(r.out) > maxPooled {
		return r.out // not reused
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
