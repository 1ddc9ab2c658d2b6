package redisstore_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/store/redisstore/internal/testing/redistest"
)

func ExampleWithMaxEntries() {
	_, err := redisstore.Open("redis://localhost", redisstore.WithMaxEntries(1))
	fmt.Println(err)
	// Output: redisstore: WithMaxEntries: the number is less than two; pass two or more
}

func TestThreat133_APrincipalHasABoundOfItsOwn(t *testing.T) {
	t.Parallel()
	const most = 6
	s := open(t, redistest.Start(t), redisstore.WithMaxEntries(most))
	now := time.Now()
	s.Freeze(now)
	ctx := t.Context()
	claimed := func(c store.Claim) error {
		a, err := s.Claim(ctx, c)
		if err == nil {
			require.Equal(t, store.Claimed, a.Status)
		}
		return err
	}
	anna := func(key string) store.Claim { return claim(keyOf("anna", key), store.NewOwner()) }
	spend := func(key string) error {
		_, err := s.Spend(ctx, store.Nonce{Key: keyOf("anna", key), TTL: 2 * retention}, store.NewOwner())
		return err
	}

	withNonce := anna("with a nonce")
	withNonce.Nonce = store.Nonce{Key: keyOf("anna", "nonce of a claim"), TTL: retention}
	require.NoError(t, claimed(withNonce))
	for i := range 2 {
		require.NoError(t, claimed(anna(strconv.Itoa(i))))
	}
	require.NoError(t, spend("nonce"))

	two := anna("two entries")
	two.Nonce = store.Nonce{Key: keyOf("anna", "another nonce"), TTL: retention}
	require.ErrorIs(t, claimed(two), store.ErrFull)
	r, err := s.Get(ctx, two.Key)
	require.NoError(t, err)
	assert.Equal(t, store.NoRecord, r.State, "nothing changed")

	last := anna("last")
	require.NoError(t, claimed(last))
	require.ErrorIs(t, claimed(anna("one more")), store.ErrFull)
	require.ErrorIs(t, spend("one more"), store.ErrFull)
	require.NoError(t, spend("nonce"), "it is spent already")
	require.NoError(t, claimed(last), "its owner repeats it")
	require.NoError(t, claimed(claim(keyOf("bob", "key"), store.NewOwner())), "another principal")

	require.NoError(t, s.Release(ctx, store.Release{Key: withNonce.Key, Owner: withNonce.Owner, Nonce: withNonce.Nonce.Key}))
	require.NoError(t, claimed(two), "the release made room for two")
	require.ErrorIs(t, claimed(anna("one more")), store.ErrFull)

	gone := completion(last, "")
	gone.Retention = 0
	require.NoError(t, s.Complete(ctx, gone))
	require.NoError(t, claimed(anna("after a removal")))

	s.Freeze(now.Add(retention / 4))
	for _, err := range []error{claimed(anna("one more")), spend("one more")} {
		full, ok := errors.AsType[*store.FullError](err)
		require.True(t, ok, err)
		assert.Equal(t, retention-retention/4, full.RetryAfter, "the nearest end of the principal's entries")
	}

	s.Freeze(now.Add(retention))
	for i := range most - 1 { // only the nonce of two retentions is left
		require.NoError(t, claimed(anna("later "+strconv.Itoa(i))))
	}
	require.ErrorIs(t, claimed(anna("one more")), store.ErrFull)
}
