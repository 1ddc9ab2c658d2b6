// Package billing has the contracts of examples/invoices: ten tools over the
// books of package ledger.
//
// # Whose invoices
//
// A caller works with the books of its own account, which follows from the
// tenant of its principal. Tools that take the id of a customer or the number
// of an invoice authorize it. A number of another account and an unused number
// get the same answer, permission_denied, so that callers cannot find out what
// others have. Lists and searches have only objects of the account, because
// each query of the ledger names it.
//
// # Repeated calls
//
// invoices.create, invoices.send and refunds.issue are managed: the guard
// replays the outcome of the same call. If the process is killed in such a
// call, the guard cannot know whether the effect took place. The contracts let
// the call run again. If the effect took place, the ledger has stored the
// call's key in the same transaction, and returns the result of that
// transaction.
// This also holds without a shared store, whose records outlive the process.
package billing
