package sqlstore

import (
	"fmt"
	"strconv"
	"strings"
)

// A Dialect is the SQL of a database. The zero value is no dialect.
type Dialect uint8

// The dialects. MySQL is that of MariaDB too.
const (
	SQLite Dialect = 1 + iota
	Postgres
	MySQL
)

// String returns "sqlite", "postgres" or "mysql", and a form such as
// "dialect(42)" for an undefined number.
func (d Dialect) String() string {
	if d.isKnown() {
		return [...]string{"sqlite", "postgres", "mysql"}[d-1]
	}
	return fmt.Sprintf("dialect(%d)", uint8(d))
}

func (d Dialect) isKnown() bool { return SQLite <= d && d <= MySQL }

// byKey makes MySQL read a record by its key. It locks each row that a
// statement reads, and by the index of the results these are all of a
// partition.
var byKey = strings.NewReplacer(
	"UPDATE tc_records SET", "UPDATE tc_records FORCE INDEX (PRIMARY) SET",
	"DELETE FROM tc_records WHERE", "DELETE tc_records FROM tc_records FORCE INDEX (PRIMARY) WHERE",
)

// bind returns a statement in the words of the dialect: with the placeholders
// of PostgreSQL in place of each question mark, and with the index for MySQL.
func (d Dialect) bind(statement string) string {
	if d == MySQL {
		return byKey.Replace(statement)
	}
	if d != Postgres {
		return statement
	}
	var b strings.Builder
	n := 0
	for {
		before, after, found := strings.Cut(statement, "?")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n++
		b.WriteString("$" + strconv.Itoa(n))
		statement = after
	}
}

// clock is an expression for the time in nanoseconds since 1970. It is read
// when it is evaluated, and not at the begin of a transaction. SQLite has none:
// its processes share the clock of their machine.
func (d Dialect) clock() string {
	switch d {
	case Postgres:
		return "(extract(epoch from clock_timestamp()) * 1000000)::bigint * 1000"
	case MySQL:
		return "timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) * 1000"
	default:
		return "0"
	}
}
