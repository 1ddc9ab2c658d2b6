// Package redisstore is a [store.Store] in Redis, for servers of several
// processes and for records that outlive a crash.
//
//	s, err := redisstore.Open("rediss://user:password@redis.internal:6380/0")
//	if err != nil { … }
//	defer s.Close()
//	warnings, err := s.Check(ctx)
//
// Each operation is one Lua script, which is one atomic step and one round
// trip. A replay takes one round trip. A first execution takes two, the claim
// and the completion. The only clock is that of the server.
//
// # Stored data
//
// All keys of one principal have the digest of its partition as their hash tag,
// so that they are in one slot of a cluster:
//
//	toolcontract:{PARTITION}:record:ID   a record
//	toolcontract:{PARTITION}:nonce:ID    a spent nonce, and the owner that spent it
//	toolcontract:{PARTITION}:count:ID    the counts of a window
//	toolcontract:{PARTITION}:index       all of these by their ends
//	toolcontract:{PARTITION}:results     the records with a result by their age
//
// The index and the results are sorted sets, by which [WithMaxEntries] and
// [WithMaxBytes] count. Each entry is a hash with its end as a field, which
// alone decides whether the entry exists. Redis removes the key a minute later.
// Results are stored as they are given.
//
// # Guarantees
//
//   - This package never removes a record, a nonce or a count before its end.
//     Redis may do so if its maxmemory-policy is not noeviction, and a call may
//     then execute twice. [Store.Check] warns of this.
//   - No principal has more entries than [WithMaxEntries] allows, nor more
//     bytes than [WithMaxBytes]. The oldest results are dropped first. If that
//     is not enough, a new entry gets [store.ErrFull].
//   - If memory is used up under noeviction, a new entry gets [store.ErrFull]
//     and nothing changes. Existing entries can still be changed. If there is
//     no room for a result, the result is dropped and its record is kept.
//   - A lost reply causes no second execution. Operations that are safe to
//     repeat are repeated as often as the client's MaxRetries allows. The
//     others are sent once: Release, Resolve, Add, and a Complete that removes.
//     After an error it is unknown whether they took place.
//   - Errors hold no keys, results or passwords. They hold only the first word
//     of an error of Redis.
//
// # Deviations and limits
//
//   - When Redis crashes it loses the writes that had not reached its disk,
//     about a second with appendfsync everysec. When a replica takes over, the
//     writes that had not been replicated are lost. A call of that time may
//     execute again, and its first owner gets [store.ErrLost]. Locks over
//     several independent servers are not supported.
//   - Setting the clock of the server forward ends leases early. Adjust it
//     slowly instead.
//   - Times are stored in microseconds, rounded up. The longest duration is a
//     hundred years.
//   - The package is tested with Redis 7. Get reads from the primary, so that
//     it sees the latest writes.
package redisstore
