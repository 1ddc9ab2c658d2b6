package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"errors"
	"fmt"
)

// schemaVersion is the version of the tables.
const schemaVersion = 1

//go:embed schema
var schemas embed.FS

// Schema returns the statements that create the tables in an empty database,
// for an operator's migration tool. Each ends with a semicolon; PostgreSQL's
// functions contain more, between $$. [Open] refuses the tables until the last
// statement has run. The text is empty for an unknown dialect.
func Schema(d Dialect) string {
	text, err := schemas.ReadFile("schema/" + d.String() + ".sql")
	if err != nil {
		return ""
	}
	return string(text)
}

// exists has queries for the number of tables named tc_schema that a
// connection's statements reach.
var exists = map[Dialect]string{
	SQLite:   `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'tc_schema'`,
	Postgres: `SELECT count(*) FROM (SELECT to_regclass('tc_schema') AS name) AS found WHERE name IS NOT NULL`,
}

// version returns the version of the tables and stores their epoch. It is zero
// if there are none, or only some of them.
func (s *operations) version(ctx context.Context) (version int, err error) {
	found := 0
	if err := s.db.QueryRowContext(ctx, exists[s.dialect]).Scan(&found); err != nil {
		return 0, fmt.Errorf("sqlstore: the database does not answer: %w", failure(err))
	}
	if found == 0 {
		return 0, nil
	}
	err = s.db.QueryRowContext(ctx, `SELECT version, epoch FROM tc_schema`).Scan(&version, &s.epoch)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, nil // the last statement of Schema has not run
	case err != nil:
		return 0, fmt.Errorf("sqlstore: the table tc_schema cannot be read: %w", failure(err))
	}
	return version, nil
}

// checkVersion returns an error if the tables have another version. Zero means
// that there are none.
func (s *operations) checkVersion(version int) error {
	switch {
	case version == 0:
		return fmt.Errorf("sqlstore: the database lacks the tables: run the statements that toolcontract state schema %s prints",
			s.dialect)
	case version > schemaVersion:
		return fmt.Errorf("sqlstore: the tables have version %d, and this program knows %d: update the program", version, schemaVersion)
	case version < schemaVersion:
		return fmt.Errorf("sqlstore: the tables have version %d, and this program needs %d: migrate them", version, schemaVersion)
	}
	return nil
}

// renewEpoch gives a restored database a new epoch. Of several processes that
// start at once, one makes it and the others find it.
func (s *operations) renewEpoch(ctx context.Context) error {
	for s.epoch == "" {
		_, err := s.db.ExecContext(ctx, s.bound(`UPDATE tc_schema SET epoch = ? WHERE epoch = ''`), rand.Text())
		if err != nil && !isRolledBack(err) {
			return fmt.Errorf("sqlstore: Open: the epoch of the restored database cannot be set: %w", failure(err))
		}
		if _, err := s.version(ctx); err != nil {
			return err
		}
	}
	return nil
}

// makeTables creates the tables in one transaction. Of several processes that
// start at once, one creates them and the others find them.
func (s *operations) makeTables(ctx context.Context) error {
	err := s.tryTables(ctx)
	if err == nil {
		return nil
	}
	if version, again := s.version(ctx); again == nil && version > 0 {
		return nil
	}
	return fmt.Errorf("sqlstore: Open: the tables cannot be made: %w; if this user may not make tables, run the statements that "+
		"toolcontract state schema %s prints as one who may", failure(err), s.dialect)
}

func (s *operations) tryTables(ctx context.Context) error {
	tx, err := s.begin(ctx, false)
	if err != nil {
		return err
	}
	defer tx.rollback()
	if _, err := tx.ExecContext(ctx, Schema(s.dialect)); err != nil {
		return err
	}
	return tx.commit(ctx)
}
