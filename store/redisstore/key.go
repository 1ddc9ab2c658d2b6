package redisstore

import "github.com/toolcontract/toolcontract/store"

// An entryKind is the kind of entry that a key names.
type entryKind string

const (
	recordKind entryKind = "record"
	nonceKind  entryKind = "nonce"
	countKind  entryKind = "count"
)

// prefix starts all keys, so that a server's access control list can name them.
// The scope separates MCP servers that share a Redis.
const prefix = "toolcontract"

// keysOf returns the Redis keys of an entry, and of the index and the results
// of its partition.
func (s *operations) keysOf(kind entryKind, k store.Key) []string {
	partition := prefix + ":{" + k.Partition.String() + "}:"
	return []string{s.key(kind, k), partition + "index", partition + "results"}
}

// key returns the Redis key of an entry. The part in braces is its hash tag: a
// cluster keeps all keys with the same hash tag in one slot, and a script may
// use only one slot.
func (s *operations) key(kind entryKind, k store.Key) string {
	return prefix + ":{" + k.Partition.String() + "}:" + string(kind) + ":" + k.ID.String()
}
