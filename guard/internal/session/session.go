// Package session sums up what each principal has done lately.
package session

import (
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
)

const (
	// idle is how long a principal makes no call until its session ends.
	idle = 30 * time.Minute
	// maxPrincipals is how many principals have a session. The one whose latest
	// call ended first is forgotten first.
	maxPrincipals = 10_000
)

// Sessions holds the sessions of one guard. [New] makes one. It is safe for
// concurrent use.
type Sessions struct {
	bound risk.Chain

	mu  sync.Mutex
	all map[people.PrincipalName]*session
}

// New returns the sessions of a guard with a bound.
func New(bound risk.Chain) *Sessions {
	return &Sessions{bound: bound, all: map[people.PrincipalName]*session{}}
}

// A session is what one principal does.
type session struct {
	done risk.Chain     // the calls whose handlers have begun
	open map[*Call]bool // the calls that have not ended
	last time.Time      // when the latest call ended
}

// A Call is one call of a session, from the decision whether it may go on. The
// zero Call belongs to no session.
type Call struct {
	// Before is what the session did before the call.
	Before risk.Chain
	// Reaches means that the session reaches the bound with the call.
	Reaches bool

	of   *Sessions
	in   *session
	adds risk.Chain // when its handler begins
}

// Enter begins a call that adds to the session of a principal once its handler
// begins. Until it ends, other calls count it for their bound, so that two calls
// cannot both stay below it. The zero Chain adds nothing.
func (s *Sessions) Enter(name people.PrincipalName, adds risk.Chain) *Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.all[name]
	if in == nil || in.isOver() {
		delete(s.all, name)
		s.makeRoom()
		in = &session{open: map[*Call]bool{}}
		s.all[name] = in
	}
	c := &Call{Before: in.done, Reaches: in.with(adds).Reaches(s.bound), of: s, in: in, adds: adds}
	in.open[c] = true
	return c
}

// Reaches reports whether a call would reach the bound now.
func (s *Sessions) Reaches(name people.PrincipalName, adds risk.Chain) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in := s.all[name]; in != nil && !in.isOver() {
		adds = in.with(adds)
	}
	return adds.Reaches(s.bound)
}

// makeRoom forgets a session without open calls if there are too many.
func (s *Sessions) makeRoom() {
	if len(s.all) < maxPrincipals {
		return
	}
	var first people.PrincipalName
	var oldest *session
	for name, in := range s.all {
		if len(in.open) == 0 && (oldest == nil || in.last.Before(oldest.last)) {
			first, oldest = name, in
		}
	}
	if oldest != nil {
		delete(s.all, first)
	}
}

func (in *session) isOver() bool { return len(in.open) == 0 && time.Since(in.last) >= idle }

// with returns the session with one more call and all that may still begin.
func (in *session) with(adds risk.Chain) risk.Chain {
	all := in.done.Join(adds)
	for c := range in.open {
		all = all.Join(c.adds)
	}
	return all
}

// Begin adds the call to its session, because its handler begins.
func (c *Call) Begin() {
	if c.of == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.in.done = c.in.done.Join(c.adds)
	c.adds = risk.Chain{}
}

// End ends the call. If its handler has not begun, the call adds nothing.
func (c *Call) End() {
	if c.of == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	delete(c.in.open, c)
	c.in.last = time.Now()
}
