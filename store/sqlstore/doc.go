// Package sqlstore is a [store.Store] in SQLite or PostgreSQL.
//
//	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
//	if err != nil { … }
//	s, err := sqlstore.Open(db, sqlstore.Postgres)
//
// It brings no driver. Package sqlitefile is the same store with one: a file,
// for a server on its user's machine.
//
// # Tables
//
// The names of the tables start with tc_. [Schema] returns the statements that
// create them, for an operator's migration tool; [WithMigration] runs them if
// the tables do not exist. [Open] refuses tables of another version. Keys and
// results are binary; times are nanoseconds since 1970, by the database's
// clock. SQLite has none: its processes share the clock of their machine.
//
// # Guarantees
//
//   - Each operation is one transaction that locks the principal's row in
//     tc_partitions. Calls of different principals do not wait for each other,
//     except in SQLite, where one transaction writes at a time. A call that is
//     answered from a record takes no lock. In PostgreSQL a claim and a
//     completion are one round trip each, with functions of the schema, unless
//     something must be removed to make room. A claim takes seven to ten if the
//     database's default isolation level is above READ COMMITTED. The
//     transaction of an atomic call takes the lock only while the server
//     commits it. After five seconds PostgreSQL ends an operation whose process
//     has stopped, so such a process holds up the principal's other calls no
//     longer than that.
//   - No record, nonce or count is removed before it expires, except counts of
//     a principal that has more than [WithMaxEntries] allows.
//   - What one principal can store is bounded, in number and in bytes.
//   - A transaction that the database rolled back because of another one is
//     retried. After any other error it is unknown whether an operation took
//     place, as with every store.
//   - Errors contain no keys, results or passwords, and of a database's error
//     only the code.
//
// Expired rows are removed in the background, a few hundred at a time.
//
// # Settings
//
// SQLite needs WAL, a busy_timeout below the guard's store timeout, such as 300
// ms, synchronous=FULL, and a file on a local disk. After a power loss no call
// then runs twice, but the outcome of those that ended since the last claim may
// be unknown, unless they were atomic. With synchronous=NORMAL a call may run
// twice. PostgreSQL needs a connection pool that the handlers cannot exhaust.
//
// # Deviations and limits
//
//   - No duration reaches beyond the year 2262.
//   - The package is tested with modernc.org/sqlite, and with PostgreSQL 15 by
//     pgx.
package sqlstore
