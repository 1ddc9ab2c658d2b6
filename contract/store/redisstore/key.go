package redisstore

import "github.com/toolcontract/toolcontract/contract/store"

// A sort is one of the three things that a key can name.
type sort string

const (
	recordSort sort = "record"
	nonceSort  sort = "nonce"
	countSort  sort = "count"
)

// key returns the name of a thing in Redis. What stands in braces is its hash tag: a cluster puts all names
// with the same one into one slot, and a script may touch only one slot.
func (s *Store) key(what sort, k store.Key) string {
	return s.prefix + ":{" + k.Partition.String() + "}:" + string(what) + ":" + k.ID.String()
}
