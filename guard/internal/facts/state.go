package facts

import (
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// State is what one tool's calls share in this process.
type State struct {
	Slots    chan struct{} // nil: any number of calls may run at once
	Duration MeanDuration  // of calls that were claimed

	lastBucket atomic.Pointer[bucketName] // nil before the first call
}

type bucketName struct {
	scope store.Scope
	name  string
}

// RateBucket returns the name of a caller's rate limit bucket. It caches the
// last one, because callers often call the same tool again.
func (s *State) RateBucket(caller *store.Scope) string {
	if last := s.lastBucket.Load(); last != nil && last.scope == *caller {
		return last.name
	}
	name := caller.Key("rate").ID.String()
	s.lastBucket.Store(&bucketName{*caller, name})
	return name
}

// A MeanDuration estimates how long calls usually take. The zero value has no
// estimate yet. Concurrent calls may lose a measurement.
type MeanDuration struct{ mean atomic.Int64 }

// meanWeight is the inverse of a new measurement's share in the mean.
const meanWeight = 8

// Add adds a measurement.
func (m *MeanDuration) Add(took time.Duration) {
	mean := m.Mean()
	if mean == 0 {
		mean = took
	}
	m.mean.Store(int64(mean + (took-mean)/meanWeight))
}

// Mean returns the estimate, or zero before the first measurement.
func (m *MeanDuration) Mean() time.Duration { return time.Duration(m.mean.Load()) }
