// Package session sums up what each principal has done lately.
package session

import (
	"cmp"
	"container/list"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
)

const (
	// idle is how long a session lasts without a call.
	idle = 30 * time.Minute
	// maxPrincipals caps the sessions. The guard first forgets those that changed
	// nothing, then the others, each time the one that has been idle longest.
	maxPrincipals = 10_000
)

// Sessions holds the sessions of one guard. It is safe for concurrent use. Use
// [New].
type Sessions struct {
	bound risk.Chain

	mu  sync.Mutex
	all map[people.PrincipalName]*session
	// The names of those without open calls, the longest idle first.
	readers, writers list.List
}

// New returns the sessions of a guard with a bound.
func New(bound risk.Chain) *Sessions {
	return &Sessions{bound: bound, all: map[people.PrincipalName]*session{}}
}

// A session is what one principal does.
type session struct {
	name people.PrincipalName
	done risk.Chain     // the calls whose handlers have started
	open map[*Call]bool // the calls that have not ended
	last time.Time      // when the latest call ended
	idle *list.Element  // its place among the readers or writers, unless a call is open
}

// A Call is one call of a session, from [Sessions.Enter] on. The zero Call
// belongs to no session.
type Call struct {
	// Before is what the session did before the call.
	Before risk.Chain
	// Bounded means that there is a bound, and Reaches that the session, including
	// this call, reaches it.
	Bounded, Reaches bool

	of   *Sessions
	in   *session
	adds risk.Chain // once its handler starts
}

// Enter adds a call to a principal's session. It counts in the chain once its
// handler starts, but from now until it ends, other calls count it toward the
// bound, so that two concurrent calls cannot both slip under it. The zero Chain
// adds nothing.
func (s *Sessions) Enter(name people.PrincipalName, adds risk.Chain) *Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.all[name]
	if in != nil && len(in.open) == 0 {
		s.unlist(in.idle)
	}
	if in == nil || in.isOver() {
		delete(s.all, name)
		s.makeRoom()
		in = &session{name: name, open: map[*Call]bool{}}
		s.all[name] = in
	}
	c := &Call{
		Before: in.done, Bounded: s.bound != risk.Chain{}, Reaches: in.with(adds).Reaches(s.bound), of: s, in: in, adds: adds,
	}
	in.open[c] = true
	return c
}

// Reaches reports whether a session would reach the bound with a call that
// begins now.
func (s *Sessions) Reaches(name people.PrincipalName, adds risk.Chain) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in := s.all[name]; in != nil && !in.isOver() {
		adds = in.with(adds)
	}
	return adds.Reaches(s.bound)
}

// makeRoom forgets idle sessions while there are too many.
func (s *Sessions) makeRoom() {
	for len(s.all) >= maxPrincipals {
		first := cmp.Or(s.readers.Front(), s.writers.Front())
		if first == nil {
			return // each has an open call
		}
		delete(s.all, s.unlist(first).(people.PrincipalName)) //nolint:forcetypeassert // see End
	}
}

// unlist removes an idle session from its list.
func (s *Sessions) unlist(e *list.Element) any { s.readers.Remove(e); return s.writers.Remove(e) }

func (in *session) isOver() bool { return len(in.open) == 0 && time.Since(in.last) >= idle }

// with returns the session's chain with one more call and all calls that may
// still start.
func (in *session) with(adds risk.Chain) risk.Chain {
	all := in.done.Join(adds)
	for c := range in.open {
		all = all.Join(c.adds)
	}
	return all
}

// Begin counts the call in its session. Call it when the handler starts.
func (c *Call) Begin() {
	if c.of == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.in.done = c.in.done.Join(c.adds)
	c.adds = risk.Chain{}
}

// End ends the call. If its handler never started, the call does not count.
func (c *Call) End() {
	if c.of == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	delete(c.in.open, c)
	c.in.last = time.Now()
	if len(c.in.open) > 0 {
		return
	}
	idle := &c.of.writers
	if c.in.done.Reversibility <= risk.Unchanging {
		idle = &c.of.readers
	}
	c.in.idle = idle.PushBack(c.in.name)
}
