package redisstore

import "github.com/toolcontract/toolcontract/store"

// A sort is the kind of entry that a key names.
type sort string

const (
	recordSort sort = "record"
	nonceSort  sort = "nonce"
	countSort  sort = "count"
)

// prefix begins all keys, so that the access control list of a server can name
// them. Entries of servers that share a Redis are separated by their scope.
const prefix = "toolcontract"

// listed returns the names of an entry, and of the index and the results of its
// partition.
func (s *operations) listed(what sort, k store.Key) []string {
	partition := prefix + ":{" + k.Partition.String() + "}:"
	return []string{s.key(what, k), partition + "index", partition + "results"}
}

// key returns the name of an entry in Redis. The part in braces is its hash
// tag: a cluster keeps all names with the same hash tag in one slot, and a
// script may use only one slot.
func (s *operations) key(what sort, k store.Key) string {
	return prefix + ":{" + k.Partition.String() + "}:" + string(what) + ":" + k.ID.String()
}
