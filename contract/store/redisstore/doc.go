// Package redisstore keeps idempotency records, nonces and counters in Redis, for servers of several
// processes, and for records that outlive a crash.
//
//	store, err := redisstore.Open("rediss://user:password@redis.internal:6380/0")
//	if err != nil { … }
//	defer store.Close()
//	warnings, err := store.Check(ctx)
//
// A [Store] is a [store.Store], with the rules that
// these document. Each operation is one Lua script, which is one atomic step and one round trip: a replay
// takes one, a first execution two, the claim and the completion. The only clock is the server's.
//
// # What is stored
//
// All keys of one principal have the digest of its partition as their hash tag, so that on a cluster they
// are in one slot:
//
//	toolcontract:{PARTITION}:record:ID   a record
//	toolcontract:{PARTITION}:nonce:ID    a nonce that was spent, and by whom
//	toolcontract:{PARTITION}:count:ID    the counts of a window
//
// Each is a hash. When it is over is a field of it, which is what counts; Redis removes the key a minute
// later. Results are stored as they are given.
//
// # Guarantees
//
//   - A record, a nonce or a count is never removed before its end by this package. Whether Redis does so is
//     a matter of its configuration, which [Store.Check] looks at: with a maxmemory-policy other than
//     noeviction it may, and then a call may execute twice.
//   - Where memory is used up under noeviction, what would be new gets [store.ErrFull] and changes
//     nothing. What there is goes through its life: a result for which there is no room is dropped, its
//     record is not.
//   - A reply that was lost makes no double. What can be repeated safely is, as often as the client's
//     MaxRetries says; what cannot is sent once, and an error then means that it may or may not have taken
//     place: [Store.Release], [Store.Resolve], [Store.Add], and a [Store.Complete] that removes.
//   - Errors hold no keys, results or passwords, and nothing but the first word of what Redis said.
//
// # Deviations and limits
//
//   - Redis forgets what was not yet on its disk when it crashes, and what was not yet replicated when a
//     replica takes over: with appendfsync everysec that is about a second. A call of that time may then
//     execute again, and its first owner gets [store.ErrLost]. The locks of several independent
//     servers are not taken.
//   - A server's clock that is set forward ends leases early; let it be slewed.
//   - Times are kept in microseconds, rounded up. A hundred years are the longest there is.
//   - It is tested with Redis 7. Get reads the primary, so that it sees what was just written.
package redisstore
