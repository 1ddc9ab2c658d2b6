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
// invoices.create, invoices.send and refunds.issue are atomic: the guard
// commits what the handler writes together with the record of the call, and
// replays it for the same call. If the process is killed in such a call, either
// both are in the file or neither is. So the same call runs then, or is
// replayed, and its effect takes place once.
package billing
