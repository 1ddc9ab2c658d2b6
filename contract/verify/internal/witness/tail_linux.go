//go:build amd64 || arm64

package witness

import "sync"

// tailBytes is how much of a child's output an error shows.
const tailBytes = 64 << 10

// A tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu      sync.Mutex
	content []byte
	cut     bool
}

// Write appends p and drops what is too old.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.content = append(t.content, p...)
	if excess := len(t.content) - tailBytes; excess > 0 {
		t.content, t.cut = append([]byte(nil), t.content[excess:]...), true
	}
	return len(p), nil
}

// String returns the end of the output, after a mark if there was more.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cut {
		return "…" + string(t.content)
	}
	return string(t.content)
}
