package records

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/store"
)

// KeyNamed returns the key of the calls of a tool with these key fields, or
// with these arguments if all of them are the key. Errors never hold a value.
func KeyNamed(t *facts.ProtectedTool, scope store.Scope, key any) (store.Key, error) {
	if !t.IsDeduplicated || t.Doc.Idempotency.KeyFields == nil && !t.GuessesKey {
		return store.Key{}, errors.New("the tool has no key that is made of arguments")
	}
	raw, err := json.Marshal(key)
	if err != nil {
		return store.Key{}, errors.New("the key cannot be written as JSON")
	}
	var args *bound.Arguments
	if t.GuessesKey {
		decoded, broken := t.Impl.Decode(raw)
		if len(broken) > 0 {
			return store.Key{}, errors.New("all arguments are the key of the tool, and these do not fit its schema")
		}
		args = decoded
	} else if args, err = keyFieldsOnly(t, raw); err != nil {
		return store.Key{}, err
	}
	named, refused := KeyOf(t, scope, args, nil)
	if refused != nil {
		return store.Key{}, refused.Cause
	}
	return named, nil
}

// keyFieldsOnly reads key fields. Those that every call has must be there,
// because no record has a partial key, and forgetting nothing would look like
// success.
func keyFieldsOnly(t *facts.ProtectedTool, raw []byte) (*bound.Arguments, error) {
	key, err := strictjson.Parse(raw, strictjson.Limits{})
	fields, isObject := key.(map[string]any)
	if err != nil || !isObject {
		return nil, errors.New("the key is not a JSON object of key fields")
	}
	for name := range fields {
		if !slices.Contains(t.Doc.Idempotency.KeyFields, name) {
			return nil, errors.New("the key has a member that is not a key field of the tool")
		}
	}
	document, err := tree.Read(t.Doc.InputSchema)
	if err != nil {
		return nil, err
	}
	name, missing := document.Root.Missing(t.Doc.Idempotency.KeyFields, fields)
	if !missing {
		name, missing = defaultMissing(document.Root, t.Doc.Idempotency.KeyFields, fields)
	}
	switch {
	case missing && name == "":
		return nil, errors.New("no call of the tool has this key")
	case missing:
		return nil, errors.New("the key lacks the key field " + name)
	}
	canonical, err := strictjson.Marshal(key)
	return &bound.Arguments{Canonical: canonical, Compared: t.Impl.Compared(canonical)}, err
}

// defaultMissing returns a key field that every call has because of its
// default, and the key lacks.
func defaultMissing(root *tree.Node, names []string, given map[string]any) (name string, missing bool) {
	applied := tree.InPlace([]*tree.Node{root}, tree.Always)
	for _, name := range names {
		if _, has := given[name]; has {
			continue
		}
		for _, n := range applied {
			declared := n.Child("properties", name)
			if declared != nil && slices.ContainsFunc(tree.InPlace([]*tree.Node{declared}, tree.Always), hasDefault) {
				return name, true
			}
		}
	}
	return "", false
}

func hasDefault(n *tree.Node) bool { return n.Has("default") }

var errRuns = errors.New("a call with the key is running")

// Forget removes the record of a call whose effect was undone, so that an equal
// call runs. There need not be one.
func (r *Records) Forget(ctx context.Context, key store.Key) error {
	ctx = context.WithoutCancel(ctx) // the effect was undone already
	record, err := r.ledger.Get(ctx, key)
	switch {
	case err != nil:
		return wrapUnreached(err)
	case record.IsAbandoned(): // whatever it did is undone
		err = r.ledger.Resolve(ctx, key, store.DidNotHappen)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		return wrapUnreached(err)
	case record.State.IsFinished():
		return r.replaceByNone(ctx, key, record)
	case record.LeaseLeft > 0:
		return errRuns
	}
	return nil // there is no record, or one that never started
}

// replaceByNone claims the record of a finished call in place of its owner, and
// releases it.
func (r *Records) replaceByNone(ctx context.Context, key store.Key, record store.Record) error {
	if record.Owner.IsZero() {
		return errors.New("an operator has settled the outcome of the call")
	}
	claim := store.Claim{
		Key: key, Owner: store.NewOwner(), Fingerprint: record.Fingerprint, Replaces: record.Owner,
		Lease: r.ledger.ShortLease(), Retention: r.ledger.ShortLease(),
	}
	claimed, err := r.ledger.Claim(ctx, claim)
	if err != nil {
		return wrapUnreached(err)
	}
	if claimed.Status != store.Claimed { // another call has replaced it meanwhile
		return errRuns
	}
	return wrapUnreached(r.ledger.Release(ctx, store.Release{Key: key, Owner: claim.Owner}))
}

// wrapUnreached returns the error of a store that was not reached, or nil.
func wrapUnreached(err error) error {
	if err == nil {
		return nil
	}
	return ledger.Unavailable("the record of calls cannot be reached", err)
}
