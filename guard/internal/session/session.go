// Package session sums up what each principal has done lately.
package session

import (
	"container/list"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
)

const (
	// idle is how long a principal makes no call until its session ends.
	idle = 30 * time.Minute
	// maxPrincipals is how many principals have a session. The one that has
	// made no call for the longest time is forgotten first.
	maxPrincipals = 10_000
)

// Sessions holds the sessions of one guard. [New] makes one. It is safe for
// concurrent use.
type Sessions struct {
	bound risk.Chain

	mu     sync.Mutex
	byName map[people.PrincipalName]*list.Element
	latest *list.List // of *session; the one with the latest call first
}

// New returns the sessions of a guard with a bound.
func New(bound risk.Chain) *Sessions {
	return &Sessions{bound: bound, byName: map[people.PrincipalName]*list.Element{}, latest: list.New()}
}

// A session is what one principal does.
type session struct {
	name    people.PrincipalName
	done    risk.Chain         // the calls whose handlers have begun
	pending map[risk.Chain]int // the number of calls that may still begin, by what each adds
	open    int                // the number of calls that have not ended
	last    time.Time          // when the latest call ended
}

// A Call is one call of a session, from the decision whether it may run on. A
// nil Call belongs to no session.
type Call struct {
	before  risk.Chain
	reaches bool

	of      *Sessions
	in      *session
	adds    risk.Chain
	settled bool // the handler has begun, or never will
}

// Enter begins a call that adds to the session of a principal once its handler
// begins. Until it ends, other calls count it for their bound, so that two calls
// cannot both stay below it. The zero Chain adds nothing.
func (s *Sessions) Enter(name people.PrincipalName, adds risk.Chain) *Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.byName[name]
	if e == nil {
		s.makeRoom()
		e = s.latest.PushFront(&session{name: name, pending: map[risk.Chain]int{}})
		s.byName[name] = e
	}
	s.latest.MoveToFront(e)
	in := sessionOf(e)
	if in.isOver() {
		in.done = risk.Chain{}
	}
	c := &Call{before: in.done, reaches: in.with(adds).Reaches(s.bound), of: s, in: in, adds: adds}
	in.pending[adds]++
	in.open++
	return c
}

// Reaches reports whether a call would reach the bound now.
func (s *Sessions) Reaches(name people.PrincipalName, adds risk.Chain) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byName[name]; e != nil && !sessionOf(e).isOver() {
		adds = sessionOf(e).with(adds)
	}
	return adds.Reaches(s.bound)
}

// makeRoom forgets a session without open calls if there are too many.
func (s *Sessions) makeRoom() {
	e := s.latest.Back()
	for ; e != nil && sessionOf(e).open > 0; e = e.Prev() {
	}
	if e != nil && len(s.byName) >= maxPrincipals {
		delete(s.byName, sessionOf(e).name)
		s.latest.Remove(e)
	}
}

func sessionOf(e *list.Element) *session { return e.Value.(*session) } //nolint:forcetypeassert // the list has nothing else

func (in *session) isOver() bool { return in.open == 0 && time.Since(in.last) >= idle }

// with returns the session with one more call and all that may still begin.
func (in *session) with(adds risk.Chain) risk.Chain {
	all := in.done.Join(adds)
	for one, n := range in.pending {
		one.Calls *= n
		one.Irreversible *= n
		all = all.Join(one)
	}
	return all
}

// Before returns what the session did before the call.
func (c *Call) Before() risk.Chain {
	if c == nil {
		return risk.Chain{}
	}
	return c.before
}

// Reaches reports whether the session reaches the bound with the call.
func (c *Call) Reaches() bool { return c != nil && c.reaches }

// Begin adds the call to its session, because its handler begins.
func (c *Call) Begin() { c.settle(true) }

// End ends the call. If its handler has not begun, the call adds nothing.
func (c *Call) End() {
	c.settle(false)
	if c == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.in.open--
	c.in.last = time.Now()
}

// settle takes the call from those that may still begin.
func (c *Call) settle(begins bool) {
	if c == nil || c.settled {
		return
	}
	c.settled = true
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if c.in.pending[c.adds]--; c.in.pending[c.adds] == 0 {
		delete(c.in.pending, c.adds)
	}
	if begins {
		c.in.done = c.in.done.Join(c.adds)
	}
}
