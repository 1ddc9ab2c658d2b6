// Package mail holds the contracts of examples/emails and the small mail system
// behind them, which lives in memory.
//
// Each tool has a file: its types, its handler, and its contract beside them.
// contacts.search says its contract by struct tags, the others by the builder
// over one shared base.
package mail
