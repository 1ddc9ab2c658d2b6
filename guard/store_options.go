package guard

import (
	"errors"

	"github.com/toolcontract/toolcontract/store"
)

// errTwoStores names the flag of package program, because its readers pass no
// options.
var errTwoStores = errors.New("guard: WithStore is given twice, so the records in one of the stores would not count; pass one, " +
	"or leave out the flag -state or the flag of the other store")

// WithStore sets the store for the outcomes of managed calls. Default: a store
// in memory, which ends with the process and is not shared with other replicas.
// A store that processes share also needs [WithSealingKeys]. The guard does not
// close the store. Nil, the zero value of a store and a second WithStore are
// errors; with two, the records in one of the stores would not count.
func WithStore(s store.Store) Option {
	return optionFunc(func(c *config) error {
		switch {
		case s == nil:
			return errors.New("guard: WithStore: the store is nil; pass one, or leave the option out")
		case c.records.Store != nil:
			return errTwoStores
		}
		c.records.Store = s
		return nil
	})
}

// WithSealingKeys sets the keys that seal results before they are stored, and
// the state of questions before clients carry it (AES-256-GCM under
// HKDF-SHA256). The first key seals and all keys open. To rotate a key, put the
// new key first, and remove the old one after the longest retention. If no key
// opens a result, the call answers already_done.
//
// Each key has at least 32 bytes of randomness, and all replicas have the same
// keys. A shorter key is an error. Default: a random key, which ends with the
// guard.
//
// Names and namespaces distinguish servers with the same keys. Servers that
// have both in common count as replicas of one server. Keys do not help a store
// in memory outlive its process: without [WithStore], [New] logs a warning.
func WithSealingKeys(current []byte, previous ...[]byte) Option {
	return optionFunc(func(c *config) error {
		c.records.Keys = append([][]byte{current}, previous...)
		return nil
	})
}

// WithNamespace separates servers that share a store or sealing keys, such as
// staging and production: the same principal, tool and key in another namespace
// are another call, and an answer or a preview from another namespace does not
// count. All replicas of one server have the same namespace. Default: the empty
// namespace.
func WithNamespace(namespace string) Option {
	return optionFunc(func(c *config) error {
		c.records.Namespace = namespace
		return nil
	})
}

// WithStoreFailOpen lets managed tools up to low-risk-write run without a
// record while the store cannot be reached. Their calls may then run twice, and
// the audit event of such a call has notPersisted. A full store is not an
// outage: it refuses new calls. Each call queries the store, so during an
// outage each waits for [Times.StoreTimeout]. Default: nothing runs without a
// record.
func WithStoreFailOpen() Option {
	return optionFunc(func(c *config) error {
		c.failOpen = true
		return nil
	})
}
