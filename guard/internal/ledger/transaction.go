package ledger

import (
	"context"

	"github.com/toolcontract/toolcontract/store"
)

// HasTransactions reports whether the store can commit a record together with
// the writes of a handler.
func (l *Ledger) HasTransactions() bool { return l.transactor != nil }

// Transaction returns the transaction of one run of a handler. Call it only if
// the ledger has transactions.
func (l *Ledger) Transaction(key store.Key, owner store.Owner) *Transaction {
	return &Transaction{Transaction: l.transactor.Transaction(key, owner), bounded: l.bounded, key: key}
}

// HideTransaction returns a context without the enclosing call's transaction.
// Call it only if the ledger has transactions.
func (l *Ledger) HideTransaction(ctx context.Context) context.Context {
	return l.transactor.Transaction(store.Key{}, store.Owner{}).Context(ctx)
}

// A Transaction is a transaction whose operations have the same bounds as those
// of the store.
type Transaction struct {
	store.Transaction

	bounded *bounded
	key     store.Key
}

// Commit implements [store.Transaction].
func (t *Transaction) Commit(ctx context.Context, c store.Completion) error {
	return update(ctx, t.bounded, "commit", func(ctx context.Context) error { return t.Transaction.Commit(ctx, c) })
}

// Rollback implements [store.Transaction]. It waits no longer than for an
// operation of the store.
func (t *Transaction) Rollback() {
	err := update(context.Background(), t.bounded, "rollback", func(context.Context) error {
		t.Transaction.Rollback()
		return nil
	})
	if WasNotSent(err) {
		go t.Transaction.Rollback()
	}
}

// Record reads the record, even during an outage, because the answer to a call
// that has run depends on it.
func (t *Transaction) Record(ctx context.Context) (store.Record, error) {
	return query(ctx, t.bounded, "get", func(ctx context.Context) (store.Record, error) { return t.bounded.store.Get(ctx, t.key) })
}
