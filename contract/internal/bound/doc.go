// Package bound is the private half of a built tool, which package contract
// hands to the guard: how to decode, ask, run and encode. A handler can be
// reached through it without the guard's checks, so it is internal, and a [Key]
// keeps it from packages that cannot import it.
package bound
