// Package bound holds the private part of a built tool, which package contract
// passes to the guard. It decodes arguments, decides whether to ask, runs the
// handler and encodes its result. The package is internal because it gives
// access to a handler without the guard's checks.
package bound
