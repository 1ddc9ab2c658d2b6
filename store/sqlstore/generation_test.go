package sqlstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/trust"
)

// A redo of an atomic call is free after a crash, as the first call was: it
// starts with its commit, also if it failed before.
func TestAtomic_ARedoIsNeverUnknown(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		var keys []string
		var fails bool
		var seen store.Record
		watched := &watching{Store: s}
		book := atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
			key, _ := guard.IdempotencyKey(ctx)
			keys = append(keys, key)
			var err error
			seen, err = s.Get(context.WithoutCancel(t.Context()), watched.key)
			require.NoError(t, err)
			if fails {
				return bookOut{}, errTaken.Errorf("busy")
			}
			return booking(ctx, in)
		})
		undo := contract.New("visits.undo", func(ctx context.Context, in bookIn) (bookOut, error) {
			return bookOut{}, guard.Forget(ctx, "visits.book", map[string]any{"slot": in.Slot})
		}).Description("Undoes a booking.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
			NoPermissions("The desk is open.").MustBuild()
		c := contracttest.NewClient(t, []*contract.Tool{book.MustBuild(), undo}, guard.WithStore(watched),
			guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32)), guard.WithRetryBudget(0, 0)).
			As(contract.Principal{Issuer: "test", Subject: "ada"})
		booked(t, c.Call("visits.book", slot), 1)
		require.Empty(t, c.Call("visits.undo", slot).Outcome.Code)
		fails = true
		for range 2 {
			assert.Equal(t, "desk_busy", c.Call("visits.book", slot).Outcome.Code)
			assert.False(t, seen.Started)
		}
		fails = false
		booked(t, c.Call("visits.book", slot), 2)
		assert.False(t, seen.Started)
		assert.NotEqual(t, keys[0], keys[1])
		assert.Equal(t, []string{keys[1], keys[1]}, keys[2:])
	})
}

// A watching store remembers the key of the last claim.
type watching struct {
	*sqlstore.Store

	key store.Key
}

func (w *watching) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	w.key = c.Key
	return w.Store.Claim(ctx, c)
}
