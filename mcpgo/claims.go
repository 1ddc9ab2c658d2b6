package mcpgo

import (
	"sync"

	"github.com/toolcontract/toolcontract/contract"
)

// claims holds the names of the contracts of single sessions, until the session
// ends. The zero value is empty and ready for use. It is safe for concurrent
// use.
type claims struct {
	mu    sync.RWMutex
	names map[string]map[string]origin // by session id
}

// An origin is the contract that has a name in a session. A tool of the session
// may take the place of a wrapped one, and of no contract that a program made.
type origin struct {
	tool    *contract.Tool
	wrapped bool
}

// follows returns an error if a contract may not take the place of another.
func (o origin) follows(claimed origin, w *wrapper) error {
	if !o.wrapped || !claimed.wrapped {
		return taken(o.tool.Name(), o.tool.Name(), "rename one")
	}
	return w.CheckAgain(claimed.tool, o.tool)
}

func (c *claims) has(session, name string) bool {
	_, ok := c.of(session, name)
	return ok
}

func (c *claims) of(session, name string) (origin, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	o, ok := c.names[session][name]
	return o, ok
}

// anywhere reports whether a session claims a name.
func (c *claims) anywhere(name string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, names := range c.names {
		if _, ok := names[name]; ok {
			return true
		}
	}
	return false
}

// add claims names. The returned function gives back those that were not
// claimed before.
func (c *claims) add(session string, names map[string]origin) (undo func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names == nil {
		c.names = map[string]map[string]origin{}
	}
	if c.names[session] == nil {
		c.names[session] = map[string]origin{}
	}
	var added []string
	for name, o := range names {
		if _, ok := c.names[session][name]; !ok {
			added = append(added, name)
		}
		c.names[session][name] = o
	}
	return func() { c.remove(session, added) }
}

func (c *claims) remove(session string, names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		delete(c.names[session], name)
	}
	if len(c.names[session]) == 0 {
		delete(c.names, session)
	}
}

func (c *claims) release(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.names, session)
}
