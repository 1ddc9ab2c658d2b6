package mcpgo

import (
	"maps"
	"sync"
)

// claims are the names of single sessions' contracts. The zero value is ready,
// and safe for concurrent use.
type claims struct {
	mu    sync.RWMutex
	names map[string]map[string]bool // by session id
}

func (c *claims) has(session, name string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.names[session][name]
}

func (c *claims) add(session string, entries map[string]*entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := maps.Clone(c.names[session])
	if names == nil {
		names = map[string]bool{}
	}
	for name := range entries {
		names[name] = true
	}
	if c.names == nil {
		c.names = map[string]map[string]bool{}
	}
	c.names[session] = names
}

func (c *claims) release(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.names, session)
}
