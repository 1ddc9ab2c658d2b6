// Package ledger keeps the books of several accounts in SQLite: their
// customers, invoices and refunds. It does not know contracts.
//
// A [Ledger] is the database, and [Books] are the part of it that belongs to
// one account. Every query of Books names the account, so that no caller reads
// or changes the books of another one.
//
// A method that takes a [Tx] writes only in this transaction, whose owner
// commits it. Every other method is one statement.
package ledger
