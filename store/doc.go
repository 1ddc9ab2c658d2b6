// Package store defines what a guard records about calls, and the interface of
// the stores that keep these records.
//
// # Guarantees
//
// While the store is up, at most one execution runs at a time per key, and the
// first recorded outcome is replayed until it expires. This is never "exactly
// once". A server that crashes between an effect and its record leaves an
// unknown outcome; the OnUnknown clause of the contract decides what a repeated
// call does then. The guarantee does not cover these cases:
//
//   - After its retention a record is gone, and the same call is a new call.
//   - A store that loses its data loses its records: a [Memory] with its
//     process, a shared store with the writes that had not reached its disk.
//   - An owner that is still running after its lease ended, for example because
//     its process was suspended, may overlap with its successor. It cannot
//     overwrite the successor's record, but its effects still happen.
//   - A result can be dropped when there is no room for it. The fact that the
//     call completed is never dropped.
//
// # Keys
//
// A [Scope] turns a caller's key, or its arguments, into a [Key]: SHA-256 over
// the parts of the scope and the key, each preceded by its length, so that no
// two lists of parts give the same key. The same text for another principal or
// another tool is another key, and the store learns neither. A [Fingerprint]
// shows whether two calls with the same key have the same arguments.
//
// # Records
//
// A [Store] takes the record of a call through its life:
//
//	Claim → Mark → (Renew …) → Complete
//	     ↘ Release, if there was no effect
//
// A [Claim] looks the record up and takes it in one atomic step. The claimant
// is a random [Owner], which every later change names, so that an execution
// that was given up changes nothing. The lease bounds how long an owner is
// believed to be alive; the retention bounds how long the record exists. An
// owner that vanished leaves a record that shows this, and an operator can
// resolve it with [Store.Resolve]. A claim with other arguments can replace the
// record of a failed call; see [Claim.Replaces].
//
// A store also remembers which nonces were spent ([Store.Spend]) and counts
// events ([Store.Add]). A claim can spend a [Nonce] and check a [Budget] of
// counts in its one step, and a completion can reset counts.
//
// # Implementations
//
// [Memory] is a store for one process; package redisstore has one for several
// processes. Other implementations must follow the rules of [Store]; package
// storetest checks them.
//
// # Rate limits
//
// A [Limiter] counts calls against rate limits, in token buckets. It needs no
// record of a call, so it is an interface of its own. A guard makes a
// [MemoryLimiter] for itself. Make one yourself to share limits between the
// guards of one process, and implement Limiter to share them between processes.
package store
