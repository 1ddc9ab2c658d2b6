package mcpgo

import (
	"sync"

	"github.com/toolcontract/toolcontract/contract"
)

// sessionNames holds the names that contracts of single sessions have, until
// the session ends. The zero value is empty and ready for use. It is safe for
// concurrent use.
type sessionNames struct {
	mu     sync.RWMutex
	owners map[string]map[string]owner // by session id, then by name
}

// An owner is the contract that has a name in a session. A tool of the session
// may take the place of a wrapped one, but not of one that a program declared.
type owner struct {
	tool    *contract.Tool
	wrapped bool
}

// succeeds returns an error if o may not take the place of another owner.
func (o owner) succeeds(other owner, w *wrapper) error {
	if !o.wrapped || !other.wrapped {
		return errTaken(o.tool.Name(), o.tool.Name(), "rename one")
	}
	return w.CheckAgain(other.tool, o.tool)
}

func (n *sessionNames) has(session, name string) bool {
	_, ok := n.owner(session, name)
	return ok
}

func (n *sessionNames) owner(session, name string) (owner, bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	o, ok := n.owners[session][name]
	return o, ok
}

// inAny reports whether a contract of any session has a name.
func (n *sessionNames) inAny(name string) bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	for _, owners := range n.owners {
		if _, ok := owners[name]; ok {
			return true
		}
	}
	return false
}

// add gives names to contracts of a session. The returned function takes back
// those that had no owner before.
func (n *sessionNames) add(session string, names map[string]owner) (undo func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.owners == nil {
		n.owners = map[string]map[string]owner{}
	}
	if n.owners[session] == nil {
		n.owners[session] = map[string]owner{}
	}
	var added []string
	for name, o := range names {
		if _, ok := n.owners[session][name]; !ok {
			added = append(added, name)
		}
		n.owners[session][name] = o
	}
	return func() { n.remove(session, added) }
}

func (n *sessionNames) remove(session string, names []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, name := range names {
		delete(n.owners[session], name)
	}
	if len(n.owners[session]) == 0 {
		delete(n.owners, session)
	}
}

// release frees all names of a session.
func (n *sessionNames) release(session string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.owners, session)
}
