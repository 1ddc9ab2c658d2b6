package records

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/operation"
	"github.com/toolcontract/toolcontract/store"
)

// The generation of a record is in its owner; see [operation.Execution]. A claim
// that finds a free record takes it without reading it, and would forget the
// generation. So a record of a later generation has a fingerprint of its own
// kind: such a claim conflicts, and reads the record.

// laterGeneration follows the arguments in the fingerprint of a later
// generation, and givenUp is in place of the arguments in that of a record that
// was given up. Neither can be part of JSON.
const (
	laterGeneration = "\x00later"
	givenUp         = "\x00given up"
)

// compared returns what the fingerprint of a call is made of.
func (e *CallEntry) compared(generation uint16) []byte {
	if generation == 0 {
		return e.Args.Compared
	}
	return append(slices.Clip(e.Args.Compared), laterGeneration...)
}

func (r *Records) fingerprint(e *CallEntry, generation uint16) store.Digest {
	return r.ledger.Fingerprint(e.ID(), e.compared(generation))
}

// executionOf returns what a record's owner tells. An owner of an earlier
// version of the library tells nothing, and had generation 0.
func (e *CallEntry) executionOf(record store.Record) operation.Execution {
	x, _ := operation.ExecutionOf(record.Owner, e.ID().ID, e.Tool.Identity)
	return x
}

// owner returns a new owner for an execution. The answer to a question is not
// kept for other executions, so its owner tells nothing.
func (e *CallEntry) owner(x operation.Execution) store.Owner {
	if e.Key.IsZero() {
		return store.NewOwner()
	}
	if x.Began.IsZero() {
		x.Began = time.Now()
	}
	return x.Owner(e.Key.ID, e.Tool.Identity)
}

// Operation returns the operation of an execution, or none for a call without a
// key, or if its name would help to guess a secret argument.
func (e *CallEntry) Operation(x operation.Execution) operation.Operation {
	if e.Key.IsZero() || e.hidesOperation() {
		return operation.Operation{}
	}
	return x.Of(e.Key.ID)
}

// hidesOperation reports whether the key of the call contains a secret argument.
// The key is a hash of arguments, which are often few.
func (e *CallEntry) hidesOperation() bool {
	if !e.Tool.Impl.Facts().HasSecrets {
		return false
	}
	tree := e.Args.ComparedTree()
	if fields := e.Tool.Doc.Idempotency.KeyFields; len(fields) > 0 {
		tree = membersOf(tree, fields)
	} else if !e.Guessed {
		return false
	}
	return len(e.Tool.Impl.Secrets(tree)) > 0
}

// forget takes the record of a call whose effect was undone from its owner, and
// leaves one that is free for every call, in the next generation. The error is
// errRuns if another call was faster.
func (r *Records) forget(ctx context.Context, named NamedKey, record store.Record) error {
	x, _ := operation.ExecutionOf(record.Owner, named.ID, named.tool.Identity)
	if x.Generation == operation.MaxGeneration {
		return errors.New("the call was forgotten too often")
	}
	if record.State == store.InProgress { // a claim can replace only a record that has ended
		if err := r.leaveUnknown(ctx, named.Key, record, named.tool.Doc.Idempotency.Retention); err != nil {
			return err
		}
	}
	return r.free(ctx, named.Key, named.tool, record.Owner, x.Generation+1)
}

// free replaces the record of an owner, or none, by one that is free for every
// call in a generation.
func (r *Records) free(ctx context.Context, key store.Key, t *facts.ProtectedTool, replaces store.Owner, generation uint16) error {
	x := operation.Execution{Generation: generation, Began: time.Now(), Ending: operation.Undone}
	retention := t.Doc.Idempotency.Retention
	claim := store.Claim{
		Key: key, Owner: x.Owner(key.ID, t.Identity), Replaces: replaces, Fingerprint: r.ledger.Fingerprint(key, []byte(givenUp)),
		Lease: r.ledger.ShortLease(), Retention: max(retention, r.ledger.ShortLease()),
	}
	claimed, err := r.ledger.Claim(ctx, claim)
	switch {
	case err != nil:
		return err
	case claimed.Status != store.Claimed:
		return errRuns
	}
	free := store.Completion{
		Key: key, Owner: claim.Owner, State: store.Unknown, Retention: retention,
		Result: r.unresolved.Seal(nil, listName(key)), // what earlier versions of the library take for a free record
	}
	if t.IsAtomic() { // a claim that replaces an unknown outcome counts as started, but an atomic call starts with its commit
		free.State, free.Result = store.Completed, nil
	}
	return r.ledger.Complete(ctx, free)
}

// leaveUnknown records in the name of an abandoned execution that its outcome
// is unknown. The execution may still complete it.
func (r *Records) leaveUnknown(ctx context.Context, key store.Key, record store.Record, retention time.Duration) error {
	return r.ledger.Complete(ctx, store.Completion{Key: key, Owner: record.Owner, State: store.Unknown, Retention: retention})
}
