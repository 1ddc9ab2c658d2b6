package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"modernc.org/sqlite"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/serve/program"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/examples/internal/redistest"
)

// The points at which a server of these tests stops in a managed call.
const (
	inTransaction = "transaction" // before the effect is committed
	beforeRecord  = "record"      // after that, before the guard has recorded the outcome
	inRecord      = "state"       // then, while the outcome is written to the file of -state
)

// serve runs the example with two more flags, -hold and -lease.
func serve() int {
	s, hold, lease := server(), "", time.Duration(0)
	flags, open := s.Flags, s.OpenBackend
	s.Flags = func(set *flag.FlagSet) {
		flags(set)
		set.StringVar(&hold, "hold", "", "stop at this `POINT` of a managed call")
		set.DurationVar(&lease, "lease", 0, "take over the call of a server that was killed after this `TIME`")
	}
	s.OpenState = func(path string) (program.State, error) {
		if hold == inRecord {
			holdTransactions(false)
		}
		return exampleserver.OpenState(path)
	}
	s.OpenBackend = func() (program.Backend, error) {
		if hold == inTransaction {
			holdTransactions(true)
		}
		backend, err := open()
		if lease > 0 {
			backend.Options = append(backend.Options, guard.WithTimes(guard.Times{StoreTimeout: lease / 4, Lease: lease}))
		}
		if hold == beforeRecord {
			memory, full := store.NewMemory()
			err = errors.Join(err, full)
			backend.Options = append(backend.Options, guard.WithStore(holdingStore{memory}),
				guard.WithTimes(guard.Times{StoreTimeout: time.Hour, Lease: 3 * time.Hour}))
		}
		return backend, err
	}
	return s.Main(os.Args[1:], os.Stdout, os.Stderr)
}

// stop reports to the test that the point is reached, and never returns.
func stop() {
	fmt.Fprintln(os.Stderr, "holding")
	select {}
}

// holdTransactions stops the transaction that stores the key of a call, which
// is the last change of it, or the next one in the file of -state.
func holdTransactions(first bool) {
	var booked atomic.Bool
	sqlite.RegisterConnectionHook(func(conn sqlite.ExecQuerierContext, _ string) error {
		hooks, ok := conn.(sqlite.HookRegisterer)
		if !ok {
			return errors.New("the driver has no hooks")
		}
		hooks.RegisterPreUpdateHook(func(change sqlite.SQLitePreUpdateData) {
			switch {
			case change.TableName == "executions" && first, strings.HasPrefix(change.TableName, "tc_") && booked.Load():
				stop()
			case change.TableName == "executions":
				booked.Store(true)
			}
		})
		return nil
	})
}

// A holdingStore stops when an outcome is to be recorded.
type holdingStore struct{ store.Store }

func (holdingStore) Complete(context.Context, store.Completion) error {
	stop()
	return nil
}

// numbers returns the numbers of all invoices of the customer Anna.
func numbers(t *testing.T, c *client.Client) []string {
	t.Helper()
	result, _ := exampletest.Call(t, c, "invoices.search", `{"by":{"customer":"c_anna"}}`)
	data, err := json.Marshal(result.StructuredContent)
	require.NoError(t, err)
	var found struct{ Invoices []struct{ Number string } }
	require.NoError(t, json.Unmarshal(data, &found))
	all := []string{}
	for _, i := range found.Invoices {
		all = append(all, i.Number)
	}
	return all
}

func TestCrash_InACallLeavesOneInvoice(t *testing.T) {
	t.Parallel()
	tests := []struct {
		point string
		after []string // the invoices when the server is up again
	}{
		{inTransaction, []string{"AC-1001", "AC-1003"}},
		{beforeRecord, []string{"AC-1001", "AC-1003", "AC-1005"}},
	}
	for _, tt := range tests {
		t.Run(tt.point, func(t *testing.T) {
			t.Parallel()
			books := filepath.Join(t.TempDir(), "books.db")
			p := exampletest.Start(t, "-db", books, "-hold", tt.point)
			alice := exampletest.As(t, p.URL, "alice", exampletest.Modern)
			answered, patient := make(chan error, 1), exampletest.Patient(t)
			go func() {
				meta := &mcp.Meta{AdditionalFields: map[string]any{contract.MetaKeyIdempotencyKey: "k1"}}
				_, err := alice.CallTool(patient,
					mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "invoices.create", Arguments: json.RawMessage(bread), Meta: meta}})
				answered <- err
			}()
			for line := ""; line != "holding\n"; {
				var err error
				line, err = p.Stderr.ReadString('\n')
				require.NoError(t, err)
			}
			p.Kill(t)
			require.Error(t, <-answered)

			again := exampletest.As(t, exampletest.Serve(t, "-db", books), "alice", exampletest.Modern)
			assert.Equal(t, tt.after, numbers(t, again))
			for _, status := range []contract.Status{contract.StatusOK, contract.StatusReplayed} {
				_, outcome := exampletest.CallKeyed(t, again, "invoices.create", bread, "k1")
				assert.Equal(t, status, outcome.Status)
				assert.Equal(t, []string{"AC-1001", "AC-1003", "AC-1005"}, numbers(t, again))
			}
			_, outcome := exampletest.CallKeyed(t, again, "invoices.create", bread, "k2")
			assert.Equal(t, contract.StatusOK, outcome.Status)
			assert.Equal(t, []string{"AC-1001", "AC-1003", "AC-1005", "AC-1006"}, numbers(t, again), "numbers have no gaps")
		})
	}
}

// A desktop host starts a server for each of two sessions. The one of the first
// is killed between the booking and the answer.
func TestState_TwoSessionsBookOnceAlthoughOneIsKilled(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	flags := []string{"-db", filepath.Join(folder, "books.db"), "-state", filepath.Join(folder, "state.db"), "-lease", "2s"}
	second := exampletest.Stdio(t, exampletest.Modern, flags...)
	assert.Equal(t, []string{"AC-1001", "AC-1003"}, numbers(t, second))

	first := exampletest.Command(t, append(flags, "-hold", inRecord)...)
	first.Stdin = strings.NewReader(opening + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"invoices.create",` +
		`"arguments":` + bread + "}}\n")
	stderr, err := first.StderrPipe()
	require.NoError(t, err)
	var answers bytes.Buffer
	first.Stdout = &answers
	require.NoError(t, first.Start())
	for lines := bufio.NewReader(stderr); ; {
		line, err := lines.ReadString('\n')
		require.NoError(t, err, "%s", answers.String())
		if line == "holding\n" {
			break
		}
	}
	require.NoError(t, first.Process.Kill())
	require.Error(t, first.Wait())
	assert.NotContains(t, answers.String(), "AC-1005", "the host has no answer")

	var answer *mcp.CallToolResult
	require.Eventually(t, func() bool {
		var outcome contract.Outcome
		answer, outcome = exampletest.Call(t, second, "invoices.create", bread)
		if outcome.Status != contract.StatusOK {
			assert.Equal(t, contract.CodeKeyInProgress, outcome.Code)
		}
		return outcome.Status == contract.StatusOK
	}, time.Minute, 100*time.Millisecond, "the call of the killed server is taken over")
	third := exampletest.Stdio(t, exampletest.Modern, flags...)
	for _, c := range []*client.Client{third, second} {
		again, outcome := exampletest.Call(t, c, "invoices.create", bread)
		assert.Equal(t, contract.StatusReplayed, outcome.Status)
		assert.Equal(t, answer.StructuredContent, again.StructuredContent)
		assert.Equal(t, []string{"AC-1001", "AC-1003", "AC-1005"}, numbers(t, c))
	}
}

// opening begins a session over stdio.
const opening = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
	`"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// With a shared store the record of the call outlives the process too, so that
// the repeated call does not reach the ledger.
func TestStore_KeepsTheOutcomesOfAServerThatWasKilled(t *testing.T) {
	t.Parallel()
	flags := []string{"-db", filepath.Join(t.TempDir(), "books.db"), "-store", redistest.Start(t)}
	p := exampletest.Start(t, flags...)
	first, _ := exampletest.Call(t, exampletest.As(t, p.URL, "alice", exampletest.Modern), "invoices.create", bread)
	p.Kill(t)
	again, outcome := exampletest.Call(t,
		exampletest.As(t, exampletest.Serve(t, flags...), "alice", exampletest.Modern), "invoices.create", bread)
	assert.Equal(t, contract.StatusReplayed, outcome.Status)
	assert.Equal(t, first.StructuredContent, again.StructuredContent)
}

func TestBooks_OutliveAServer(t *testing.T) {
	t.Parallel()
	books := filepath.Join(t.TempDir(), "books.db")
	p := exampletest.Start(t, "-db", books)
	exampletest.Call(t, exampletest.As(t, p.URL, "alice", exampletest.Modern), "invoices.create", bread)
	p.Terminate(t)
	assert.Contains(t, numbers(t, exampletest.Stdio(t, exampletest.Modern, "-db", books)), "AC-1005")
}
