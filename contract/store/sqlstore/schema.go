package sqlstore

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
)

// schemaVersion is the version of the tables.
const schemaVersion = 1

//go:embed schema
var schemas embed.FS

// Schema returns the statements that make the tables in an empty database, for
// the tools by which an operator changes schemas. Each ends with a semicolon;
// the functions of PostgreSQL have others, between $$. It is empty for an
// unknown dialect.
func Schema(d Dialect) string {
	text, err := schemas.ReadFile("schema/" + d.String() + ".sql")
	if err != nil {
		return ""
	}
	return string(text)
}

// exists are queries for the number of tables named tc_schema that the
// statements of a connection reach.
var exists = map[Dialect]string{
	SQLite:   `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'tc_schema'`,
	Postgres: `SELECT count(*) FROM (SELECT to_regclass('tc_schema') AS name) AS found WHERE name IS NOT NULL`,
	MySQL: `SELECT count(*) FROM information_schema.tables WHERE table_schema = database()
		AND table_name = 'tc_schema'`,
}

// version returns the version of the tables and keeps their epoch. It is zero
// if there are none.
func (s *Store) version(ctx context.Context) (version int, err error) {
	found := 0
	if err := s.db.QueryRowContext(ctx, exists[s.dialect]).Scan(&found); err != nil {
		return 0, fmt.Errorf("sqlstore: Open: the database does not answer: %w", failure(err))
	}
	if found == 0 {
		return 0, nil
	}
	if err := s.db.QueryRowContext(ctx, `SELECT version, epoch FROM tc_schema`).Scan(&version, &s.epoch); err != nil {
		return 0, fmt.Errorf("sqlstore: Open: the table tc_schema cannot be read: %w", failure(err))
	}
	return version, nil
}

// makeTables makes the tables, unless another process does. One of several that
// start at once makes them; the others find them.
func (s *Store) makeTables(ctx context.Context) error {
	tx, err := s.begin(ctx, false)
	if err != nil {
		return failure(err)
	}
	defer tx.rollback()
	statements := strings.SplitSeq(Schema(s.dialect), ";")
	if s.dialect == Postgres { // it takes several at once, and functions have semicolons
		statements = slices.Values([]string{Schema(s.dialect)})
	}
	for statement := range statements {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			tx.rollback()
			if version, again := s.version(ctx); again == nil && version > 0 {
				return nil
			}
			return fmt.Errorf("sqlstore: Open: the tables cannot be made: %w", failure(err))
		}
	}
	return tx.commit(ctx)
}
