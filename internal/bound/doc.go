// Package bound holds the private half of a built tool, which package contract
// passes to the guard. It decodes arguments, decides whether to ask, runs the
// handler and encodes its result. The package is internal because a handler can
// be reached through it without the guard's checks.
package bound
