package commandtest_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/databasetest"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// run runs the command, and returns its exit status and what it prints.
func run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "toolcontract"), args...)
	var printed, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &failed
	_ = cmd.Run() // the status has the failure
	return cmd.ProcessState.ExitCode(), printed.String(), failed.String()
}

func TestState_OfAPostgreSQLIsShownSettledAndForgotten(t *testing.T) {
	t.Parallel()
	address := databasetest.Postgres(t)
	status, _, stderr := run(t, "state", "show", address)
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, "toolcontract state schema", "the database is empty")

	db, err := sql.Open("pgx", address)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	s, err := sqlstore.Open(db, sqlstore.Postgres, sqlstore.WithMigration())
	require.NoError(t, err)
	record := func(principal, call string, state store.RecordState) (key string) {
		of := store.Scope{Namespace: "desk", Issuer: contract.LocalIssuer, Principal: principal, Tool: "visits.book"}
		c := store.Claim{Key: of.Key(call), Owner: store.NewOwner(), Lease: time.Minute, Retention: time.Hour}
		_, err := s.Claim(t.Context(), c)
		require.NoError(t, err)
		require.NoError(t, s.Complete(t.Context(), store.Completion{
			Key: c.Key, Owner: c.Owner, State: state, Retention: time.Hour,
		}))
		return c.Key.String()
	}
	record("ada", "1", store.Completed)
	record("ada", "2", store.Unknown)
	unknown := record("bob", "1", store.Unknown)
	type shown struct {
		Principals int            `json:"principals"`
		Records    map[string]int `json:"records"`
	}
	show := func() (s shown) {
		status, stdout, stderr := run(t, "state", "show", "-json", address)
		require.Zero(t, status, stderr)
		require.NoError(t, json.Unmarshal([]byte(stdout), &s))
		return s
	}
	assert.Equal(t, shown{2, map[string]int{"in_progress": 0, "completed": 1, "failed": 0, "unknown": 2}}, show())

	log := filepath.Join(t.TempDir(), "audit.jsonl")
	status, _, stderr = run(t, "state", "settle", "-audit", log, address, unknown, "ran")
	require.Zero(t, status, stderr)
	assert.Equal(t, 1, show().Records["unknown"])
	forget := []string{"state", "forget", "-audit", log, "-namespace", "desk", "-principal", "ada", address}
	status, stdout, stderr := run(t, forget...)
	require.Zero(t, status, stderr)
	assert.Equal(t, "records removed: 2\n", stdout)
	assert.Equal(t, 1, show().Principals)
	status, _, _ = run(t, forget...)
	assert.Equal(t, 1, status, "there is nothing to forget")
	status, _, stderr = run(t, "verify-audit", log)
	assert.Zero(t, status, stderr)
}
