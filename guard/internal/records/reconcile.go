package records

import (
	"cmp"
	"context"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/callctx"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/operation"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// The texts for a caller whose call stays unknown.
const (
	textNotKnown     = "It is not yet known whether the earlier call had its effect. Repeat the same call to check again."
	textDidNotHappen = "The earlier call has had no effect so far, but may still have one. Repeat the same call to check again."
)

// textCannotAsk is for a call whose arguments cannot be compared with those of
// the earlier one, or that is one of several unclear failures.
const textCannotAsk = "The server cannot find out whether the earlier call had its effect. A person has to check."

// reconcile asks the system behind the tool what became of an earlier call, and
// returns what that means for this one. It does not claim the record while it
// asks, so a late owner can still record its success. If the answer lets the
// call run, it is valid for as long as the record has the same owner.
func (r *Records) reconcile(ctx context.Context, e *CallEntry, record store.Record) (finding, error) {
	x := e.executionOf(record)
	o := x.Of(e.Key.ID)
	open := func(text string, delay time.Duration) finding {
		return finding{ClaimResult: record.ClaimResult(store.Abandoned), of: x, text: text, delay: delay}
	}
	if e.Allowed != nil && e.Allowed.owner == record.Owner {
		return finding{ClaimResult: record.ClaimResult(store.Claimed), takeover: e.Allowed.run}, nil
	}
	if r.handlers.has(e.Key) {
		left := r.ledger.Lease()
		return finding{
			ClaimResult: store.ClaimResult{Status: store.Running, LeaseLeft: left}, of: x,
			delay: r.delay(e, left, r.runTime(e, record)),
		}, nil
	}
	limit := min(contain.AuthorTime, r.ledger.Lease()/2)
	question := store.Nonce{Key: e.Scope.Key("reconcile\x00" + o.String()), TTL: limit}
	mine, err := r.ledger.Spend(ctx, question, e.asker())
	switch {
	case err != nil:
		return finding{}, err
	case !mine: // another call asks, or has just asked
		return open(textNotKnown, limit), nil
	}
	asked := callctx.WithOperation(ctx, &callctx.Operation{Operation: o, Name: e.Operation(x).String()})
	told, err := contain.Within(asked, limit, r.authors, func(ctx context.Context) (bound.Reconciled, error) {
		return e.Tool.Impl.Reconcile(ctx, e.Args.Canonical, x.Began)
	})
	if err != nil {
		f := open(textNotKnown, limit)
		f.cause = err
		return f, nil //nolint:nilerr // it means not known, and is logged
	}
	run := takeover{Execution: x, Fingerprint: r.fingerprint(e, x.Generation), Replaces: record.Owner, Ends: true}
	switch told.Verdict {
	case bound.Happened:
		return r.found(ctx, e, record, run, told.Out)
	case bound.CannotHappen:
		next, ok := r.inNextGeneration(e, record)
		if !ok {
			return open(textNotKnown, limit), nil
		}
		run, run.Ends = next, true
	case bound.DidNotHappen:
		if wait := e.quietLeft(record, x); wait > 0 {
			return open(textDidNotHappen, max(wait, limit)), nil
		}
	default:
		return open(textNotKnown, max(told.After, limit)), nil
	}
	e.Allowed = &Allowed{run, record.Owner}
	return finding{ClaimResult: record.ClaimResult(store.Claimed), takeover: run}, nil
}

// asker returns the owner of a question. It is the same in all rounds of a call,
// so that a call may ask again after a person has approved it.
func (e *CallEntry) asker() store.Owner {
	sum := store.Fingerprint([]byte("asker\x00" + e.CallID))
	return store.Owner(sum[:])
}

// neverQuiet is the delay of a call that stays unknown however long it waits: it
// must not run although the earlier one did not happen, or nobody can ask.
const neverQuiet = time.Minute

// quietLeft returns how much longer a call must wait before it may run although
// the earlier one might still have its effect.
func (e *CallEntry) quietLeft(record store.Record, x operation.Execution) time.Duration {
	quiet := e.Tool.Doc.Reconcile.Quiet
	switch {
	case e.Tool.Doc.Idempotency.OnUnknown == idempotency.Rerun: // the system deduplicates
		return 0
	case quiet <= 0 || e.Doc.Risk.AtLeast(risk.High):
		return neverQuiet
	case record.State == store.InProgress:
		return quiet + record.LeaseLeft // by the clock of the store
	}
	// The handler has ended. The retention shows when, unless the contract has
	// changed it since.
	return quiet - min(e.Retention()-record.ExpiresIn, time.Since(x.Began))
}

// found records the success of an earlier call, and returns it as the answer.
func (r *Records) found(ctx context.Context, e *CallEntry, record store.Record, t takeover, out any) (finding, error) {
	if same, err := r.end(ctx, e, record); err != nil || !same {
		return r.findAgain(ctx, e, err)
	}
	wanted := r.claimFor(e, e.owner(t.Execution))
	wanted.Fingerprint, wanted.Replaces, wanted.Rerun, wanted.Start = t.Fingerprint, t.Replaces, false, true
	wanted.Nonce = store.Nonce{}
	taken, err := r.ledger.Claim(ctx, wanted)
	switch {
	case err != nil:
		return finding{}, err
	case taken.Status != store.Claimed: // the owner was late, or another call was faster
		return r.findAgain(ctx, e, nil)
	}
	end := e.Repeated.Found(out)
	end.found = true
	counted := e.Repeated.Counted()
	end.Result.Outcome.OperationID = e.Operation(t.Execution).String()
	done := r.completion(ctx, e, &Claim{owner: wanted.Owner, Execution: t.Execution}, end, &counted)
	if err := r.ledger.Complete(ctx, done); err != nil {
		return finding{}, err
	}
	e.Repeated.NoteFound(&end.Result.Outcome)
	return finding{
		ClaimResult: store.ClaimResult{Status: store.Finished, State: done.State, Result: done.Result}, of: t.Execution,
	}, nil
}

// end records an abandoned execution as unknown, so that a claim can replace
// exactly that one. It reports false if the execution has recorded its end
// meanwhile, or another one holds the record: then the answer about it is stale.
func (r *Records) end(ctx context.Context, e *CallEntry, record store.Record) (same bool, err error) {
	if record.State == store.InProgress {
		if err := r.leaveUnknown(ctx, e.Key, record, e.Retention()); err != nil {
			return false, err
		}
	}
	now, err := r.find(ctx, e)
	return err == nil && now.State == store.Unknown && now.Owner == record.Owner, err
}

// findAgain inspects a record that has changed meanwhile. If the call could run
// now, it does so when it is repeated.
func (r *Records) findAgain(ctx context.Context, e *CallEntry, err error) (finding, error) {
	if err != nil {
		return finding{}, err
	}
	record, err := r.find(ctx, e)
	if err != nil {
		return finding{}, err
	}
	f, err := r.inspect(ctx, e, record)
	if err == nil && (f.Status == store.Claimed || f.Status == store.Abandoned) {
		f = finding{
			ClaimResult: record.ClaimResult(store.Abandoned), of: f.of, text: textNotKnown,
			delay: cmp.Or(f.delay, shortestDelay),
		}
	}
	return f, err
}
