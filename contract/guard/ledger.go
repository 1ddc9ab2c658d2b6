package guard

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/internal/keyring"
)

// storeCalls is how many operations of the store may be on their way at once,
// so that a store that hangs does not gather goroutines.
const storeCalls = 1024

// A ledger is where the guard keeps what became of managed calls: the store,
// the keys under which results are sealed, and how long things may take.
type ledger struct {
	store     store.Store
	keys      [][]byte
	results   *keyring.Sealer
	questions *keyring.Sealer
	approvals *keyring.Sealer
	stepUps   *keyring.Sealer
	dryRuns   *keyring.Tagger
	namespace string
	timeout   time.Duration
	lease     time.Duration
	failOpen  bool
	slots     contain.Slots // for operations on their way
	retries   chan struct{} // one place for each call with something left to record
}

func newLedger(c recordsConfig) *ledger {
	return &ledger{store: c.store, keys: c.keys, namespace: c.namespace, timeout: c.timeout, lease: c.lease, failOpen: c.failOpen, slots: contain.NewSlots(storeCalls, noteStore), retries: make(chan struct{}, recordRetries)}
}

// open checks the options against each other and fills in the defaults.
func (l *ledger) open() error {
	if l.lease < renewals*l.timeout {
		return errors.New("guard: WithLease: the lease is shorter than three times the store's timeout")
	}
	if l.store == nil {
		memory, err := store.NewMemory()
		if err != nil {
			return err
		}
		l.store = memory
	}
	if l.keys == nil {
		if !l.store.IsLocal() {
			return errors.New("guard: WithStore: a store that other processes share needs WithSealingKeys, with the same keys in each of them")
		}
		key := make([]byte, minSealingKey)
		rand.Read(key) // never fails
		l.keys = [][]byte{key}
	}
	ring, err := keyring.New(l.keys...)
	if err != nil {
		return fmt.Errorf("guard: WithSealingKeys: %w", err)
	}
	l.keys = nil // the ring has its own
	l.results, l.questions = ring.For("idempotency/result"), ring.For("confirmation/state")
	l.approvals = ring.For("confirmation/approval")
	l.stepUps = ring.For("stepup/id")
	l.dryRuns = ring.TaggerFor("dryrun/token")
	return nil
}

// A storeError is the copy of an error that the store returned.
type storeError struct {
	text string
	kind error // one of package store's errors; nil: the store was not reached
}

func (e *storeError) Error() string { return e.text }

func (e *storeError) Unwrap() error { return e.kind }

// noteStore copies an error of the store.
func noteStore(err error) error {
	e := &storeError{text: err.Error()}
	for _, kind := range []error{
		store.ErrInvalid, store.ErrLost, store.ErrFull, store.ErrNotFound, store.ErrNotUnknown,
	} {
		if errors.Is(err, kind) {
			e.kind = kind
		}
	}
	return e
}

// ask runs one operation of the store, contained and bounded by the store's
// timeout. Where the error is not the store's own word, the operation may have
// taken place.
func ask[T any](ctx context.Context, l *ledger, operation func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	return contain.Call(ctx, l.slots, operation)
}

// tell is ask for an operation that has no answer.
func (l *ledger) tell(ctx context.Context, operation func(context.Context) error) error {
	_, err := ask(ctx, l, func(ctx context.Context) (struct{}, error) { return struct{}{}, operation(ctx) })
	return err
}
