package store

import "context"

// A Transactor is a [Store] that can record the end of a call in the
// transaction in which the handler of the call writes: either both are
// committed or neither is. A guard needs one for tools whose contract declares
// atomic idempotency.
type Transactor interface {
	Store
	// Transaction returns the transaction of a record in progress that was not
	// started; see [Store.Mark]. A function of the store's package gives it to
	// the handler, and begins it at the first use. It begins only if the owner
	// holds the record. Until it ends the record stays with its owner, also
	// after the lease: other claims are [Running], and an operation that would
	// change the record waits.
	Transaction(key Key, owner Owner) Transaction
}

// A Transaction holds what one run of a handler writes. [Transaction.Commit] or
// [Transaction.Rollback] ends it. It is safe for concurrent use.
type Transaction interface {
	// Context returns a context by which the handler finds the transaction.
	Context(ctx context.Context) context.Context
	// Begun reports whether the handler has requested the transaction. Its
	// writes without a request were not part of the transaction.
	Begun() bool
	// Failed reports the error that the handler has returned. If it wraps the
	// error of the database for a conflict of this transaction with another
	// one, [Transaction.Err] wraps [ErrBusy] from then on.
	Failed(err error)
	// Err returns why the transaction cannot be committed. It wraps
	// [ErrBusy] if the handler may run again with another transaction, and
	// [ErrLost] if the owner does not hold the record. After Rollback it is
	// [ErrEnded] if the handler has ended the transaction. Nil: there is no
	// reason.
	Err() error
	// Commit records the end of the execution, as [Store.Complete] does, and
	// commits. After [ErrEnded] the outcome stays unknown. After any other
	// error of this package nothing is committed, and after [ErrBusy] the
	// handler may run again with another transaction. After any other error it
	// is unknown, until the owner has released the record: then nothing was
	// committed, or the error is [ErrLost].
	Commit(ctx context.Context, c Completion) error
	// Rollback undoes what the handler has written. Statements of a handler
	// that still runs fail from then on. It does nothing if the transaction is
	// over.
	Rollback()
}
