package guard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

var sealing = guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32))

// onFaulty returns a kit whose store injects faults.
func onFaulty(t *testing.T, tool *contract.Tool, opts ...guard.Option) (*kit, *faultystore.Store) {
	t.Helper()
	store := faultystore.New(newMemory(t))
	return newKit(t, []*contract.Tool{tool}, append(opts, guard.WithStore(store), sealing)...), store
}

func TestThreat79_FailedClaimRunsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k, store := onFaulty(t, n.managedPayer("pay.now", refusing(byArguments), nil).MustBuild())
		store.FailBefore(faultystore.Claim, 0, nil)
		r := k.call(alice, "pay.now", validPay)
		refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
		assert.Positive(t, r.Outcome.RetryAfterMs)
		assert.Zero(t, n.runs.Load())
		assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)

		// If the reply is lost, the claim is released and the key stays usable.
		other := `{"pay":{"amount":11}}`
		store.FailAfter(faultystore.Claim, store.Count(faultystore.Claim), nil)
		refused(t, k.call(alice, "pay.now", other), contract.CodeUnavailable, contract.ClassRetryable)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", other).Outcome.Status)
		assert.EqualValues(t, 2, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestThreat79_FailedCompletionReturnsTheTrueResult(t *testing.T) {
	t.Parallel()
	for name, stays := range map[string]bool{"for a while": false, "for good": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				tool := n.managedPayer("pay.now", byArguments, nil).Risk(risk.High).ConfirmNever("the amount is bounded").MustBuild()
				k, store := onFaulty(t, tool)
				store.FailBefore(faultystore.Complete, 0, nil)
				if stays {
					store.FailBefore(faultystore.Complete, faultystore.Every, nil)
				}
				r := k.call(alice, "pay.now", validPay)
				require.Equal(t, contract.StatusOK, r.Outcome.Status, "the handler succeeded")
				refused(t, k.call(alice, "pay.now", validPay), contract.CodeKeyInProgress, contract.ClassRetryable)
				time.Sleep(10 * time.Minute) // more than the attempts and the lease, and less than the retention
				synctest.Wait()
				second := k.call(alice, "pay.now", validPay)
				if stays {
					refused(t, second, contract.CodeOutcomeUnknown, contract.ClassFatal)
				} else {
					replayOf(t, r, second)
				}
				assert.EqualValues(t, 1, n.runs.Load())
				events := k.events(audit.Terminal)
				assert.True(t, events[0].NotPersisted)
				assert.NotEmpty(t, events[0].Error)
				assert.False(t, events[1].NotPersisted)
			})
		})
	}
}

func TestThreat79_FailedReleaseIsRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k, store := onFaulty(t, n.managedPayer("pay.now", refusing(byArguments), func(context.Context,
			payInput) error {
			return errNoFunds
		}).MustBuild())
		store.FailBefore(faultystore.Release, 0, nil)
		k.call(alice, "pay.now", validPay)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, errNoFunds.Code(), k.call(alice, "pay.now", validPay).Outcome.Code)
		assert.EqualValues(t, 2, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestThreat81_SlowStoreIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k, store := onFaulty(t, n.managedPayer("pay.now", refusing(byArguments), nil).MustBuild())
		var releases []func()
		for _, op := range []faultystore.Operation{faultystore.Claim, faultystore.Get} {
			_, release := store.Delay(op, faultystore.Every)
			releases = append(releases, release)
		}
		ctx, cancel := context.WithTimeout(as(t.Context(), alice), time.Second)
		defer cancel()
		start := time.Now()
		r, err := k.set.Call(ctx, guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay)})
		require.NoError(t, err)
		refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
		assert.Equal(t, time.Second, time.Since(start), "the caller's own deadline comes first")

		start = time.Now()
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeUnavailable, contract.ClassRetryable)
		assert.Equal(t, guard.DefaultStoreTimeout, time.Since(start))

		start = time.Now()
		for range 20 {
			refused(t, k.call(alice, "pay.now", validPay), contract.CodeUnavailable, contract.ClassRetryable)
		}
		assert.Zero(t, time.Since(start), "later calls do not wait for a store that did not answer")
		assert.Zero(t, n.runs.Load())
		for _, release := range releases {
			release()
		}
		synctest.Wait()
		time.Sleep(time.Minute) // the late claim is released
		assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)

		// On completion, the caller waits at most for the store timeout.
		_, release := store.Delay(faultystore.Complete, faultystore.Every)
		start = time.Now()
		assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", `{"pay":{"amount":11}}`).Outcome.Status)
		assert.Equal(t, guard.DefaultStoreTimeout, time.Since(start))
		release()
		require.NoError(t, k.guard.Close(t.Context()), "Close finishes the pending records")
	})
}

// A deafStore ignores the context of a claim until the channel is closed.
type deafStore struct {
	*store.Memory
	until <-chan struct{}
}

func (s deafStore) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	<-s.until
	return s.Memory.Claim(context.WithoutCancel(ctx), c)
}

func TestThreat81_StoreThatIgnoresItsContextIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		until := make(chan struct{})
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", refusing(byArguments), nil).MustBuild()},
			guard.WithStore(deafStore{newMemory(t), until}))
		start := time.Now()
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeUnavailable, contract.ClassRetryable)
		assert.Equal(t, guard.DefaultStoreTimeout, time.Since(start))
		close(until)
		time.Sleep(time.Minute)
		assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
		assert.EqualValues(t, 1, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestStore_FailsOpenOnlyIfConfiguredAndForLowEffects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		effect risk.Effect
		opts   []guard.Option
		fault  error
		runs   int64
	}{
		"by default":                {risk.LowRiskWrite, nil, nil, 0},
		"configured":                {risk.LowRiskWrite, []guard.Option{guard.WithStoreFailOpen()}, nil, 1},
		"configured, higher effect": {risk.HighRiskWrite, []guard.Option{guard.WithStoreFailOpen()}, nil, 0},
		"configured, but the store is full": {
			risk.LowRiskWrite, []guard.Option{guard.WithStoreFailOpen()}, store.ErrFull, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				tool := n.managedPayer("pay.now", byArguments, nil).Effect(c.effect)
				if c.effect == risk.HighRiskWrite {
					tool = tool.ConfirmNever("the amount is bounded")
				}
				k, store := onFaulty(t, tool.MustBuild(), c.opts...)
				store.FailBefore(faultystore.Claim, faultystore.Every, c.fault)
				r := k.call(alice, "pay.now", validPay)
				assert.Equal(t, c.runs, n.runs.Load())
				assert.Equal(t, c.runs == 0, r.IsError)
				events := k.events(audit.Terminal)
				require.Len(t, events, 1)
				assert.Equal(t, c.runs == 1, events[0].NotPersisted)
			})
		})
	}
}

func TestStore_WithoutRoomHasTheDelayUntilThereIsRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		tool := n.managedPayer("pay.now", byArguments, nil).MustBuild()
		m, err := store.NewMemory(store.WithMaxEntries(2))
		require.NoError(t, err)
		k := newKit(t, []*contract.Tool{tool}, guard.WithStore(m))
		require.False(t, k.call(alice, "pay.now", validPay).IsError)
		time.Sleep(time.Minute)
		full := k.call(alice, "pay.now", payOf(11))
		refused(t, full, contract.CodeUnavailable, contract.ClassRetryable)
		after := time.Duration(full.Outcome.RetryAfterMs) * time.Millisecond
		require.Greater(t, after, 10*time.Minute, "until the first record expires")
		time.Sleep(after - time.Second)
		require.True(t, k.call(alice, "pay.now", payOf(11)).IsError)
		time.Sleep(time.Second)
		require.False(t, k.call(alice, "pay.now", payOf(11)).IsError)
	})
}

// A slow operation of another call is no reason to run a call without asking
// the store about it.
func TestThreat79_FailingOpenAsksTheStoreForEachCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		k, store := onFaulty(t, n.managedPayer("pay.now", byArguments, nil).Effect(risk.LowRiskWrite).MustBuild(),
			guard.WithStoreFailOpen())
		first := k.call(alice, "pay.now", validPay)
		_, release := store.Delay(faultystore.Claim, store.Count(faultystore.Claim))
		assert.Empty(t, k.call(alice, "pay.now", payOf(11)).Outcome.Code)
		runs := n.runs.Load()
		replayOf(t, first, k.call(alice, "pay.now", validPay))
		assert.Equal(t, runs, n.runs.Load())
		release()
	})
}

// If any operation fails, a call still runs once, and no caller gets a false
// success.
func TestStore_NoSingleFaultRunsACallTwice(t *testing.T) {
	t.Parallel()
	for _, op := range []faultystore.Operation{faultystore.Claim, faultystore.Complete, faultystore.Renew, faultystore.Mark,
		faultystore.Get} {
		for index := range 3 {
			for _, lost := range []string{"request", "reply"} {
				synctest.Test(t, func(t *testing.T) {
					n := &counter{}
					k, store := onFaulty(t, n.managedPayer("pay.now", refusing(byArguments), nil).MustBuild())
					if lost == "request" {
						store.FailBefore(op, index, nil)
					} else {
						store.FailAfter(op, index, nil)
					}
					for range 6 {
						r := k.call(alice, "pay.now", validPay)
						if !r.IsError {
							assert.JSONEq(t, `{"paid":10}`, string(r.Structured))
						}
						time.Sleep(20 * time.Second)
					}
					assert.EqualValues(t, 1, n.runs.Load(), "%s %d %s", op, index, lost)
					require.NoError(t, k.guard.Close(t.Context()))
				})
			}
		}
	}
}

// A client key or a key field names the record, so only the fingerprint depends
// on the other arguments.
func TestThreat124_ReaderOfTheStoreCannotGuessArguments(t *testing.T) {
	t.Parallel()
	n := &counter{}
	s := &spy{Memory: newMemory(t)}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, nil).MustBuild()}, guard.WithStore(s), sealing)
	const secret = `{"note":"4821","pay":{"amount":10}}`
	k.callKeyed(alice, "pay.now", secret, "one")
	k.callKeyed(alice, "pay.now", secret, "two")
	require.Len(t, s.claims, 2)
	for pin := range 10_000 {
		guess := store.Fingerprint(fmt.Appendf(nil, `{"note":"%04d","pay":{"amount":10}}`, pin))
		require.NotEqual(t, guess, s.claims[0].Fingerprint, "the secret is %04d", pin)
	}
	assert.NotEqual(t, s.claims[0].Fingerprint, s.claims[1].Fingerprint, "equal arguments of two records look different")
}

func TestThreat126_AnswersAndPreviewsDieWithAStoreInMemory(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tools := []*contract.Tool{n.asking("pay.now").MustBuild(), n.tryFirst("pay.later").MustBuild()}
	before := newKit(t, tools, sealing)
	answered := payNow.with(before.asked(payNow).State, confirmed)
	r, err := before.round(answered)
	require.NoError(t, err)
	require.Equal(t, contract.StatusOK, r.Outcome.Status)
	open := payNow.with(before.asked(payNow).State, confirmed)
	used, unused := tokenOf(t, before.call(alice, "pay.later", dryPay)), tokenOf(t, before.call(alice, "pay.later", dryPay))
	require.Equal(t, contract.StatusOK, before.call(alice, "pay.later", payWith(used)).Outcome.Status)
	require.EqualValues(t, 2, n.runs.Load())

	restarted := newKit(t, tools, sealing)
	for name, round := range map[string]round{"an answered question": answered, "an open question": open} {
		_, err := restarted.round(round)
		require.ErrorIs(t, err, guard.ErrRejectedState, name)
	}
	for _, token := range []string{used, unused} {
		refused(t, restarted.call(alice, "pay.later", payWith(token)), contract.CodeDryRunRequired, contract.ClassRetryable)
	}
	assert.EqualValues(t, 2, n.runs.Load())
}

func TestNew_WarnsThatSealingKeysOutliveTheDefaultStore(t *testing.T) {
	t.Parallel()
	lines := func(opts ...guard.Option) string {
		var log bytes.Buffer
		g, err := guard.New(append(opts, guard.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))...)
		require.NoError(t, err)
		require.NoError(t, g.Close(t.Context()))
		return log.String()
	}
	assert.Contains(t, lines(sealing), "level=WARN")
	assert.Contains(t, lines(sealing), "pass guard.WithStore")
	assert.Empty(t, lines())
	assert.Empty(t, lines(sealing, guard.WithStore(newMemory(t))), "the store was chosen")
	assert.Empty(t, lines(guard.WithStore(newMemory(t)), sealing))
	assert.Empty(t, lines(sealing, guard.WithStore(sharedMemory{newMemory(t)})))
}

func TestCall_WithSealingKeysNamesItsServer(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, sealing, guard.WithNamespace(""))
	req := guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay)}
	_, err := k.set.Call(as(t.Context(), alice), req)
	require.ErrorIs(t, err, guard.ErrNoServer)
	assert.Zero(t, n.runs.Load())
	req.Server = "mail"
	r, err := k.set.Call(as(t.Context(), alice), req)
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, r.Outcome.Status)
}

// A guard that runs calls without a store runs none that spends an approval or
// a preview, because the store must remember that it was spent.
func TestStoreFailOpen_SpendsNothingWithoutTheStore(t *testing.T) {
	t.Parallel()
	newStore := func(t *testing.T) *faultystore.Store {
		t.Helper()
		return faultystore.New(newMemory(t))
	}
	t.Run("an approval", func(t *testing.T) {
		t.Parallel()
		n, s := &counter{}, newStore(t)
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).Effect(risk.LowRiskWrite).ConfirmAlways().
			MustBuild()}, guard.WithStore(s), guard.WithStoreFailOpen())
		q := k.asked(payNow)
		s.FailBefore(faultystore.Claim, faultystore.Every, nil)
		r, err := k.round(payNow.with(q.State, confirmed))
		require.NoError(t, err)
		refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
		assert.Zero(t, n.runs.Load())
	})
	t.Run("a preview", func(t *testing.T) {
		t.Parallel()
		n, s := &counter{}, newStore(t)
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).Effect(risk.LowRiskWrite).
			DryRun(dryrun.By(previewPay).Required()).MustBuild()}, guard.WithStore(s), guard.WithStoreFailOpen())
		token := tokenOf(t, k.call(alice, "pay.now", dryPay))
		s.FailBefore(faultystore.Claim, faultystore.Every, nil)
		refused(t, k.call(alice, "pay.now", payWith(token)), contract.CodeUnavailable, contract.ClassRetryable)
		assert.Zero(t, n.runs.Load())
	})
}
