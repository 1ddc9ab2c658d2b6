// Package ledger records what happened to calls and questions: it bounds the
// store of a guard and seals what is written to it.
//
// A [Ledger] is itself a store: each operation of the embedded store has a time
// limit and a concurrency slot, and its panics are contained. A [store.Memory]
// is called directly, because it neither waits nor panics. [ValueSealer]
// seals the values of one type. [Ledger.Once] records something for the first
// writer only.
package ledger

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/keyring"
	"github.com/toolcontract/toolcontract/store"
)

// Unavailable returns an error that wraps [contain.ErrUnavailable] and the
// cause, if there is one.
func Unavailable(what string, cause error) error {
	if cause == nil {
		return fmt.Errorf("%w: %s", contain.ErrUnavailable, what)
	}
	return fmt.Errorf("%w: %s: %w", contain.ErrUnavailable, what, cause)
}

// Renewals is how many times a lease is renewed before it would end, because
// one renewal may be lost.
const Renewals = 3

// A Purpose separates sealed data under one key: data sealed for one purpose
// does not open for another.
type Purpose string

// The purposes of a guard. They are part of all sealed data, so they must not
// change.
const (
	Results    Purpose = "idempotency/result"
	Unresolved Purpose = "idempotency/unresolved"
	States     Purpose = "confirmation/state"
	Rounds     Purpose = "handler/round"
	Approvals  Purpose = "confirmation/approval"
	StepUps    Purpose = "stepup/id"
	previews   Purpose = "dryrun/token"
	arguments  Purpose = "idempotency/fingerprint"
)

// A Config configures where records go and how they are sealed.
type Config struct {
	// Store is where records are written. Nil: a store in this process's
	// memory.
	Store store.Store
	// Keys are the sealing keys: the first seals, and all open. Nil: a random
	// key, which is an error if processes share the store.
	Keys [][]byte
	// Namespace separates the keys of servers that share a store.
	Namespace string
	// Timeout bounds each operation.
	Timeout time.Duration
	// Lease is how long a claim lasts without renewal.
	Lease time.Duration
	// Patient makes every operation query the store even during an outage. Set
	// it if calls run without the store: the answer to one call must not depend
	// on another call's operation.
	Patient bool
	// Observe is called after each operation, on the goroutine that asked for
	// it. Nil is not called.
	Observe func(context.Context, Operation)
	// Panicked is called with a panic of the store. Nil is not called.
	Panicked contain.PanicFunc
	// Foreign is called for a text that another process seems to have sealed.
	// Nil is not called.
	Foreign func()
}

// A Ledger is a bounded store with the keys that seal its records. It is safe
// for concurrent use. [Open] makes one.
type Ledger struct {
	store.Store

	memory         *store.Memory    // the store, if it is one
	transactor     store.Transactor // the same; nil: it is none
	bounded        *bounded         // nil: the store is a memory that nothing observes
	namespace      string
	timeout, lease time.Duration
	ring           *keyring.Ring
	previewTags    *keyring.Tagger
	arguments      *keyring.Digester
	foreign        func()
}

// Open checks a config and returns its ledger.
func Open(c Config) (*Ledger, error) {
	if c.Lease < Renewals*c.Timeout {
		return nil, errors.New("guard: WithTimes: Lease is shorter than three times StoreTimeout; set a longer Lease")
	}
	if c.Store == nil {
		memory, err := store.NewMemory()
		if err != nil {
			return nil, err
		}
		c.Store = memory
	}
	local, err := isLocal(c.Store)
	if err != nil {
		return nil, err
	}
	if c.Keys == nil {
		if !local {
			return nil, errors.New("guard: WithStore: a store that other processes share needs WithSealingKeys, with the same keys in " +
				"each of them")
		}
		key := make([]byte, keyring.MinKeySize)
		rand.Read(key) // never fails
		c.Keys = [][]byte{key}
	}
	ring, err := keyring.New(c.Keys...)
	if err != nil {
		return nil, fmt.Errorf("guard: WithSealingKeys: %w; make each key with openssl rand %d", err, keyring.MinKeySize)
	}
	ring.OnForeign(c.Foreign)
	records := c.Store
	memory, inMemory := c.Store.(*store.Memory)
	transactor, _ := c.Store.(store.Transactor)
	var limits *bounded
	if !inMemory || c.Observe != nil {
		limits = &bounded{
			store: c.Store, timeout: c.Timeout, direct: inMemory, patient: c.Patient || inMemory, report: c.Observe,
			slots: contain.NewSlots(concurrent, note, c.Panicked),
		}
		records = limits
	}
	return &Ledger{
		memory: memory, transactor: transactor, bounded: limits, Store: records,
		namespace: c.Namespace, timeout: c.Timeout, lease: c.Lease,
		ring: ring, previewTags: ring.TaggerFor(string(previews)), arguments: ring.DigesterFor(string(arguments)),
		foreign: c.Foreign,
	}, nil
}

// isLocal reports whether a store is local. It returns an error for the zero
// value of a store and for a nil pointer to one, which panic.
func isLocal(s store.Store) (local bool, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("guard: WithStore: the store is not usable; make it with the function of its package, such as sqlstore.Open")
		}
	}()
	return s.IsLocal(), nil
}

// MayHaveCounts reports whether the store may hold a count. It is false only
// for a memory store that holds none; calls then save computing the key.
func (l *Ledger) MayHaveCounts() bool { return l.memory == nil || l.memory.HasCounts() }

// Timeout returns the time limit of an operation.
func (l *Ledger) Timeout() time.Duration { return l.timeout }

// Lease returns how long a claim lasts without renewal.
func (l *Ledger) Lease() time.Duration { return l.lease }

// ShortLease returns the lease of a claim that is completed at once: twice the
// time limit, for the claim and the completion.
func (l *Ledger) ShortLease() time.Duration { return 2 * l.timeout }

// Scope returns the scope of a principal's keys. An empty tool is the scope of
// all tools.
func (l *Ledger) Scope(issuer, tenant, principal, tool string) store.Scope {
	return store.Scope{Namespace: l.namespace, Issuer: issuer, Tenant: tenant, Principal: principal, Tool: tool}
}

// Audience returns a digest that names a server, for data that only this server
// may honour, and only for as long as its store remembers the data's use.
func (l *Ledger) Audience(server string) string {
	return l.Scope(server, "", "", "").Key("audience" + l.Epoch()).ID.String()
}

// Fingerprint returns the fingerprint of the arguments of a record. It is
// keyed, so that readers of the store cannot guess arguments by trying values.
// The same arguments have different fingerprints in two records.
func (l *Ledger) Fingerprint(key store.Key, canonical []byte) store.Digest {
	return l.arguments.Digest(key.ID[:], canonical)
}

// Recognise reports whether a fingerprint from the store is of these arguments,
// and whether the two can be compared: they cannot if the fingerprint was made
// with a key that this ledger lacks. Fingerprints of versions that did not key
// them are recognised too.
func (l *Ledger) Recognise(found store.Digest, key store.Key, canonical []byte) (same, known bool) {
	if found == store.Fingerprint(canonical) {
		return true, true
	}
	return l.arguments.Matches(found, key.ID[:], canonical)
}

// PreviewTags returns the tagger for the tokens of previews.
func (l *Ledger) PreviewTags() *keyring.Tagger { return l.previewTags }

// Foreign reports a token that another process seems to have made.
func (l *Ledger) Foreign() {
	if l.foreign != nil {
		l.foreign()
	}
}

// Sealer returns the sealer of bytes for a purpose. Use [SealerOf] for values.
func (l *Ledger) Sealer(p Purpose) *keyring.Sealer { return l.ring.For(string(p)) }
