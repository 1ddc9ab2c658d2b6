// Package sqlstore is a [store.Store] in SQLite or PostgreSQL.
//
//	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
//	if err != nil { … }
//	s, err := sqlstore.Open(db, sqlstore.Postgres)
//
// It needs no driver of its own. Package sqlitefile is the same store with one:
// a file, for a server on the machine of its user.
//
// # Tables
//
// The names of the tables begin with tc_. [Schema] returns the statements that
// make them, for the tool by which an operator changes schemas;
// [WithMigration] runs them if the tables do not exist. [Open] refuses tables
// of another version. Keys and results are binary, times are nanoseconds since
// 1970, by the clock of the database. SQLite has none: its processes share the
// clock of their machine.
//
// # Guarantees
//
//   - Each operation is one transaction that holds the lock of the principal's
//     row in tc_partitions. Calls of different principals do not wait for each
//     other, except in SQLite, where one transaction writes at a time. A call
//     that is answered from a record takes no lock. In PostgreSQL a claim and a
//     completion are one round trip each, by functions of the schema, unless
//     something must be removed to make room. A claim is seven to ten if the
//     default isolation level of the database is above READ COMMITTED. The
//     transaction of an atomic call takes the lock only while the server
//     commits it. After five seconds the server ends an operation whose
//     process has stopped. So such a process does not hold up other calls of
//     the principal for longer.
//   - No record, nonce or count is removed before its end, except for counts
//     of a principal that has more than [WithMaxEntries] allows.
//   - What one principal keeps is bounded, in number and in bytes.
//   - A transaction that the database gave up because of another one is tried
//     again. After any other error it is unknown whether an operation took
//     place, as with every store.
//   - Errors hold no keys, results or passwords: of a database's error only
//     the code.
//
// Expired rows are removed beside the calls, some hundred at a time.
//
// # Settings
//
// SQLite needs WAL, a busy_timeout below the guard's store timeout, such as 300
// ms, and a file on a local disk. With synchronous=NORMAL a loss of power can
// take the last calls from the file; FULL keeps them. PostgreSQL needs a pool
// of connections that the handlers do not use up.
//
// # Deviations and limits
//
//   - The longest duration is what is left until the year 2262.
//   - The package is tested with modernc.org/sqlite, and with PostgreSQL 15 by
//     pgx.
package sqlstore
