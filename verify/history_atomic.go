package verify

import (
	"context"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/toolcontract/toolcontract/store"
)

// A transactionFault is how a transaction of an atomic call is made to fail.
type transactionFault int

// The first four leave nothing behind, so a key has at most four failures
// before its effect is committed. The first two expose a handler that writes
// outside its transaction, the others a store that does not commit the effect
// together with the record. The run after faultRecord belongs to the same call.
// It gets faultAnswer, which commits it.
const (
	faultBegin  transactionFault = 1 + iota // the transaction cannot begin
	faultWrite                              // it is rolled back while the handler runs
	faultCommit                             // the commit is cut short, and its error does not tell what happened
	faultRecord                             // the record cannot be written, so the handler runs again
	faultAnswer                             // the commit happens, and its answer is lost
)

// A faultyTransactor is a [faultyStore] whose first transactions fail, each in
// a different way.
type faultyTransactor struct {
	*faultyStore

	of           store.Transactor
	transactions int
}

// Transaction returns a transaction that may fail.
func (s *faultyTransactor) Transaction(key store.Key, owner store.Owner) store.Transaction {
	t := s.of.Transaction(key, owner)
	fault := transactionFault(s.next(&s.transactions))
	if fault == faultBegin {
		t.Rollback()
	}
	return &faultyTransaction{t, fault}
}

type faultyTransaction struct {
	store.Transaction

	fault transactionFault
}

// writeTime is how long a handler may write before its transaction is rolled
// back.
const writeTime = 100 * time.Microsecond

// Context rolls the transaction back while the handler uses it, if that is the
// fault.
func (t *faultyTransaction) Context(ctx context.Context) context.Context {
	if t.fault == faultWrite {
		time.AfterFunc(writeTime, t.Rollback)
	}
	return t.Transaction.Context(ctx)
}

// Commit fails before, during or after the commit, depending on the fault.
func (t *faultyTransaction) Commit(ctx context.Context, c store.Completion) error {
	switch t.fault {
	case faultWrite: // of a handler that was faster, or that ignored it
		t.Rollback()
		return errStore
	case faultCommit:
		over, cancel := context.WithCancel(ctx)
		cancel()
		_ = t.Transaction.Commit(over, c)
		return errStore
	case faultRecord:
		t.Rollback()
		return store.ErrBusy
	case faultAnswer:
		if err := t.Transaction.Commit(ctx, c); err != nil {
			return err
		}
		return errStore
	case faultBegin:
	}
	return t.Transaction.Commit(ctx, c)
}

// afterAtomicRun returns the states after runs of an atomic handler. Only a
// success has an effect, and there is just one. No outcome is unknown, except
// to a caller who gets an error because nothing answered the commit.
func (m historyModel) afterAtomicRun(s keyState, a historyAnswer) []keyState {
	if a.runs < 1 || s.record != nothing && s.record != lost {
		return nil
	}
	undone := keyState{record: nothing, effects: s.effects}
	switch a.kind {
	case done:
		return []keyState{{record: succeeded, value: a.value, effects: 1}}
	case failed:
		next := []keyState{{record: refusing, value: a.value, effects: s.effects}, undone}
		if m.faulty {
			next = append(next, keyState{record: lost, effects: s.effects})
		}
		return next
	case freed, unclear, refused, replayed, outcomeUnknown, recorded, counted:
	}
	if m.faulty && a.kind == unclear {
		return []keyState{undone, {record: committed, effects: 1}}
	}
	return []keyState{undone}
}

// How often each key is called at the end of an atomic tool's history, until it
// has an outcome. Repeated calls succeed in the end.
const (
	atomicCalls = 50
	atomicPause = 20 * time.Millisecond // after a call that must wait
)

// settle calls an atomic tool until the call with a key has an outcome.
func (r *historyRun) settle(key int) {
	for range atomicCalls {
		switch r.call(historyCallers, key).kind {
		case done, replayed, recorded:
			return
		case refused:
			time.Sleep(atomicPause)
		case freed, failed, unclear, outcomeUnknown, counted:
		}
	}
}

// countEarlyEffects counts the effects of a call that has run but is not
// committed.
func (r *historyRun) countEarlyEffects(key int) {
	if !r.atomic() || r.effects == nil {
		return
	}
	r.counting.Lock()
	n := r.countOf(key)
	r.counting.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > 0 {
		r.tooEarly[key] = n
	}
}

// judgeAtomic adds to a claim what only an atomic tool can break.
func (r *historyRun) judgeAtomic(key int, at string, history []porcupine.Operation, c *claim) {
	if n := r.tooEarly[key]; n > 0 {
		c.contradictions = nil
		c.rule = ruleNotAtomic
		c.contradict(at, "the effect was there %d times before the commit of its call\n%s", n, listOperations(history))
	}
}
