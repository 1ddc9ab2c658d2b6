// Package ledger keeps the books of several accounts in SQLite: their
// customers, invoices and refunds. It does not know contracts.
//
// A [Ledger] is the database, and [Books] are the part of it that belongs to
// one account. Every query of Books names the account, so that no caller reads
// or changes the books of another one.
//
// Each method that changes the books is one transaction. If the process is
// killed, the transaction took place completely or not at all. A method that
// takes an [Execution] also stores the key of its call in that transaction. The
// same call, repeated after a crash, finds the key and changes nothing.
package ledger
