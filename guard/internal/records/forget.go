package records

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/operation"
	"github.com/toolcontract/toolcontract/store"
)

// A NamedKey is the key of a call that the handler of another call names.
type NamedKey struct {
	store.Key

	tool *facts.ProtectedTool

	// Lacks is the first key field that the handler left out. Empty: none. A
	// call has such a key if its arguments have no such member.
	Lacks string
}

// KeyNamed returns the key of the calls of a tool with these key fields, or
// with these arguments if all of them are the key. Errors never hold a value.
func KeyNamed(t *facts.ProtectedTool, scope store.Scope, key any) (NamedKey, error) {
	if !t.IsDeduplicated || t.Doc.Idempotency.KeyFields == nil && !t.GuessesKey {
		return NamedKey{}, errors.New("the tool has no key that is made of arguments")
	}
	raw, err := json.Marshal(key)
	if err != nil {
		return NamedKey{}, errors.New("the key cannot be written as JSON")
	}
	var args *bound.Arguments
	var lacks string
	if t.GuessesKey {
		decoded, broken := t.Impl.Decode(raw)
		if len(broken) > 0 {
			return NamedKey{}, errors.New("all arguments are the key of the tool, and these do not fit its schema")
		}
		args = decoded
	} else if args, lacks, err = keyFieldsOnly(t, raw); err != nil {
		return NamedKey{}, err
	}
	named, refused := KeyOf(t, scope, args, nil)
	if refused != nil {
		return NamedKey{}, refused.Cause
	}
	return NamedKey{named, t, lacks}, nil
}

// keyFieldsOnly reads key fields as the arguments of a call, and returns the
// first one that is missing.
func keyFieldsOnly(t *facts.ProtectedTool, raw []byte) (args *bound.Arguments, lacks string, err error) {
	args, broken := t.Impl.DecodePart(raw)
	if len(broken) > 0 {
		return nil, "", fmt.Errorf("the key has a member that the tool's schema refuses, at %q", broken[0].Pointer)
	}
	fields, isObject := args.Tree().(map[string]any)
	if !isObject {
		return nil, "", errors.New("the key is not a JSON object of key fields")
	}
	for name := range fields {
		if !slices.Contains(t.Doc.Idempotency.KeyFields, name) {
			return nil, "", errors.New("the key has a member that is not a key field of the tool")
		}
	}
	for _, name := range t.Doc.Idempotency.KeyFields {
		if _, given := fields[name]; !given {
			lacks = name
			break
		}
	}
	return args, lacks, nil
}

var errRuns = errors.New("a call with the key is running")

// Forget gives up the record of a call whose effect was undone, so that an equal
// call runs. There need not be one, unless the key lacks a key field: then it is
// more likely that the field was forgotten, and the next equal call would be
// answered with what was undone.
func (r *Records) Forget(ctx context.Context, named NamedKey) error {
	ctx = context.WithoutCancel(ctx) // the effect was undone already
	record, err := r.ledger.Get(ctx, named.Key)
	switch {
	case err != nil:
		return wrapUnreached(err)
	case record.State.IsFinished() && record.Owner.IsZero():
		return errors.New("an operator has settled the outcome of the call")
	case record.State.IsFinished(), record.IsAbandoned(): // whatever it did is undone
		err = r.forget(ctx, named, record)
		if errors.Is(err, errRuns) {
			return err
		}
		return wrapUnreached(err)
	case record.LeaseLeft > 0:
		return errRuns
	case record.State == store.NoRecord && named.Lacks != "":
		return errors.New("there is no call whose key lacks the key field " + named.Lacks + "; add it if the call had it")
	}
	return nil // there is no record, or one that never started
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

// free replaces the record of an owner, or creates one if there is none. The new
// record is free for every call in a generation.
func (r *Records) free(
	ctx context.Context, key store.Key, t *facts.ProtectedTool, replaces store.Owner, generation uint16,
) error {
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

// wrapUnreached returns the error of a store that was not reached, or nil.
func wrapUnreached(err error) error {
	if err == nil {
		return nil
	}
	return ledger.Unavailable("the record of calls cannot be reached", err)
}
