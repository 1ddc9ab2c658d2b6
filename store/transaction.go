package store

import "context"

// A Transactor is a [Store] that can record the end of a call in the
// transaction that the call's handler writes in: both are committed or neither
// is. A guard needs one for tools whose contract declares atomic idempotency.
type Transactor interface {
	Store
	// Transaction returns the transaction for a record that is in progress but not
	// started; see [Store.Mark]. The handler gets it from a function of the
	// store's package and it begins with the first use, provided that the owner
	// holds the record. Until it ends, the record stays with its owner even after
	// the lease: other claims are [Running], and an operation that would change
	// the record waits. The transaction of the zero key never begins: its Context
	// hides an enclosing call's transaction from the function.
	Transaction(key Key, owner Owner) Transaction
}

// A Transaction contains the writes of one run of a handler.
// [Transaction.Commit] or [Transaction.Rollback] ends it. It is safe for
// concurrent use.
type Transaction interface {
	// Context returns a context that carries the transaction to the handler.
	Context(ctx context.Context) context.Context
	// Begun reports whether the handler has asked for the transaction. If it
	// has not, none of its writes were part of the transaction.
	Begun() bool
	// Failed tells the transaction which error the handler returned. If that
	// wraps the database's error for a conflict with another transaction,
	// [Transaction.Err] wraps [ErrBusy] from then on.
	Failed(err error)
	// Err returns why the transaction cannot be committed, or nil if nothing
	// prevents it. It wraps [ErrBusy] if the handler may run again with another
	// transaction, and [ErrLost] if the owner does not hold the record. After
	// Rollback it is [ErrEnded] if the handler ended the transaction itself.
	Err() error
	// Commit records the end of the execution, as [Store.Complete] does, and
	// commits. After [ErrEnded] the outcome stays unknown. After any other
	// error of this package nothing is committed, and after [ErrBusy] the
	// handler may run again with another transaction. After any other error it
	// is unknown whether it was committed. Releasing the record settles that:
	// if the release succeeds, nothing was committed; otherwise it returns
	// [ErrLost].
	Commit(ctx context.Context, c Completion) error
	// Rollback undoes the handler's writes. If the handler still runs, its
	// statements fail from then on. Rollback does nothing if the transaction
	// has ended.
	Rollback()
}
