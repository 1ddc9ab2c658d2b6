package storetest

import (
	"cmp"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/audit"
)

// pace is the time between two writes of a goroutine, so that a hanging Close
// does not face a flood of them.
const pace = 50 * time.Millisecond

func (h SinkHarness) checkClosed() error {
	closer, ok := h.Sink.(io.Closer)
	if !ok {
		return mistake("the sink has no Close method")
	}
	const writers = 4
	var (
		group      sync.WaitGroup
		closed     atomic.Bool
		promised   [writers][]string
		violations [writers]error
		begun      = make(chan struct{}, writers)
	)
	for w := range writers {
		group.Go(func() {
			begin := sync.OnceFunc(func() { begun <- struct{}{} })
			defer begin()
			for i := 0; ; i++ {
				after := closed.Load()
				err, violation := h.write(event(audit.Terminal, id(w, i)))
				begin()
				switch {
				case violation != nil:
					violations[w] = violation
					return
				case err != nil:
					return
				case after:
					violations[w] = mistake("Write returned nil after Close")
					return
				}
				promised[w] = append(promised[w], id(w, i))
				time.Sleep(pace)
			}
		})
	}
	for range writers {
		<-begun
	}
	err, violation := inTime("Close", closer.Close)
	closed.Store(true)
	group.Wait()
	if violation == nil && err != nil {
		violation = mistake("Close returned an error without a reason: %v", err)
	}
	if err := cmp.Or(append(violations[:], violation)...); err != nil {
		return err
	}
	if _, violation := inTime("a second Close", closer.Close); violation != nil {
		return violation
	}
	got, err := h.kept()
	if err != nil {
		return err
	}
	ids := calls(got, "")
	slices.Sort(ids)
	for _, call := range slices.Concat(promised[:]...) {
		if _, found := slices.BinarySearch(ids, call); !found {
			return mistake("after Close, an event for which Write returned nil is not kept")
		}
	}
	return nil
}
