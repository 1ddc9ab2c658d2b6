package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"modernc.org/sqlite"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/examples/library/desk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/program"
)

func TestMain(m *testing.M) { exampletest.MainOnSDKs(m, serve, "-names", "dotted") }

// serve runs the example with three additional flags: -old, -hold and -lease.
func serve() int {
	d := new(desk.Desk)
	s, old, hold, lease := server(d), false, "", time.Duration(0)
	flags, tools, open := s.Flags, s.Tools, s.OpenBackend
	s.Flags = func(set *flag.FlagSet) {
		flags(set)
		set.BoolVar(&old, "old", false, "serve the version before the rename")
		set.StringVar(&hold, "hold", "", "stop at the `POINT` write or commit of the first hold")
		set.DurationVar(&lease, "lease", 0, "take over the call of a server that was killed after this `TIME`")
	}
	s.Tools = func() ([]*contract.Tool, error) {
		all, err := tools()
		if err != nil || !old {
			return all, err
		}
		before, err := contract.BuildAll(d.PlaceHold("reservations.create"))
		for i, tool := range all {
			if tool.Name() == "holds.place" && err == nil {
				all[i] = before[0]
			}
		}
		return all, err
	}
	s.OpenBackend = func() (program.Backend, error) {
		if hold != "" {
			stopAt(hold)
		}
		b, err := open()
		if lease > 0 {
			b.Options = append(b.Options, guard.WithTimes(guard.Times{StoreTimeout: lease / 4, Lease: lease}))
		}
		return b, err
	}
	return s.Main(os.Args[1:], os.Stdout, os.Stderr)
}

// stopAt makes the process stop when a hold's row is written, or when it is
// committed.
func stopAt(point string) {
	stop := func() {
		fmt.Fprintln(os.Stderr, "holding")
		select {}
	}
	sqlite.RegisterConnectionHook(func(conn sqlite.ExecQuerierContext, _ string) error {
		hooks, ok := conn.(sqlite.HookRegisterer)
		if !ok {
			return errors.New("the driver has no hooks")
		}
		wrote := false
		hooks.RegisterPreUpdateHook(func(row sqlite.SQLitePreUpdateData) {
			wrote = wrote || row.TableName == "holds"
			if wrote && point == "write" {
				stop()
			}
		})
		hooks.RegisterCommitHook(func() int32 {
			if wrote {
				stop()
			}
			return 0
		})
		return nil
	})
}

const dune = `{"book":"b_dune","card":"m_anna"}`

// number returns the number in the result of a call about a hold or a loan.
func number(t *testing.T, result *mcp.CallToolResult) int64 {
	t.Helper()
	data, err := json.Marshal(result.StructuredContent)
	require.NoError(t, err)
	var n desk.Number
	require.NoError(t, json.Unmarshal(data, &n))
	return n.Number
}

// holds returns how many members wait for Dune.
func holds(t *testing.T, c *client.Client) int {
	t.Helper()
	result, _ := exampletest.Call(t, c, "catalogue.get", `{"book":"b_dune"}`)
	data, err := json.Marshal(result.StructuredContent)
	require.NoError(t, err)
	var b desk.Book
	require.NoError(t, json.Unmarshal(data, &b))
	return b.Holds
}

func session(t *testing.T, db string, flags ...string) *client.Client {
	t.Helper()
	return exampletest.Stdio(t, exampletest.Modern, append([]string{"-state", db}, flags...)...)
}

func TestTools_AreComplete(t *testing.T) {
	t.Parallel()
	tools, err := new(desk.Desk).Tools()
	require.NoError(t, err)
	assert.Len(t, tools, 11)
	contracttest.Check(t, tools...)
}

// A model reserves a book, cancels the reservation and reserves it again, with
// the same arguments and without a key.
func TestHolds_ReserveCancelReserve(t *testing.T) {
	t.Parallel()
	c := session(t, filepath.Join(t.TempDir(), "library.db"))
	first, outcome := exampletest.Call(t, c, "holds.place", dune)
	require.Equal(t, contract.StatusOK, outcome.Status)
	repeated, outcome := exampletest.Call(t, c, "holds.place", dune)
	assert.Equal(t, contract.StatusReplayed, outcome.Status)
	assert.Equal(t, number(t, first), number(t, repeated))
	assert.Equal(t, 1, holds(t, c))

	_, outcome = exampletest.Call(t, c, "holds.cancel", fmt.Sprintf(`{"number":%d}`, number(t, first)))
	require.Equal(t, contract.StatusOK, outcome.Status)
	assert.Zero(t, holds(t, c))

	again, outcome := exampletest.Call(t, c, "holds.place", dune)
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.NotEqual(t, number(t, first), number(t, again))
	assert.Equal(t, 1, holds(t, c))
}

// A host starts a server for each of two sessions of the same user.
func TestHolds_AreSharedByTwoSessions(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "library.db")
	one, two := session(t, db), session(t, db)
	first, outcome := exampletest.Call(t, one, "holds.place", dune)
	require.Equal(t, contract.StatusOK, outcome.Status)
	second, outcome := exampletest.Call(t, two, "holds.place", dune)
	assert.Equal(t, contract.StatusReplayed, outcome.Status)
	assert.Equal(t, number(t, first), number(t, second))
	assert.Equal(t, 1, holds(t, two))
}

// Two versions share the records during a rolling upgrade. The newer one has a
// new name for the tool, and still answers to the old one.
func TestHolds_KeepTheirRecordsThroughARename(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "library.db")
	old, upgraded := session(t, db, "-old"), session(t, db)
	first, outcome := exampletest.CallKeyed(t, old, "reservations.create", dune, "k1")
	require.Equal(t, contract.StatusOK, outcome.Status)
	for _, name := range []string{"holds.place", "reservations.create"} {
		again, outcome := exampletest.CallKeyed(t, upgraded, name, dune, "k1")
		assert.Equal(t, contract.StatusReplayed, outcome.Status, name)
		assert.Equal(t, number(t, first), number(t, again), name)
	}
	other, outcome := exampletest.CallKeyed(t, upgraded, "holds.place", dune, "k2")
	require.Equal(t, contract.StatusOK, outcome.Status)
	back, outcome := exampletest.CallKeyed(t, old, "reservations.create", dune, "k2")
	assert.Equal(t, contract.StatusReplayed, outcome.Status, "a replica that is not upgraded yet")
	assert.Equal(t, number(t, other), number(t, back))
	assert.Equal(t, 2, holds(t, old))
}

// The server is killed while it writes a hold, or before it commits. The caller
// repeats the call in another session.
func TestHolds_SurviveAKill(t *testing.T) {
	t.Parallel()
	const lease = "4s"
	for _, point := range []string{"write", "commit"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			db := filepath.Join(t.TempDir(), "library.db")
			p := exampletest.Start(t, "-state", db, "-lease", lease, "-hold", point)
			alice := exampletest.As(t, p.URL, "alice", exampletest.Modern)
			answered, patient := make(chan error, 1), exampletest.Patient(t)
			go func() {
				_, err := alice.CallTool(patient, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "holds.place",
					Arguments: json.RawMessage(dune)}})
				answered <- err
			}()
			require.True(t, <-p.Until("holding"))
			p.Kill(t)
			require.Error(t, <-answered)

			again := exampletest.As(t, exampletest.Serve(t, "-state", db, "-lease", lease), "alice", exampletest.Modern)
			require.Eventually(t, func() bool {
				_, outcome := exampletest.Call(t, again, "holds.place", dune)
				if outcome.Status == contract.StatusOK {
					return true
				}
				assert.Contains(t, []string{contract.CodeKeyInProgress, contract.CodeUnavailable}, outcome.Code)
				return false
			}, time.Minute, 100*time.Millisecond)
			_, outcome := exampletest.Call(t, again, "holds.place", dune)
			assert.Equal(t, contract.StatusReplayed, outcome.Status)
			assert.Equal(t, 1, holds(t, again))
		})
	}
}
