package sqlstore

import (
	"fmt"
	"strconv"
	"strings"
)

// A Dialect is a database's dialect of SQL. The zero value is invalid.
type Dialect uint8

// The dialects.
const (
	SQLite Dialect = 1 + iota
	Postgres
)

// String returns "sqlite" or "postgres", or text such as "dialect(42)" for an
// undefined number.
func (d Dialect) String() string {
	switch d {
	case SQLite:
		return "sqlite"
	case Postgres:
		return "postgres"
	default:
		return fmt.Sprintf("dialect(%d)", uint8(d))
	}
}

func (d Dialect) isKnown() bool { return d == SQLite || d == Postgres }

// numbered returns a statement with PostgreSQL's placeholders instead of
// question marks.
func numbered(statement string) string {
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

// clock is an expression for the time in nanoseconds since 1970. The clock is
// read when the expression is evaluated, not when the transaction begins.
// SQLite has no clock: its processes share the clock of their machine.
func (d Dialect) clock() string {
	if d == Postgres {
		return "(extract(epoch from clock_timestamp()) * 1000000)::bigint * 1000"
	}
	return "0"
}
