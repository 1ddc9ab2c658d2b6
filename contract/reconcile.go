package contract

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// declaredReconcile is nil if Reconcile was given no function.
const declaredReconcile declaration[*Reconciling] = "Reconcile"

const (
	ruleReconcileNil   = "reconcile.nil"
	ruleReconcileKey   = "reconcile.key"
	ruleReconcileQuiet = "reconcile.quiet"
)

func reconcileClause() clause {
	return clause{
		members: []string{"reconcile"},
		check:   checkReconcile,
		rules: []BuildRule{
			{ID: ruleReconcileNil, Summary: "Reconcile has a function."},
			{ID: ruleReconcileKey, Summary: "Reconcile belongs to a managed tool with key fields or a required client key, which is " +
				"not atomic."},
			{ID: ruleReconcileQuiet, Summary: "The quiet time of Reconcile is not negative, in whole seconds, and shorter than the " +
				"retention."},
		},
	}
}

// Reconcile sets a function that finds out whether an earlier call had its
// effect, so that nobody has to guess after a crash, a timeout or a lost
// answer. The guard calls it when a call is repeated and the outcome of the
// earlier one is unknown, before a person is asked, a dry run is demanded or
// Precheck runs.
//
// The function asks the system that has the effect. It gets the arguments, and
// the time at which the earlier call was claimed, rounded down to a second, by
// the clock of the process that claimed it. The time is zero if an earlier
// version of the library recorded the call. guard.IdempotencyKey returns the key
// that the earlier handler passed on. The function answers with one of these:
//
//   - [Happened]: the call had its effect, and this is its result. It is
//     recorded and replayed as the result of the call.
//   - [CannotHappen]: the system will refuse the key from now on. The call runs
//     at once, with another key.
//   - [DidNotHappen]: the call has had no effect so far. It runs if OnUnknown
//     declares a rerun, because the system then deduplicates, or, below high
//     risk, once [Reconciling.Quiet] has passed. Otherwise it answers
//     [CodeOutcomeUnknown].
//   - [NotKnown]: the call answers [CodeOutcomeUnknown].
//
// An error, a panic, the zero Reconciled and no answer in time mean not known.
// The time limit is ten seconds, or half of the guard's lease if that is
// shorter. For one earlier call, the function runs once at a time across all
// processes that share the store, and not while the earlier handler still runs
// in this process. For different calls, it runs concurrently.
//
// The function may tell the system to refuse a key. It must not change anything
// else. The tool must be managed, and have key fields or require a client key.
func (b *Builder[In, Out]) Reconcile(
	ask func(ctx context.Context, in In, since time.Time) (Reconciled[Out], error), r Reconciling,
) *Builder[In, Out] {
	declared := &r
	if ask == nil {
		declared = nil
	}
	declaredReconcile.set(&b.verbs, declared)
	b.reconcile = ask
	return b
}

// A Reconciled is what a system says about an earlier call; see
// [Builder.Reconcile]. The zero value means that it does not know.
type Reconciled[Out any] struct {
	verdict bound.Verdict
	out     Out
	after   time.Duration
}

// Happened says that the call had its effect, and that out is its result.
func Happened[Out any](out Out) Reconciled[Out] {
	return Reconciled[Out]{verdict: bound.Happened, out: out}
}

// CannotHappen says that the call had no effect and never will, because the
// system has been told to refuse its key.
func CannotHappen[Out any]() Reconciled[Out] { return Reconciled[Out]{verdict: bound.CannotHappen} }

// DidNotHappen says that the call has had no effect so far. A request that is
// still on its way may have it later.
func DidNotHappen[Out any]() Reconciled[Out] { return Reconciled[Out]{verdict: bound.DidNotHappen} }

// NotKnown says that the system cannot tell yet. The caller is advised to
// repeat the call after the delay, or after the function's time limit if that is
// longer.
func NotKnown[Out any](after time.Duration) Reconciled[Out] {
	return Reconciled[Out]{after: after}
}

// checkReconcile runs before key fields are read from tags; see
// [checker.reconcileKey].
func checkReconcile(c *checker) {
	r, declared := declaredReconcile.in(&c.layer)
	switch {
	case !declared:
		return
	case r == nil:
		c.bad(ruleReconcileNil, "reconcile", "Reconcile was given no function", "give it one, or leave it out")
		return
	case r.Quiet < 0 || r.Quiet%time.Second != 0:
		c.bad(ruleReconcileQuiet, "reconcile", "the quiet time is negative, or not in whole seconds",
			"use a duration such as 30*time.Second")
	}
	reconciling := *r
	c.doc.Reconcile = &reconciling
}

// reconcileKey checks that a reconciled call has a key that stands for one
// effect.
func (c *checker) reconcileKey() {
	i := c.doc.Idempotency
	switch {
	case c.doc.Reconcile == nil:
	case i == nil || i.Mode != idempotency.Managed || i.Atomic:
		c.bad(ruleReconcileKey, "reconcile", "the tool is not managed, or is atomic, so no outcome has to be reconciled",
			"declare managed idempotency, or remove Reconcile")
	case len(i.KeyFields) == 0 && !i.KeyRequired:
		c.bad(ruleReconcileKey, "reconcile", "all arguments are the key of a call, so an equal call may be meant as a second one",
			"declare KeyFields, or KeyRequired")
	case c.doc.Reconcile.Quiet >= i.Retention:
		c.bad(ruleReconcileQuiet, "reconcile", "the quiet time is not shorter than the retention, so the record ends first, and the "+
			"call runs whatever happened", "shorten it, or declare a longer retention")
	}
}
