// Package redisstore is a [store.Store] in Redis, for servers with several
// processes and for records that outlive a crash.
//
//	s, err := redisstore.Open("rediss://user:password@redis.internal:6380/0")
//	if err != nil { … }
//	defer s.Close()
//	warnings, err := s.Check(ctx)
//
// Each operation is one Lua script: one atomic step and one round trip. A
// replay takes one round trip, a first execution two: the claim and the
// completion. The server's clock is the only one.
//
// # Stored data
//
// All keys of one principal have the digest of its partition as their hash tag,
// so that they share a slot of a cluster:
//
//	toolcontract:{PARTITION}:record:ID a record
//	toolcontract:{PARTITION}:nonce:ID a spent nonce, and the owner that spent it
//	toolcontract:{PARTITION}:count:ID the counts of a window
//	toolcontract:{PARTITION}:index all of these by their ends
//	toolcontract:{PARTITION}:results the records with a result by their age
//
// The index and the results are sorted sets, from which [WithMaxEntries] and
// [WithMaxBytes] count. Each entry is a hash with its end as a field, which
// alone decides whether the entry exists. Redis removes the key a minute later.
// Results are stored as given.
//
// # Guarantees
//
//   - This package never removes a record, a nonce or a count before it
//     expires. Redis may, if its maxmemory-policy is not noeviction, and a call
//     may then execute twice. [Store.Check] warns about this.
//   - No principal has more entries than [WithMaxEntries] allows, or more bytes
//     than [WithMaxBytes] does. The oldest results are dropped first. If that
//     is not enough, a new entry gets [store.ErrFull].
//   - If Redis runs out of memory under noeviction, a new entry gets
//     [store.ErrFull] and nothing changes. Existing entries can still be
//     changed. A result that does not fit is dropped; its record is kept.
//   - A lost reply causes no second execution. Operations that are safe to
//     repeat are repeated as often as the client's MaxRetries allows. The
//     others are sent only once: Release, Resolve, Add, and a Complete that
//     removes the record. After an error it is unknown whether they took place.
//   - Errors contain no keys, results or passwords, and of a Redis error only
//     the first word.
//
// # Deviations and limits
//
//   - When Redis crashes it loses the writes that have not reached its disk:
//     about a second of them with appendfsync everysec. When a replica takes
//     over, writes that were not yet replicated are lost. A call from that time
//     may execute again, and its first owner gets [store.ErrLost]. Locks across
//     several independent servers are not supported.
//   - Setting the server's clock forward ends leases early. Adjust it slowly
//     instead.
//   - Times are stored in microseconds, rounded up. The longest duration is 100
//     years.
//   - The package is tested with Redis 7. Get reads from the primary, so that
//     it sees the latest writes.
package redisstore
