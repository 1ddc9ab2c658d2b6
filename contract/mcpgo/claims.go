package mcpgo

import "sync"

// claims holds the names of the contracts of single sessions, until the session
// ends. The zero value is empty and ready for use. It is safe for concurrent
// use.
type claims struct {
	mu    sync.RWMutex
	names map[string]map[string]bool // by session id
}

func (c *claims) has(session, name string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.names[session][name]
}

// add claims names. The returned function gives back those that were not
// claimed before.
func (c *claims) add(session string, names []string) (undo func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names == nil {
		c.names = map[string]map[string]bool{}
	}
	if c.names[session] == nil {
		c.names[session] = map[string]bool{}
	}
	var added []string
	for _, name := range names {
		if !c.names[session][name] {
			c.names[session][name] = true
			added = append(added, name)
		}
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
