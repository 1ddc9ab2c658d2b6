package state_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/verify/internal/state"
)

type order struct {
	status string
	lines  []string
	next   *order
}

type shop struct {
	mu     sync.Mutex
	orders map[int]*order
	count  atomic.Int64
	opened time.Time
	notify func()
	cache  sync.Map
	latest atomic.Pointer[order]
	Extra  any
}

func TestCompare_NamesWhatChanged(t *testing.T) {
	t.Parallel()
	s := &shop{orders: map[int]*order{1: {status: "open", lines: []string{"tea"}}}, opened: time.Unix(0, 0).UTC()}
	before := state.Of(s)
	assert.Empty(t, state.Compare(before, state.Of(s)))

	s.mu.Lock() // a lock is not state
	s.orders[1].status = "paid"
	s.orders[1].lines = append(s.orders[1].lines, "milk")
	s.orders[2] = &order{}
	s.count.Add(1)
	s.opened = s.opened.Add(time.Second)
	s.Extra = []byte("x")
	s.cache.Store("a", 1)
	s.latest.Store(&order{status: "late"})
	var texts []string
	for _, d := range state.Compare(before, state.Of(s)) {
		texts = append(texts, d.String())
	}
	assert.Equal(t, []string{
		`Extra: nil became "x"`,
		`cache: length 0 became length 1`,
		`cache["a"]: added 1`,
		`count.v: 0 became 1`,
		`latest: removed nil`,
		`latest.lines: added nil`,
		`latest.next: added nil`,
		`latest.status: added "late"`,
		`opened.ext: 62135596800 became 62135596801`,
		`orders: length 1 became length 2`,
		`orders[1].lines: length 1 became length 2`,
		`orders[1].lines[1]: added "milk"`,
		`orders[1].status: "open" became "paid"`,
		`orders[2].lines: added nil`,
		`orders[2].next: added nil`,
		`orders[2].status: added ""`,
	}, texts)
}

func TestOf_CopiesAndEnds(t *testing.T) {
	t.Parallel()
	circle := &order{status: "a"}
	circle.next = circle
	assert.Equal(t, `"a"`, state.Of(circle)["status"])

	m := map[string][]int{"a": {1}}
	before := state.Of(m)
	m["a"][0] = 2
	assert.Equal(t, []state.Difference{{Path: `["a"][0]`, Before: "1", After: "2"}}, state.Compare(before, state.Of(m)))

	long := make([]byte, 1000)
	before = state.Of(long)
	long[999] = 1
	assert.Len(t, state.Compare(before, state.Of(long)), 1, "a long text differs by its digest")
	assert.NotEmpty(t, state.Compare(state.Of(nil), state.Of("nil")))
	assert.NotEmpty(t, state.Compare(state.Of([]int(nil)), state.Of([]int{})))
}
