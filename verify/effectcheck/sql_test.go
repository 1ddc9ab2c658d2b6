package effectcheck

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStatementCapability_IsAReadOnlyIfThatIsSure(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]Capability{
		"SELECT text, count(*) FROM notes WHERE id IN (?, $2) AND at >= '2026;--' -- of one\n GROUP BY text;": databaseRead,
		`select "update", n.delete_at from notes n where (a - b) / 2 > 1 /* all */`:                           databaseRead,
		"SELECT * FROM (SELECT max(at) OVER (ORDER BY at) FROM notes) AS latest":                              databaseRead,
		"EXPLAIN SELECT 1": databaseRead,

		"SELECT pg_terminate_backend(1)":                          databaseAny,
		"SELECT nextval ('ids')":                                  databaseAny,
		"SELECT evil.count(1)":                                    databaseAny,
		`SELECT "count"(1)`:                                       databaseAny,
		"SELECT lo_import/**/('/etc/passwd')":                     databaseAny,
		"SELECT * FROM dblink_exec('DROP TABLE notes')":           databaseAny,
		"SELECT 1; COMMIT; DROP TABLE notes":                      databaseAny,
		"SELECT 1; SELECT 2":                                      databaseAny,
		"SELECT * INTO copied FROM notes":                         databaseAny,
		"SELECT * FROM notes FOR UPDATE":                          databaseAny,
		"SELECT @a := 1":                                          databaseAny,
		"EXPLAIN ANALYZE DELETE FROM notes":                       databaseAny,
		"SELECT 1 /*! INTO OUTFILE 'x' */":                        databaseAny,
		"SELECT 1 /* /* */ ; DELETE FROM notes -- */":             databaseAny,
		`SELECT 'a\'; DELETE FROM notes -- '`:                     databaseAny,
		"SELECT $$'$$; DELETE FROM notes -- '":                    databaseAny,
		"SELECT 1 --1; DELETE FROM notes":                         databaseAny,
		"SELECT 1 # \n; DELETE FROM notes":                        databaseAny,
		"SELECT 'unfinished":                                      databaseAny,
		"WITH gone AS (DELETE FROM notes RETURNING *) SELECT 'x'": databaseAny,
		"CALL clean()":                                            databaseAny,
		"":                                                        databaseAny,

		"INSERT INTO notes SELECT 1":    databaseWrite,
		" -- why\ndelete from notes":    databaseWrite,
		"/* SELECT */ DROP TABLE notes": databaseWrite,
	} {
		assert.Equal(t, want, statementCapability(statement, true), statement)
	}
	assert.Equal(t, databaseAny, statementCapability("SELECT * FROM notes ORDER BY ", false), "the rest is not shown")
	assert.Equal(t, databaseWrite, statementCapability("UPDATE notes SET text = '", false))
}
