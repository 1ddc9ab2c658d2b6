package mcpgo

import "sync"

// claims holds the names of the contracts of single sessions, until the session
// ends. The zero value is empty and ready for use. It is safe for concurrent
// use.
type claims struct {
	mu    sync.RWMutex
	names map[string]map[string]origin // by session id
}

// An origin distinguishes a tool that is added again from another one.
type origin struct {
	digest string  // of the contract
	code   uintptr // of the wrapped handler; 0 for a contract that a program made
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
