// Package idempotency makes the repetition of a call harmless: it holds the words in which an author says
// who deduplicates, the keys that make two calls one, and the stores that remember what became of a call.
//
// # The promise
//
// While the store is up, at most one execution at a time per key, and the first recorded outcome is
// replayed until it expires. It is never "exactly once". A server that crashes between an effect and its
// record leaves an outcome that nobody knows; [OnUnknown] is the author's choice of what a repetition
// does then. What the promise does not cover:
//
//   - after its retention a record is gone, and the same call is a new one;
//   - a store that loses its data forgets what it knew: a [Memory] with its process, a shared store
//     with what was not yet on its disk;
//   - an owner that lives on after its lease, because it was suspended say, may still be working when its
//     successor begins; it cannot overwrite what the successor records, but its effects are its own;
//   - a result can be dropped for want of room. That a call was done is never dropped.
//
// A call is idempotent as RFC 9110, section 9.2.2, has it: the effect of several identical calls is that
// of one. [Mode] says who sees to that.
//
// # Keys
//
// A [Scope] makes a [Key] of what the caller or the arguments give: SHA-256 over the parts of the scope
// and the key, each preceded by its length, so that no two lists of parts are one key. The same text of
// another principal or for another tool is another key, and a store learns neither. A [Fingerprint] tells
// whether two calls with one key have the same arguments.
//
// # Stores
//
// A [Store] takes a call's record through its life:
//
//	Claim → Mark → (Renew …) → Complete
//	     ↘ Release, where there was no effect
//
// A [Claim] looks up and takes in one atomic step; its [Verdict] says what there was. Who claimed is a
// random [Owner], which every later change names, so that one that was given up changes nothing. The
// lease is how long an owner is believed to live, the retention how long the record exists: an owner that
// vanished leaves a record that says so, which an operator can [Store.Resolve].
//
// [Nonces] remember what may be used once, a [Counter] how often something happened. A claim can spend a nonce
// and hold to a [Budget] of what was counted in its one step, and a completion forget it. [Memory] implements
// all three interfaces for one process, package redisstore for many. Who writes another finds the rules with each
// interface, and in package storetest the suite that checks them.
package idempotency
