package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/store"
)

const timeout = time.Second

func open(t *testing.T, c ledger.Config) *ledger.Ledger {
	t.Helper()
	c.Timeout, c.Lease = timeout, 3*timeout
	l, err := ledger.Open(c)
	require.NoError(t, err)
	return l
}

func memory(t *testing.T) store.Store {
	t.Helper()
	m, err := store.NewMemory()
	require.NoError(t, err)
	return m
}

// A hanging store never answers, and heeds no context.
type hanging struct {
	store.Store

	release chan struct{}
}

func (h hanging) Get(context.Context, store.Key) (store.Record, error) {
	<-h.release
	return store.Record{}, nil
}

// A panicking store has no store behind it, so every operation panics.
type panicking struct{ store.Store }

func (panicking) IsLocal() bool { return true }

func TestLedger_ContainsEveryOperationOfAStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // a slow failure begins an outage
		var last ledger.Operation
		l := open(t, ledger.Config{Store: panicking{}, Observe: func(_ context.Context, o ledger.Operation) { last = o }})
		for operation := range reflect.TypeFor[store.Store]().Methods() {
			name := operation.Name
			if name == "IsLocal" || name == "Epoch" {
				continue
			}
			m := reflect.ValueOf(l).MethodByName(name)
			args := []reflect.Value{reflect.ValueOf(t.Context())}
			for j := 1; j < m.Type().NumIn(); j++ {
				args = append(args, reflect.Zero(m.Type().In(j)))
			}
			results := m.Call(args)
			err, _ := reflect.TypeAssert[error](results[len(results)-1])
			var panicked *contain.PanicError
			require.ErrorAs(t, err, &panicked, name)
			assert.True(t, ledger.IsOutage(err), name)
			assert.False(t, last.Start.IsZero(), name)
			assert.Equal(t, ledger.Operation{Name: strings.ToLower(name), Start: last.Start, Duration: last.Duration, Local: true,
				Outage: true}, last)
		}
	})
}

func TestLedger_AnswersOfAMemoryAreNoOutages(t *testing.T) {
	t.Parallel()
	l := open(t, ledger.Config{})
	for operation := range reflect.TypeFor[store.Store]().Methods() {
		if operation.Name == "IsLocal" || operation.Name == "Epoch" {
			continue
		}
		m := reflect.ValueOf(l).MethodByName(operation.Name)
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		for j := 1; j < m.Type().NumIn(); j++ {
			args = append(args, reflect.Zero(m.Type().In(j)))
		}
		results := m.Call(args)
		err, _ := reflect.TypeAssert[error](results[len(results)-1])
		require.ErrorIs(t, err, store.ErrInvalid, operation.Name)
		assert.False(t, ledger.IsOutage(err), operation.Name)
	}
}

func TestLedger_BoundsTheTimeAndTheNumberOfOperations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := hanging{memory(t), make(chan struct{})}
		l := open(t, ledger.Config{Store: h})
		const slots = 1024
		start, errs := time.Now(), make(chan error, slots)
		for range slots {
			go func() {
				_, err := l.Get(t.Context(), store.Key{})
				errs <- err
			}()
		}
		synctest.Wait()
		_, err := l.Get(t.Context(), store.Key{})
		require.ErrorIs(t, err, contain.ErrNoSlot)
		assert.True(t, ledger.WasNotSent(err))
		for range slots {
			err := <-errs
			require.ErrorIs(t, err, contain.ErrLate)
			assert.True(t, ledger.IsOutage(err))
			assert.False(t, ledger.WasNotSent(err), "it may have taken place")
		}
		assert.Equal(t, timeout, time.Since(start))
		close(h.release)
		time.Sleep(time.Hour)
		_, err = l.Get(t.Context(), store.Key{})
		assert.NoError(t, err)
	})
}

// An error of the store is an answer if it is one of package store's.
func TestLedger_KnowsAnAnswerFromAnOutage(t *testing.T) {
	t.Parallel()
	l := open(t, ledger.Config{})
	err := l.Release(t.Context(), store.Release{Key: store.Scope{}.Key("none"), Owner: store.NewOwner()})
	require.ErrorIs(t, err, store.ErrLost)
	assert.False(t, ledger.IsOutage(err))
	assert.False(t, ledger.IsOutage(nil))
	assert.True(t, ledger.IsOutage(errors.New("no route to host")))
}

func TestOpen_RefusesConfigsThatCannotWork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config ledger.Config
		text   string
	}{
		"a short lease": {ledger.Config{Timeout: time.Second, Lease: 3*time.Second - 1}, "guard: WithTimes: Lease is " +
			"shorter than three times StoreTimeout; set a longer Lease"},
		"a shared store, no keys": {ledger.Config{Store: shared{memory(t)}}, "guard: WithStore: a store that other processes share " +
			"needs WithSealingKeys, with the same keys in each of them"},
		"the same sealing key, twice": {ledger.Config{Keys: [][]byte{key(1), key(1)}},
			"guard: WithSealingKeys: keyring: keys 1 and 2 are the same; make each key with openssl rand 32"},
		"a shared store, a short key": {ledger.Config{Store: shared{memory(t)}, Keys: [][]byte{nil}},
			"guard: WithSealingKeys: keyring: key 1 is shorter than 32 bytes; make each key with openssl rand 32"},
	} {
		_, err := ledger.Open(c.config)
		assert.EqualError(t, err, c.text, name)
	}
}

type shared struct{ store.Store }

func (shared) IsLocal() bool { return false }

func key(fill byte) []byte { return bytes.Repeat([]byte{fill}, 32) }

type note struct{ Text string }

func TestRecord_OpensOnlyWithItsKeyPurposeAndName(t *testing.T) {
	t.Parallel()
	l, same := open(t, ledger.Config{Keys: [][]byte{key(1)}}), open(t, ledger.Config{Keys: [][]byte{key(2), key(1)}})
	notes, others := ledger.SealerOf[note](l, ledger.Results, nil), ledger.SealerOf[note](l, ledger.States, nil)
	replica, stranger := ledger.SealerOf[note](same, ledger.Results, nil), ledger.SealerOf[note](open(t, ledger.Config{}),
		ledger.Results, nil)
	sealed, carried := notes.Seal(note{"hello"}, "here"), notes.SealText(note{"hello"}, "here")
	assert.NotContains(t, string(sealed), "hello")
	for _, r := range []ledger.ValueSealer[note]{notes, replica} {
		got, err := r.Open(sealed, "here")
		require.NoError(t, err)
		assert.Equal(t, note{"hello"}, got)
		got, err = r.OpenText(carried, "here")
		require.NoError(t, err)
		assert.Equal(t, note{"hello"}, got)
	}
	for name, open := range map[string]func() error{
		"another name":        func() error { _, err := notes.Open(sealed, "there"); return err },
		"another name, text":  func() error { _, err := notes.OpenText(carried, "there"); return err },
		"another purpose":     func() error { _, err := others.Open(sealed, "here"); return err },
		"another key":         func() error { _, err := stranger.Open(sealed, "here"); return err },
		"a dropped result":    func() error { _, err := notes.Open(nil, "here"); return err },
		"an altered text":     func() error { _, err := notes.OpenText(carried[:len(carried)-1], "here"); return err },
		"the text as a bytes": func() error { _, err := notes.Open([]byte(carried), "here"); return err },
	} {
		assert.Error(t, open(), name)
	}
}

func TestRecord_IsEmptyIfAValueCannotBeWritten(t *testing.T) {
	t.Parallel()
	r := ledger.SealerOf[any](open(t, ledger.Config{}), ledger.Results, nil)
	assert.Nil(t, r.Seal(make(chan int), ""))
	assert.Empty(t, r.SealText(make(chan int), ""))
}

func TestOnce_TheFirstRecordCounts(t *testing.T) {
	t.Parallel()
	l := open(t, ledger.Config{})
	k := l.Scope("i", "t", "p", "tool").Key("it")
	require.NoError(t, l.Once(t.Context(), k, "it", []byte("first"), time.Hour))
	require.ErrorIs(t, l.Once(t.Context(), k, "it", []byte("second"), time.Hour), ledger.ErrRecorded)
	record, err := l.Get(t.Context(), k)
	require.NoError(t, err)
	assert.Equal(t, "first", string(record.Result))
}

func TestOnce_AFailureIsUnavailable(t *testing.T) {
	t.Parallel()
	l := open(t, ledger.Config{Store: panicking{}})
	err := l.Once(t.Context(), store.Scope{}.Key("it"), "it", nil, time.Hour)
	require.ErrorIs(t, err, contain.ErrUnavailable)
	assert.True(t, strings.HasPrefix(err.Error(), "guard: unavailable: the record cannot be written: "), err)
}

// A switched store does not answer while it is away.
type switched struct {
	store.Store

	away atomic.Bool
}

func (s *switched) Get(ctx context.Context, key store.Key) (store.Record, error) {
	if s.away.Load() {
		<-ctx.Done()
		return store.Record{}, ctx.Err()
	}
	return s.Store.Get(ctx, key)
}

func TestLedger_OnlyTheFirstCallWaitsForAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &switched{Store: memory(t)}
		l := open(t, ledger.Config{Store: s})
		get := func() (time.Duration, error) {
			began := time.Now()
			_, err := l.Get(t.Context(), store.Scope{}.Key("k"))
			return time.Since(began), err
		}
		s.away.Store(true)
		took, err := get()
		assert.True(t, ledger.IsOutage(err))
		assert.Equal(t, time.Second, took)
		for range 70 {
			took, err = get()
			assert.True(t, ledger.IsOutage(err))
			assert.True(t, ledger.WasNotSent(err))
			assert.Zero(t, took)
			time.Sleep(100 * time.Millisecond)
		}
		s.away.Store(false)
		time.Sleep(2 * time.Second)
		_, err = get() // starts a check
		assert.True(t, ledger.IsOutage(err))
		synctest.Wait()
		_, err = get()
		require.NoError(t, err)

		s.away.Store(true)
		_, err = get()
		assert.True(t, ledger.IsOutage(err))
		s.away.Store(false)
		time.Sleep(time.Hour)
		_, err = get()
		require.NoError(t, err, "long after an outage the first call queries the store")
	})
}

// A silent store ignores some operations.
type silent struct {
	store.Store

	ignores func(key store.Key, isClaim bool) bool
}

func (s silent) Get(ctx context.Context, key store.Key) (store.Record, error) {
	if s.ignores(key, false) {
		<-ctx.Done()
		return store.Record{}, ctx.Err()
	}
	return s.Store.Get(ctx, key)
}

func (s silent) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	if s.ignores(c.Key, true) {
		<-ctx.Done()
		return store.ClaimResult{}, ctx.Err()
	}
	return s.Store.Claim(ctx, c)
}

// A check reads one key, which may be in the part of a store that is away.
func TestLedger_APartOfAStoreThatIsAwayKeepsNoOneOutForLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		anonymous := store.Scope{}.Key("k")
		l := open(t, ledger.Config{Store: silent{memory(t), func(key store.Key,
			_ bool) bool {
			return key.Partition == anonymous.Partition
		}}})
		_, err := l.Get(t.Context(), anonymous)
		require.Error(t, err)
		began := time.Now()
		for err != nil && time.Since(began) < time.Hour {
			time.Sleep(time.Second)
			_, err = l.Get(t.Context(), store.Scope{Principal: "bob"}.Key("k"))
		}
		require.NoError(t, err)
		assert.Equal(t, 10*time.Second, time.Since(began))
	})
}

// Reads that are answered do not make all calls wait for writes that hang.
func TestLedger_OneCallAtATimeWaitsForWritesThatHang(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := open(t, ledger.Config{Store: silent{memory(t), func(_ store.Key, isClaim bool) bool { return isClaim }}})
		claim := func() error {
			c := store.Claim{Key: store.Scope{}.Key("k"), Owner: store.NewOwner(), Lease: time.Minute, Retention: time.Minute}
			_, err := l.Claim(t.Context(), c)
			return err
		}
		require.Error(t, claim())
		var waiting atomic.Int32
		most := int32(0)
		for range 600 {
			go func() {
				defer waiting.Add(-1)
				waiting.Add(1)
				assert.Error(t, claim())
			}()
			synctest.Wait()
			most = max(most, waiting.Load())
			time.Sleep(100 * time.Millisecond)
		}
		assert.EqualValues(t, 1, most)
	})
}

func TestLedger_ACallerThatLeavesIsNoOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &switched{Store: memory(t)}
		l := open(t, ledger.Config{Store: s})
		s.away.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		_, err := l.Get(ctx, store.Scope{}.Key("k"))
		require.Error(t, err)
		s.away.Store(false)
		_, err = l.Get(t.Context(), store.Scope{}.Key("k"))
		require.NoError(t, err)
	})
}
