// Package mail holds the contracts of examples/emails and a small mail system
// in memory behind them.
//
// Each tool has its own file with its types, its handler and its contract.
// contacts.search declares its contract with struct tags, the others with the
// builder; the email tools share a base.
package mail
