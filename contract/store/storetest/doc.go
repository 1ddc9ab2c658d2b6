// Package storetest checks whether a store keeps the rules of [store.Store], [store.Store] and
// [store.Store].
//
//	func TestStore(t *testing.T) {
//		newHarness := func(t *testing.T) storetest.Harness {
//			s := newStore(t)
//			return storetest.Harness{Store: s, Advance: s.advance}
//		}
//		storetest.RunStore(t, newHarness)
//		storetest.RunNonces(t, newHarness)
//		storetest.RunCounter(t, newHarness)
//		storetest.History(t, newHarness, 1000)
//	}
//
// Each rule is a subtest; [StoreRules], [NoncesRules] and [CounterRules] list them. Some need a hook of the
// [Harness], and are skipped without it. [History] judges long random interleavings of several clients
// with faults, and prints the seed and the steps of one that went wrong.
//
// [Faulty] is for the tests of what uses a store: it lets chosen operations fail or hang.
//
// # Deviations and limits
//
// A machine that is busy with something else must not make a good store a bad one: what has to be over is
// over for half an hour, what must last lasts as long, and a store counts as one that hangs after two
// minutes. Only a harness that is [Harness.Exact] has the ends of leases checked to the millisecond.
//
// The docs leave one thing open, and so do the suites: whether a record that was abandoned after its start,
// and is taken over by a claim with Rerun but without Start, counts as started. What a store does with the
// counts it has no room for, and whether it keeps records over a crash, no suite sees.
package storetest
