package sqlstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/trust"
)

// An atomic tool's handler calls another tool in the same process. The nested
// call does not get the transaction, so its success doesn't depend on how the
// enclosing call ends.
func TestThreat182_ANestedCallDoesNotGetTheTransaction(t *testing.T) {
	t.Parallel()
	shared := func(s *sqlstore.Store) guard.Option { return guard.WithStore(s) }
	for name, c := range map[string]struct {
		write func(ctx context.Context) error // of the inner tool's function
		inner func(*sqlstore.Store) guard.Option
		call  string // the inner tool
		dry   bool
	}{
		"Tx":    {func(ctx context.Context) error { return book(ctx, 1) }, shared, "visits_note", false},
		"SQLTx": {func(ctx context.Context) error { _, err := sqlstore.SQLTx(ctx); return err }, shared, "visits_note", false},
		"another store": {
			func(ctx context.Context) error { return book(ctx, 1) },
			func(*sqlstore.Store) guard.Option { return guard.WithTimes(guard.Times{}) }, "visits_note", false,
		},
		"a preview":         {func(ctx context.Context) error { return book(ctx, 1) }, shared, "visits_note", true},
		"a call within it":  {func(ctx context.Context) error { return book(ctx, 1) }, shared, "visits_pass", false},
		"a derived context": {func(ctx context.Context) error { return book(context.WithoutCancel(ctx), 1) }, shared, "visits_note", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
				nested := nest(t, c.inner(s), c.write)
				outer := dial(t, s, atomicTool(func(ctx context.Context, _ bookIn) (bookOut, error) {
					arguments := json.RawMessage(`{"slot":"9:00"}`)
					if c.dry {
						arguments = json.RawMessage(`{"slot":"9:00","dryRun":true}`)
					}
					nested.call(ctx, c.call, arguments)
					return bookOut{}, errors.Join(book(ctx, 0), errTaken)
				}))
				assert.Equal(t, errTaken.Code(), outer.Call("visits.book", slot).Outcome.Code)
				require.Error(t, nested.err)
				assert.ErrorContains(t, nested.err, "declare Idempotency.Atomic")
				assert.Zero(t, count(t, db, "bookings"))
			})
		})
	}
}

// nested is a server in the handler's own process.
type nested struct {
	t      *testing.T
	client *client.Client
	err    error // what the inner function returned
}

func (n *nested) call(ctx context.Context, tool string, arguments json.RawMessage) {
	_, err := n.client.Call(ctx, client.CallParams{Name: tool, Arguments: arguments})
	assert.NoError(n.t, err)
}

// nest starts a server whose tool visits.note writes, and whose tool
// visits.pass calls it.
func nest(t *testing.T, stored guard.Option, write func(context.Context) error) *nested {
	t.Helper()
	n := &nested{t: t}
	note := contract.New("visits.note", func(ctx context.Context, _ bookIn) (bookOut, error) {
		n.err = write(ctx)
		return bookOut{1}, nil
	}).DryRun(dryrun.By(func(ctx context.Context, _ bookIn) (dryrun.Preview[struct{}], error) {
		n.err = write(ctx)
		return dryrun.Preview[struct{}]{}, nil
	}))
	pass := contract.New("visits.pass", func(ctx context.Context, in bookIn) (bookOut, error) {
		n.call(ctx, "visits_note", json.RawMessage(`{"slot":"`+in.Slot+`"}`))
		return bookOut{1}, nil
	})
	var tools []*contract.Tool
	for _, b := range []*contract.Builder[bookIn, bookOut]{note, pass} {
		tools = append(tools, b.Description("Notes.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
			NoPermissions("The desk is open.").
			Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"slot"}}).MustBuild())
	}
	g, err := guard.New(stored, guard.WithAudit(&audit.Recorder{}),
		guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32)), guard.WithNamespace("desk"),
		guard.WithLogger(slog.New(slog.DiscardHandler)), guard.WithPrincipal(guard.PrincipalFunc(
			func(context.Context) (guard.Principal, error) {
				return guard.Principal{Issuer: "test", Subject: "ada"}, nil
			})))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.Background()) })
	h, err := mcpgo.NewHandler("desk", "1.0.0", g, mcpgo.WithTools(tools...))
	require.NoError(t, err)
	n.client = client.New(client.InProcess(h))
	t.Cleanup(func() { _ = n.client.Close() })
	return n
}
