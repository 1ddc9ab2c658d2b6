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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"modernc.org/sqlite"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/program"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// serve runs the example with two more flags, -hold and -lease.
func serve() int {
	s, hold, lease := server(), 0, time.Duration(0)
	flags, open, file := s.Flags, s.OpenBackend, (*flag.Flag)(nil)
	s.Flags = func(set *flag.FlagSet) {
		flags(set)
		file = set.Lookup("db")
		set.IntVar(&hold, "hold", 0, "stop at this `CHANGE` in the file, counted from 1; at -1, when a call was committed")
		set.DurationVar(&lease, "lease", 0, "take over the call of a server that was killed after this `TIME`")
	}
	s.OpenBackend = func() (program.Backend, error) {
		if hold > 0 {
			holdChanges(int64(hold))
		}
		backend, err := open()
		if hold < 0 {
			state, opened := sqlitefile.Open(file.Value.String())
			if err = errors.Join(err, opened); err != nil {
				return backend, err
			}
			records, opened := sqlstore.Open(state.DB(), sqlstore.SQLite)
			err = errors.Join(err, opened)
			keys := state.Options()[1]
			backend.Options = []guard.Option{guard.WithStore(holdingStore{records}), keys, guard.WithNamespace("invoices")}
		}
		if lease > 0 {
			backend.Options = append(backend.Options, guard.WithTimes(guard.Times{StoreTimeout: lease / 4, Lease: lease}))
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

// holdChanges stops before the n-th row that is changed, or commit of such
// changes, in a file that has its tables already.
func holdChanges(n int64) {
	var changes atomic.Int64
	count := func() {
		if changes.Add(1) == n {
			stop()
		}
	}
	commit := func() int32 {
		if changes.Load() > 0 { // not before the call
			count()
		}
		return 0
	}
	sqlite.RegisterConnectionHook(func(conn sqlite.ExecQuerierContext, _ string) error {
		hooks, ok := conn.(sqlite.HookRegisterer)
		if !ok {
			return errors.New("the driver has no hooks")
		}
		hooks.RegisterPreUpdateHook(func(sqlite.SQLitePreUpdateData) { count() })
		hooks.RegisterCommitHook(commit)
		return nil
	})
}

// A holdingStore stops when a call was committed.
type holdingStore struct{ *sqlstore.Store }

func (s holdingStore) Transaction(key store.Key, owner store.Owner) store.Transaction {
	return holdingTransaction{s.Store.Transaction(key, owner)}
}

type holdingTransaction struct{ store.Transaction }

func (t holdingTransaction) Commit(ctx context.Context, c store.Completion) error {
	if err := t.Transaction.Commit(ctx, c); err != nil {
		return err
	}
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

// lease is how long the call of a killed server cannot be taken over.
const lease = "4s"

// held calls invoices.create on a server that stops at a point of the call, and
// kills it there. It reports false if the call has ended before that point.
func held(t *testing.T, books string, hold int) bool {
	t.Helper()
	p := exampletest.Start(t, "-db", books, "-lease", lease, "-hold", strconv.Itoa(hold))
	alice := exampletest.As(t, p.URL, "alice", exampletest.Modern)
	answered, patient := make(chan error, 1), exampletest.Patient(t)
	go func() {
		meta := &mcp.Meta{AdditionalFields: map[string]any{contract.MetaKeyIdempotencyKey: "k1"}}
		_, err := alice.CallTool(patient,
			mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "invoices.create", Arguments: json.RawMessage(bread), Meta: meta}})
		answered <- err
	}()
	select {
	case reached := <-p.Until("holding"):
		require.True(t, reached)
		p.Kill(t)
		require.Error(t, <-answered)
		return true
	case err := <-answered:
		require.NoError(t, err)
		p.Kill(t)
		return false
	}
}

// A server is killed before each change of a row and each commit that a call
// makes in the file, and before its answer.
func TestCrash_AtEachPointOfACallLeavesOneInvoice(t *testing.T) {
	t.Parallel()
	const most = 14
	primed := t.TempDir()
	exampletest.Start(t, "-db", filepath.Join(primed, "books.db")).Terminate(t)
	var mu sync.Mutex
	points := map[int]bool{} // whether the call reached the point
	t.Run("kill", func(t *testing.T) {
		for hold := -1; hold <= most; hold++ {
			if hold == 0 {
				continue
			}
			t.Run(strconv.Itoa(hold), func(t *testing.T) {
				t.Parallel()
				folder := filepath.Join(t.TempDir(), "copy")
				require.NoError(t, os.CopyFS(folder, os.DirFS(primed)))
				books := filepath.Join(folder, "books.db")
				require.NoError(t, os.Chmod(books+".keys", 0o600)) // CopyFS applies the umask
				reached := held(t, books, hold)
				mu.Lock()
				points[hold] = reached
				mu.Unlock()

				again := exampletest.As(t, exampletest.Serve(t, "-db", books, "-lease", lease), "alice", exampletest.Modern)
				require.Eventually(t, func() bool {
					_, outcome := exampletest.CallKeyed(t, again, "invoices.create", bread, "k1")
					switch outcome.Status {
					case contract.StatusOK, contract.StatusReplayed:
						return true
					default:
						assert.Contains(t, []string{contract.CodeKeyInProgress, contract.CodeUnavailable}, outcome.Code)
						return false
					}
				}, time.Minute, 100*time.Millisecond)
				assert.Equal(t, []string{"AC-1001", "AC-1003", "AC-1005"}, numbers(t, again))
				_, outcome := exampletest.CallKeyed(t, again, "invoices.create", bread, "k1")
				assert.Equal(t, contract.StatusReplayed, outcome.Status)
				_, outcome = exampletest.CallKeyed(t, again, "invoices.create", bread, "k2")
				assert.Equal(t, contract.StatusOK, outcome.Status)
				assert.Equal(t, []string{"AC-1001", "AC-1003", "AC-1005", "AC-1006"}, numbers(t, again), "numbers have no gaps")
			})
		}
	})
	assert.True(t, points[-1], "the point before the answer")
	assert.True(t, points[1])
	assert.False(t, points[most], "the call has more points than are tried")
}

// A desktop host starts a server for each of two sessions. The one of the first
// is killed between the booking and the answer.
func TestState_TwoSessionsBookOnceAlthoughOneIsKilled(t *testing.T) {
	t.Parallel()
	flags := []string{"-db", filepath.Join(t.TempDir(), "books.db"), "-lease", lease}
	second := exampletest.Stdio(t, exampletest.Modern, flags...)
	assert.Equal(t, []string{"AC-1001", "AC-1003"}, numbers(t, second))

	first := exampletest.Command(t, append(flags, "-hold", "-1")...)
	first.Stdin = strings.NewReader(opening + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"invoices.create",` +
		`"arguments":` + bread + "}}\n")
	stderr, err := first.StderrPipe()
	require.NoError(t, err)
	var answers bytes.Buffer
	first.Stdout = &answers
	require.NoError(t, first.Start())
	for lines := bufio.NewReader(stderr); ; {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		if line == "holding\n" {
			break
		}
	}
	require.NoError(t, first.Process.Kill())
	require.Error(t, first.Wait())
	assert.NotContains(t, answers.String(), "AC-1005", "the host has no answer")

	var answer *mcp.CallToolResult
	third := exampletest.Stdio(t, exampletest.Modern, flags...)
	for _, c := range []*client.Client{second, third} {
		again, outcome := exampletest.Call(t, c, "invoices.create", bread)
		assert.Equal(t, contract.StatusReplayed, outcome.Status)
		assert.Equal(t, []string{"AC-1001", "AC-1003", "AC-1005"}, numbers(t, c))
		if answer != nil {
			assert.Equal(t, answer.StructuredContent, again.StructuredContent)
		}
		answer = again
	}
}

// opening begins a session over stdio.
const opening = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
	`"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func TestBooks_OutliveAServer(t *testing.T) {
	t.Parallel()
	for flag, end := range map[string]func(*exampletest.Process){
		"-db":    func(p *exampletest.Process) { p.Terminate(t) },
		"-state": func(p *exampletest.Process) { p.Kill(t) },
	} {
		books := filepath.Join(t.TempDir(), "books.db")
		p := exampletest.Start(t, flag, books)
		first, _ := exampletest.Call(t, exampletest.As(t, p.URL, "alice", exampletest.Modern), "invoices.create", bread)
		end(p)
		again := exampletest.As(t, exampletest.Serve(t, "-db", books), "alice", exampletest.Modern)
		assert.Contains(t, numbers(t, again), "AC-1005")
		replayed, outcome := exampletest.Call(t, again, "invoices.create", bread)
		assert.Equal(t, contract.StatusReplayed, outcome.Status)
		assert.Equal(t, first.StructuredContent, replayed.StructuredContent)
	}
}

func TestState_BesideAnotherFileOfBooksIsAWarning(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := exampletest.Start(t, "-db", filepath.Join(folder, "books.db"), "-state", filepath.Join(folder, "state.db"))
	assert.Contains(t, p.Terminate(t), "-state is not used")
	assert.NoFileExists(t, filepath.Join(folder, "state.db"))
}
