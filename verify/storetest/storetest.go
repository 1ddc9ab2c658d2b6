package storetest

import (
	"context"
	"testing"
	"time"
)

// Run checks a store against every rule, each in a subtest of that name. It
// calls newHarness once for each rule. Rules that need an optional hook are
// skipped if the harness lacks it.
func Run(t *testing.T, newHarness func(t *testing.T) Harness) {
	t.Helper()
	storeSuite().run(t, func(t *testing.T) Harness {
		h := newHarness(t)
		h.test = t.Name()
		return h
	})
}

// hung is how long checking one rule may take. All checks together take a
// second if nothing hangs.
const hung = 5 * time.Minute

// rule returns the check of a rule, with a time limit.
func rule(name, explanation string, follows func(*runner), missing func(Harness) string) check[Harness] {
	return check[Harness]{name: name, explanation: explanation, missing: missing, do: func(h Harness) error {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		t := newRunner(ctx, h)
		what := func() string { return *t.during.Load() }
		_, violation := bounded(hung, what, func() error { follows(t); return nil })
		if failure := t.failure.Load(); failure != nil {
			return *failure
		}
		return violation
	}}
}

func storeSuite() suite[Harness] {
	hang := func(h Harness) string { return lacks(h.Hang == nil, "Hang") }
	full := func(h Harness) string { return lacks(h.Full == nil, "Full") }
	bytes := func(h Harness) string { return lacks(h.MaxBytes == 0, "MaxBytes") }
	exact := func(h Harness) string { return lacks(!h.Exact, "Exact") }
	return suite[Harness]{
		incomplete: func(h Harness) string {
			return lacks(h.Store == nil || h.Advance == nil, "Store or Advance")
		},
		checks: []check[Harness]{
			rule("clock", "a duration d that is given at t is over at t+d exactly", checkClock, exact),
			rule("context", "an operation whose context is done returns an error and changes nothing", checkContext, nil),
			rule("deadline", "an operation returns soon after its context is done, also while the storage hangs", checkDeadline, hang),
			rule("invalid", "a request that breaks the rules of its fields gets ErrInvalid and changes nothing", checkInvalid, nil),
			rule("errors", "errors hold no keys, owners, fingerprints or results", checkErrors, nil),
			rule("separate", "records, nonces and counts are separate, and so are keys that differ in one part", checkSeparate, nil),
			rule("concurrent", "a store is safe for concurrent use", checkConcurrent, nil),
			rule("full", "a store without room refuses new entries and forgets no record and no nonce", checkFull, full),
			rule("bytes", "a store with a bound of bytes drops the oldest results of a partition that exceeds it, forgets no record, "+
				"and counts no result that is gone", checkBytes, bytes),
			rule("claim", "a claim gets the status of Claim.StatusFor, discloses only what this status allows, and changes "+
				"nothing unless it is Claimed", checkClaim, nil),
			rule("claim-atomic", "of any number of claims on one key at once, one owner's is Claimed", checkClaimAtomic, nil),
			rule("claim-repeated", "a claim that its owner repeats is Claimed again, and begins the lease and the retention again",
				checkClaimRepeated, nil),
			rule("started", "Start and Mark record that the execution may have begun, and no later claim on the record takes this back",
				checkStarted, nil),
			rule("owner", "an owner that does not hold the record, or not in the required state, gets ErrLost and changes nothing; "+
				"owners come back as they were given", checkOwner, nil),
			rule("lease", "the end of a lease removes nothing and shows how long ago it was, and a renewal never lets the record end "+
				"before its lease", checkLease, nil),
			rule("late", "an owner may complete its record late, as long as no other owner has claimed it", checkLate, nil),
			rule("replaces", "a claim takes the record that it replaces if the record is Completed, Failed or Unknown and has "+
				"the owner that the claim names", checkReplaces, nil),
			rule("first-outcome", "the first recorded outcome stands, and completing it again is no error", checkFirstOutcome, nil),
			rule("results", "results are returned as they were given, in slices that share no memory with those of the caller",
				drawn(checkResults), nil),
			rule("retention", "a record whose retention is over does not exist, and the completion sets its retention anew",
				checkRetention, nil),
			rule("release", "Release removes the record, so that it can be claimed with any fingerprint", checkRelease, nil),
			rule("resolve", "Resolve settles the outcome of an abandoned record and of no other, and its former owner can no "+
				"longer change it", checkResolve, nil),
			rule("nonce", "one owner spends a nonce, may repeat this, and does not prolong its TTL, before which it is not forgotten",
				checkNonce, nil),
			rule("nonce-atomic", "of any number of owners at once, one spends a nonce, by a claim or by Spend", checkNonceAtomic, nil),
			rule("nonce-claim", "the nonce of a claim is spent by its owner, only if the claim is Claimed, whatever becomes "+
				"of the record", checkNonceClaim, nil),
			rule("nonce-returned", "a release gives back the nonce that it names, in the same step, if the owner has spent it",
				checkNonceReturned, nil),
			rule("count", "each kind is counted on its own, Max is the highest count of any kind, and Reset forgets all "+
				"counts of the key", drawn(checkCount), nil),
			rule("count-atomic", "n additions at once return each of 1 to n once", checkCountAtomic, nil),
			rule("window", "a window begins with the first addition of any kind, is not moved by later ones, and ends for "+
				"all kinds; Max returns the rest of it", checkWindow, nil),
			rule("budget", "a claim whose budget is used up is Exhausted and changes nothing, unless its owner repeats it or "+
				"a record answers it", checkBudget, nil),
			rule("budget-atomic", "a claim reads the counts of its budget in the step in which it takes the record",
				checkBudgetAtomic, nil),
			rule("forget", "a completion that takes place resets the counts that it names, and another completion resets none",
				checkForget, nil),
			rule("history", "the rules hold together, in long random sequences of operations", drawn(checkHistory), nil),
		},
	}
}
