// Package store defines what a guard records about calls, and the interface
// that stores implement to keep those records.
//
// # Guarantees
//
// While the store is up, at most one execution runs at a time per key, and the
// first recorded outcome is replayed until it expires. This is never "exactly
// once". A server that crashes between an effect and its record leaves an
// unknown outcome; the contract's OnUnknown clause then decides what a repeated
// call does. The guarantee ends when:
//
//   - A record's retention ends. The record is gone, and the same call is a new
//     call.
//   - A store loses its data: a [Memory] when its process ends, a shared store
//     when it crashes before a write reaches its disk.
//   - An owner outlives its lease, for example because its process was
//     suspended. It may overlap with its successor: it cannot overwrite the
//     successor's record, but its effects still happen.
//   - There is no room for a result, so it is dropped. The fact that the call
//     completed is never dropped.
//
// # Keys
//
// A [Scope] turns a caller's key, or its arguments, into a [Key]: SHA-256 over
// the parts of the scope and the key, each preceded by its length, so that no
// two lists of parts give the same key. The same text makes a different key for
// another principal or tool, and the store learns neither. A [Fingerprint]
// shows whether two calls with the same key have the same arguments.
//
// # Records
//
// A [Store] takes a call's record through its life:
//
//	Claim → Mark → (Renew …) → Complete
//	     ↘ Release, if there was no effect
//
// A [Claim] looks up the record and takes it in one atomic step. The claimant
// is a random [Owner], which every later change must name, so that an execution
// that has lost its record cannot change it. The lease bounds how long an owner
// counts as alive; the retention bounds how long the record exists. The record
// of an owner that vanished shows that its outcome is unknown, and an operator
// can settle it with [Store.Resolve]. A claim with other arguments can replace
// the record of a failed call; see [Claim.Replaces].
//
// A store also remembers which nonces were spent ([Store.Spend]) and counts
// events ([Store.Add]). A claim can also spend a [Nonce] and check a [Budget]
// in the same step, and a completion can reset counts.
//
// # Implementations
//
// [Memory] is a store for one process. Packages redisstore and sqlstore provide
// stores that several processes can share. Your own implementation must follow
// the rules of [Store]; package storetest checks them.
//
// # Rate limits
//
// A [Limiter] counts calls against rate limits, in token buckets. It needs no
// records, so it is a separate interface. A guard makes its own
// [MemoryLimiter]. Make one yourself to share limits between the guards of a
// process, and implement Limiter to share them between processes.
package store
