package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/examples/internal/databasetest"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/examples/internal/longtest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/program"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/trust"
)

// In PostgreSQL too, the job is committed with the call and undone with it.
func TestJob_IsCommittedWithItsCallInPostgreSQL(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("pgx", databasetest.Postgres(t))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	driver := riverdatabasesql.New(db)
	migrator, err := rivermigrate.New(driver, nil)
	require.NoError(t, err)
	_, err = migrator.Migrate(t.Context(), rivermigrate.DirectionUp, nil)
	require.NoError(t, err)
	queue, err := river.NewClient(driver, &river.Config{})
	require.NoError(t, err)
	records, err := sqlstore.Open(db, sqlstore.Postgres, sqlstore.WithMigration())
	require.NoError(t, err)

	closed := contract.Retryable("desk_closed", "The desk is closed.")
	fail := true
	remind := func(ctx context.Context, in remindInput) (remindOutput, error) {
		tx, err := sqlstore.SQLTx(ctx)
		if err != nil {
			return remindOutput{}, err
		}
		key, _ := guard.IdempotencyKey(ctx)
		if _, err := queue.InsertTx(ctx, tx, mail{Key: key, To: in.To, Visit: in.Visit}, nil); err != nil {
			return remindOutput{}, err
		}
		if fail {
			return remindOutput{}, closed
		}
		return remindOutput{in.Visit}, nil
	}
	tool := contract.New("visits.remind", remind).Description("Promises a mail.").Version("1.0.0").Effect(risk.LowRiskWrite).
		Trust(trust.Trusted).NoPermissions("It is a test.").Failures(closed).Idempotency(contract.Idempotency{
		Mode: idempotency.Managed, KeyFields: []string{"visit"}, Atomic: true,
	}).MustBuild()
	c := contracttest.NewClient(t, []*contract.Tool{tool}, guard.WithStore(records), guard.WithNamespace("test"),
		guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32))).As(contract.Principal{Issuer: "test", Subject: "ada"})
	jobs := func() (n int) {
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM river_job").Scan(&n))
		return n
	}
	visit := remindInput{Visit: "v-1", To: "anna@example.com"}
	assert.Equal(t, closed.Code(), c.Call("visits.remind", visit).Outcome.Code)
	assert.Zero(t, jobs())
	fail = false
	assert.Equal(t, contract.StatusOK, c.Call("visits.remind", visit).Outcome.Status)
	assert.Equal(t, contract.StatusReplayed, c.Call("visits.remind", visit).Outcome.Status)
	assert.Equal(t, 1, jobs())
}

// openPostgres opens the database in place of the file. If hold is a number,
// the server stops there: at the n-th of all beginnings and ends of statements
// since a first call.
func (o *outbox) openPostgres(address, hold string) (program.Backend, error) {
	ctx := context.Background()
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return program.Backend{}, err
	}
	var points points
	if hold != "" {
		if points.last, err = strconv.ParseInt(hold, 10, 64); err != nil {
			return program.Backend{}, err
		}
		config.Tracer = &points
	}
	db := stdlib.OpenDB(*config)
	records, err := sqlstore.Open(db, sqlstore.Postgres, sqlstore.WithMigration())
	if err != nil {
		return program.Backend{}, errors.Join(err, db.Close())
	}
	backend := program.Backend{Close: db.Close, Options: []guard.Option{
		guard.WithStore(countedStore{records, &points}), guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32)),
		guard.WithNamespace("outbox"),
	}}
	if _, err = db.ExecContext(ctx, reminders); err == nil {
		backend, err = o.work(ctx, backend, riverdatabasesql.New(db))
	}
	if err != nil {
		return program.Backend{}, errors.Join(err, backend.Close())
	}
	return backend, nil
}

// points count the beginnings and ends of statements once they have begun.
type points struct {
	last, n int64
	began   bool
	mu      sync.Mutex
}

func (p *points) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began = true
}

func (p *points) count() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.began {
		if p.n++; p.n == p.last {
			stop() // with the lock, so that no other statement begins or ends
		}
	}
}

// TraceQueryStart implements [pgx.QueryTracer].
func (p *points) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	p.count()
	return ctx
}

// TraceQueryEnd implements [pgx.QueryTracer].
func (p *points) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) { p.count() }

// A countedStore begins the count at a claim.
type countedStore struct {
	*sqlstore.Store

	points *points
}

func (s countedStore) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	s.points.begin()
	return s.Store.Claim(ctx, c)
}

// A server is killed before and after statements of a call, of the worker, and
// of what else River does then. The first point is drawn.
func TestCrash_LeavesOneMailInPostgreSQL(t *testing.T) {
	t.Parallel()
	const most = 40 // a call has 31, and its mail about 8
	address, err := url.Parse(databasetest.Postgres(t))
	require.NoError(t, err)
	main, err := sql.Open("pgx", address.String())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, main.Close()) })
	fresh := func(name, from string) string {
		_, err := main.ExecContext(t.Context(), "CREATE DATABASE "+name+" TEMPLATE "+from)
		require.NoError(t, err)
		address.Path = "/" + name
		return address.String()
	}
	exampletest.Start(t, "-postgres", fresh("primed", "template0")).Terminate(t)
	step := longtest.Count(t, 7, 1)
	for point := 1 + rand.N(step); point <= most; point += step {
		own := fresh(fmt.Sprintf("point%d", point), "primed")
		t.Run(strconv.Itoa(point), func(t *testing.T) {
			t.Parallel()
			p := &provider{posts: map[string]int{}}
			web := httptest.NewServer(p)
			t.Cleanup(web.Close)
			flags := []string{"-postgres", own, "-provider", web.URL}

			first := exampletest.Start(t, append(flags, "-hold", strconv.Itoa(point))...)
			alice, patient, ended := exampletest.As(t, first.URL, "alice", exampletest.Modern), exampletest.Patient(t), make(chan struct{})
			go func() {
				defer close(ended)
				_, _ = alice.CallTool(patient, // the server may be killed before it answers
					mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "visits.remind", Arguments: json.RawMessage(visit)}})
			}()
			require.True(t, <-first.Until("holding"))
			first.Kill(t)
			<-ended

			again := exampletest.As(t, exampletest.Serve(t, flags...), "alice", exampletest.Modern)
			require.Eventually(t, func() bool {
				_, outcome := exampletest.Call(t, again, "visits.remind", visit)
				switch outcome.Status {
				case contract.StatusOK, contract.StatusReplayed:
					return true
				default:
					assert.Contains(t, []string{contract.CodeKeyInProgress, contract.CodeUnavailable}, outcome.Code)
					return false
				}
			}, time.Minute, 100*time.Millisecond)
			db, err := sql.Open("pgx", own)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, db.Close()) })
			assert.LessOrEqual(t, p.sent(t, db), 2)
		})
	}
}
