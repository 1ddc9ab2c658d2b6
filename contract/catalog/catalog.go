package catalog

import (
	"context"
	"sync/atomic"
)

// A Catalog has the facts about the tools of many servers. Make one with [New].
// It is safe for concurrent use.
type Catalog struct {
	config  config
	sources []Source
	current atomic.Pointer[Cycle]
}

// New returns a catalogue of servers. It reads the state file, if there is one,
// and lists nothing: see [Catalog.Refresh]. The error joins an [*Error] for
// every mistake in the sources, the options and the files.
func New(sources []Source, opts ...Option) (*Catalog, error) { return newCatalog(sources, opts) }

// Refresh lists all servers at the same time, compares their tools with what
// was seen before, saves the state, and returns the result.
//
// A server that cannot be listed is reported in [Cycle.Servers] and changes
// nothing for the others. The error is that of the state file, or of the
// context. Then the cycle does not count: the catalogue has the one before.
// Concurrent calls wait for each other.
func (c *Catalog) Refresh(ctx context.Context) (Cycle, error) { return c.refresh(ctx) }

// Cycle returns the result of the last successful [Catalog.Refresh].
func (c *Catalog) Cycle() Cycle {
	if current := c.current.Load(); current != nil {
		return *current
	}
	return Cycle{}
}
