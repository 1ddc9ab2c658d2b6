package sqlitefile_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/trust"
)

type bookIn struct {
	Slot string `json:"slot"`
}

type bookOut struct {
	Number int64 `json:"number"`
}

// process is a server in its own process: it opens the file anew.
func process(t *testing.T, path string, book contract.Handler[bookIn, bookOut]) *contracttest.Client {
	t.Helper()
	f, err := sqlitefile.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	tool := contract.New("visits.book", book).Description("Books a visit.").Version("1.0.0").Effect(risk.LowRiskWrite).
		Trust(trust.Trusted).NoPermissions("The desk is open to its user.").Idempotency(contract.Idempotency{
		Mode: idempotency.Managed, KeyFields: []string{"slot"}, OnUnknown: idempotency.Refuse,
	}).MustBuild()
	return contracttest.NewClient(t, []*contract.Tool{tool}, append(f.Options(), guard.WithNamespace("desk"),
		guard.WithTimes(guard.Times{Lease: lease, StoreTimeout: lease / 4}))...).As(contract.Principal{Issuer: "test", Subject: "ada"})
}

const lease = 4 * time.Second

func TestFile_OutlivesTheProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	runs := int64(0)
	book := func(context.Context, bookIn) (bookOut, error) {
		runs++
		return bookOut{runs}, nil
	}
	for range 3 { // processes, one after the other
		r := process(t, path, book).Call("visits.book", bookIn{"9:00"})
		assert.Empty(t, r.Outcome.Code)
		assert.JSONEq(t, `{"number":1}`, string(r.Structured))
	}
	assert.EqualValues(t, 1, runs)
}

func TestFile_TwoProcessesRunACallOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	began, finish := make(chan struct{}), make(chan struct{})
	first := process(t, path, func(context.Context, bookIn) (bookOut, error) {
		close(began)
		<-finish
		return bookOut{1}, nil
	})
	second := process(t, path, func(context.Context, bookIn) (bookOut, error) { return bookOut{2}, nil })
	var wait sync.WaitGroup
	wait.Go(func() { assert.JSONEq(t, `{"number":1}`, string(first.Call("visits.book", bookIn{"9:00"}).Structured)) })
	select {
	case <-began:
	case <-time.After(time.Minute):
		t.Fatal("the first call did not begin")
	}
	assert.Equal(t, contract.CodeKeyInProgress, second.Call("visits.book", bookIn{"9:00"}).Outcome.Code)
	close(finish)
	wait.Wait()
	assert.JSONEq(t, `{"number":1}`, string(second.Call("visits.book", bookIn{"9:00"}).Structured))
}

// childFile is the environment variable that names the file for a process that
// is killed.
const childFile = "SQLITEFILE_CHILD"

func TestFile_AKilledProcessLeavesAnUnknownOutcome(t *testing.T) {
	if path := os.Getenv(childFile); path != "" {
		process(t, path, func(context.Context, bookIn) (bookOut, error) {
			_, _ = os.Stdout.WriteString("booked\n")
			select {}
		}).Call("visits.book", bookIn{"9:00"})
		return
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$") //nolint:gosec // this test
	child.Env = append(os.Environ(), childFile+"="+path)
	output, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "booked\n", line)
	require.NoError(t, child.Process.Kill())
	_ = child.Wait()

	next := process(t, path, func(context.Context, bookIn) (bookOut, error) {
		t.Error("the call ran again")
		return bookOut{}, nil
	})
	require.Eventually(t, func() bool {
		return next.Call("visits.book", bookIn{"9:00"}).Outcome.Code == contract.CodeOutcomeUnknown
	}, time.Minute, lease/10)
}

// The tables of an atomic tool are in the file, and foreign keys are enforced
// for what its handler writes.
func TestFile_HasTheTablesOfAtomicTools(t *testing.T) {
	t.Parallel()
	f, err := sqlitefile.Open(filepath.Join(t.TempDir(), "state.db"))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	_, err = f.DB().ExecContext(t.Context(), `CREATE TABLE slots (slot TEXT PRIMARY KEY);
		INSERT INTO slots VALUES ('9:00'); CREATE TABLE visits (slot TEXT REFERENCES slots)`)
	require.NoError(t, err)
	book := func(ctx context.Context, in bookIn) (bookOut, error) {
		tx, err := sqlstore.Tx(ctx)
		if err != nil {
			return bookOut{}, err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO visits VALUES (?)`, in.Slot)
		return bookOut{1}, err
	}
	tool := contract.New("visits.book", book).Description("Books a visit.").Version("1.0.0").Effect(risk.LowRiskWrite).
		Trust(trust.Trusted).NoPermissions("The desk is open to its user.").Idempotency(contract.Idempotency{
		Mode: idempotency.Managed, KeyFields: []string{"slot"}, Atomic: true,
	}).MustBuild()
	c := contracttest.NewClient(t, []*contract.Tool{tool}, append(f.Options(), guard.WithNamespace("desk"))...).
		As(contract.Principal{Issuer: "test", Subject: "ada"})
	for _, slot := range []string{"9:00", "9:00", "10:00"} {
		assert.Equal(t, slot == "10:00", c.Call("visits.book", bookIn{slot}).IsError, slot)
	}
	var n int
	require.NoError(t, f.DB().QueryRowContext(t.Context(), `SELECT count(*) FROM visits`).Scan(&n))
	assert.Equal(t, 1, n)
}
