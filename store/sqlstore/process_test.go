//go:build unix

package sqlstore_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
	"github.com/toolcontract/toolcontract/trust"
)

// processVariable is the environment variable that tells a test's child process
// which [process] it is.
const processVariable = "SQLSTORE_DESK"

func TestMain(m *testing.M) {
	text, isChild := os.LookupEnv(processVariable)
	if !isChild {
		os.Exit(m.Run())
	}
	var p process
	if err := errors.Join(json.Unmarshal([]byte(text), &p), p.serve()); err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

// A process is a server over stdio with an atomic tool, which may crash within
// its first call.
type process struct {
	Dialect sqlstore.Dialect
	Place   string // of the database
	Point   point  // at which it breaks off; empty: never
	Signal  syscall.Signal
	Delay   time.Duration // of the signal
	Reached string        // the file that the process makes before a signal that stops it, with its id

	broken atomic.Bool
}

// A point is a place in a call at which a process can crash.
type point string

const (
	atClaim    point = "claim"    // before the record of the call is claimed
	atBegin    point = "begin"    // in the handler, before its transaction begins
	atWrite    point = "write"    // after the handler has written
	atComplete point = "complete" // after the record is written, before the commit
	atAnswer   point = "answer"   // after the commit
)

// A process's store must answer within a third of the lease. A process that has
// just started needs a new connection, whose first statement costs the server
// 20 ms, and a statement that is late costs the connection. So many processes
// on a busy machine need a multiple of that time.
const (
	processLease   = 3 * time.Second
	processTimeout = time.Second // of the handler
)

func (p *process) reach(at point) {
	if at != p.Point || p.broken.Swap(true) {
		return
	}
	if p.Delay > 0 {
		time.AfterFunc(p.Delay, p.breakOff)
		return
	}
	p.breakOff()
}

func (p *process) breakOff() {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	if p.Signal == syscall.SIGSTOP {
		id := strconv.Itoa(syscall.Getpid())
		if os.WriteFile(p.Reached+"~", []byte(id), 0o600) != nil || os.Rename(p.Reached+"~", p.Reached) != nil {
			panic("the file cannot be written")
		}
	}
	_ = syscall.Kill(syscall.Getpid(), p.Signal)
	<-resumed // this goroutine may run on until the signal arrives
}

var drivers = map[sqlstore.Dialect]string{sqlstore.SQLite: "sqlite", sqlstore.Postgres: "pgx"}

// serve serves until the input ends.
func (p *process) serve() error {
	db, err := sql.Open(drivers[p.Dialect], p.Place)
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := sqlstore.Open(db, p.Dialect)
	if err != nil {
		return err
	}
	g, err := processGuard(breaking{s, p})
	if err != nil {
		return err
	}
	add := `INSERT INTO visits (slot, token) VALUES (?, ?)`
	if p.Dialect == sqlstore.Postgres {
		add = `INSERT INTO visits (slot, token) VALUES ($1, $2)`
	}
	book := func(ctx context.Context, in bookIn) (visit, error) {
		p.reach(atBegin)
		out := visit{rand.Text()}
		tx, err := sqlstore.Tx(ctx)
		if err == nil {
			_, err = tx.ExecContext(ctx, add, in.Slot, out.Token)
		}
		p.reach(atWrite)
		return out, err
	}
	preview := dryrun.By(func(context.Context, bookIn) (dryrun.Preview[struct{}], error) {
		return dryrun.Preview[struct{}]{}, nil
	}).Required()
	var tools []*contract.Tool
	for name, demand := range map[string]func(*contract.Builder[bookIn, visit]){
		"book": func(*contract.Builder[bookIn, visit]) {},
		"agree": func(b *contract.Builder[bookIn, visit]) {
			b.ConfirmAlways()
		},
		"preview": func(b *contract.Builder[bookIn, visit]) {
			b.DryRun(preview)
		},
		"preview and agree": func(b *contract.Builder[bookIn, visit]) {
			b.DryRun(preview).ConfirmAlways()
		},
		"prove": func(b *contract.Builder[bookIn, visit]) {
			b.StepUp(contract.StepUp{ACR: "mfa"})
		},
	} {
		b := contract.New("visits."+strings.ReplaceAll(name, " ", "_"), book).Description("Books a visit.").Version("1.0.0").
			Effect(risk.LowRiskWrite).Trust(trust.Trusted).NoPermissions("The desk is open.").Timeout(processTimeout).
			RateLimit(1e6, time.Second).
			Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"slot"}, Atomic: true})
		demand(b)
		tools = append(tools, b.MustBuild())
	}
	return mcpgo.ServeStdio("desk", "1.0.0", g, mcpgo.WithTools(tools...))
}

// processGuard is the guard of every process of a room, and of the pages on
// which people decide.
func processGuard(s store.Store) (*guard.Guard, error) {
	ada := guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
		return guard.Principal{Issuer: "test", Subject: "ada"}, nil
	})
	return guard.New(guard.WithStore(s), guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32)), guard.WithNamespace("desk"),
		guard.WithPrincipal(ada), guard.WithRetryBudget(0, 0), guard.WithAudit(&audit.Recorder{}),
		guard.WithTimes(guard.Times{Lease: processLease, StoreTimeout: processLease / 3}),
		guard.WithPeople(guard.PeopleOptions{
			Approver: &pages{}, Deciders: []guard.Decider{guard.FourEyes},
			StepUpPage: func(_ context.Context, r people.StepUpRequest) (string, error) { return pagePrefix + r.ID, nil },
		}))
}

// pagePrefix starts the addresses that people open.
const pagePrefix = "https://desk.example/"

// pages is an approver whose addresses contain the question's token.
type pages struct{ people guard.People }

func (p *pages) Attach(g guard.People) error {
	p.people = g
	return nil
}

func (*pages) Pending(_ context.Context, q people.PendingQuestion) (string, error) {
	return pagePrefix + q.Token, nil
}

// A visit is what a call returns: a text that no other run of a handler writes.
type visit struct {
	Token string `json:"token"`
}

// breaking is the store of a process that crashes.
type breaking struct {
	*sqlstore.Store

	process *process
}

func (b breaking) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	b.process.reach(atClaim)
	return b.Store.Claim(ctx, c)
}

func (b breaking) Transaction(key store.Key, owner store.Owner) store.Transaction {
	return breakingTx{b.Store.Transaction(key, owner), b.process}
}

type breakingTx struct {
	store.Transaction

	process *process
}

func (b breakingTx) Commit(ctx context.Context, c store.Completion) error {
	sqlstore.BeforeCommit(b.Transaction, func() { b.process.reach(atComplete) })
	err := b.Transaction.Commit(ctx, c)
	b.process.reach(atAnswer)
	return err
}

// A room is a database with a table without a unique key, that processes book
// in.
type room struct {
	dialect sqlstore.Dialect
	place   string
	db      *sql.DB
}

// inRooms runs a test on an empty database of each kind.
func inRooms(t *testing.T, test func(t *testing.T, r *room)) {
	t.Helper()
	for d, place := range map[sqlstore.Dialect]func(*testing.T) string{
		sqlstore.SQLite:   func(t *testing.T) string { return sqliteURL(filepath.Join(t.TempDir(), "state.db")) },
		sqlstore.Postgres: func(t *testing.T) string { return servertest.PostgresURL(t) },
	} {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			r := &room{dialect: d, place: place(t)}
			var err error
			r.db, err = sql.Open(drivers[d], r.place)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, r.db.Close()) })
			open(t, r.db, d)
			_, err = r.db.ExecContext(t.Context(), `CREATE TABLE visits (slot text NOT NULL, token text NOT NULL)`)
			require.NoError(t, err)
			_, err = r.db.ExecContext(t.Context(), `CREATE INDEX visits_slot ON visits (slot)`)
			require.NoError(t, err)
			test(t, r)
		})
	}
}

// tokens returns the tokens in a slot's rows.
func (r *room) tokens(t *testing.T, slot string) (found []string) {
	t.Helper()
	query := `SELECT token FROM visits WHERE slot = ?`
	if r.dialect == sqlstore.Postgres {
		query = `SELECT token FROM visits WHERE slot = $1`
	}
	rows, err := r.db.QueryContext(t.Context(), query, slot)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		found = append(found, "")
		require.NoError(t, rows.Scan(&found[len(found)-1]))
	}
	require.NoError(t, rows.Err())
	return found
}

// A server is a process and a client of it.
type server struct {
	*client.Client

	reached string
}

// start starts a process of a room, at the first call.
func (r *room) start(t *testing.T, p *process, opts ...client.Option) *server {
	t.Helper()
	p.Dialect, p.Place = r.dialect, r.place
	if p.Signal == syscall.SIGSTOP {
		p.Reached = filepath.Join(t.TempDir(), "reached")
	}
	text, err := json.Marshal(p)
	require.NoError(t, err)
	s := &server{reached: p.Reached, Client: client.New(client.Command{
		Path: os.Args[0], Env: append(os.Environ(), processVariable+"="+string(text)),
	}, opts...)}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// An answer is the answer to a call. Its outcome is zero if the process
// crashed.
type answer struct {
	contract.Outcome
	visit

	text json.RawMessage
	took time.Duration
	err  error // of the connection
}

func (a answer) isSuccess() bool {
	return a.Status == contract.StatusOK || a.Status == contract.StatusReplayed
}

// bookingBy returns the call of a tool that books a slot.
func bookingBy(tool, slot string) client.CallParams {
	return client.CallParams{
		Name: "visits_" + strings.ReplaceAll(tool, " ", "_"), Arguments: json.RawMessage(fmt.Sprintf(`{"slot":%q}`, slot)),
	}
}

// call makes a call once.
func (s *server) call(ctx context.Context, params client.CallParams) (a answer) {
	text, err := s.Call(ctx, params)
	if err != nil {
		a.err = err
		return a
	}
	var result struct {
		Meta struct {
			Outcome *contract.Outcome `json:"io.github.toolcontract/outcome"`
		} `json:"_meta"`
		Output *visit `json:"structuredContent"`
	}
	result.Meta.Outcome, result.Output, a.text = &a.Outcome, &a.visit, text
	_ = json.Unmarshal(text, &result)
	return a
}

// awaitStop returns the id of a process that has stopped itself.
func (s *server) awaitStop(t *testing.T) (pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(s.reached)
		return err == nil && json.Unmarshal(text, &pid) == nil
	}, time.Minute, 5*time.Millisecond)
	return pid
}
