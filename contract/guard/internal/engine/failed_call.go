package engine

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract/store"
)

// maxUnresolved bounds the executions of one key that are remembered as
// unresolved. Beyond it, calls with other arguments are refused, so that no
// execution is forgotten.
const maxUnresolved = 64

// unresolved are the fingerprints of executions under one key whose handlers
// reported a failure without declaring its effects. A call with the arguments
// of one of them runs again only if onUnknown declares a rerun. Calls with
// other arguments run, because a failed call does not hold its key.
type unresolved []store.Digest

// A takeover describes how a claim takes a record that another claim has left.
type takeover struct {
	fingerprint store.Digest
	replaces    store.Owner // zero: the record can be taken without it
	earlier     unresolved
}

// afterFailure returns what a record means for this call if its key is free for
// other arguments. It returns false for every other record. It also returns
// false for a record that this guard cannot compare, because it lacks the
// sealing key.
func (a *agreed) afterFailure(record store.Record, same bool) (store.ClaimStatus, takeover, bool) {
	next := takeover{fingerprint: a.fingerprint(), replaces: record.Owner}
	switch record.State {
	case store.Failed:
		return store.Claimed, next, !same
	case store.Unknown:
		raw, err := a.engine.unresolved.Open(record.Result, listedFor(a.keyOf()))
		if err != nil {
			return 0, takeover{}, false
		}
		for each := range slices.Chunk(raw, len(store.Digest{})) {
			next.earlier = append(next.earlier, store.Digest(each))
		}
		own, known := next.earlier.has(a)
		if own && !a.reruns() {
			return store.Abandoned, takeover{}, true
		}
		return store.Claimed, next, own || known
	case store.NoRecord, store.InProgress, store.Completed:
	}
	return 0, takeover{}, false
}

// has reports whether an execution had the arguments of this call, and whether
// all of them could be compared.
func (u unresolved) has(a *agreed) (own, known bool) {
	known = true
	for _, f := range u {
		same, compared := a.engine.ledger.Recognise(f, a.keyOf(), a.args.Canonical)
		if same {
			return true, true
		}
		known = known && compared
	}
	return false, known
}

// remember returns the completion of a call whose key is free for all arguments
// except those of these executions. It returns false if there are too many.
func (a *agreed) remember(owner store.Owner, of unresolved) (store.Completion, bool) {
	if len(of) > maxUnresolved {
		return store.Completion{}, false
	}
	var raw []byte
	for _, f := range of {
		raw = append(raw, f[:]...)
	}
	return store.Completion{
		Key: a.keyOf(), Owner: owner, State: store.Unknown, Retention: a.retention(),
		Result: a.engine.unresolved.Seal(raw, listedFor(a.keyOf())),
	}, true
}

// listedFor returns the name that binds a list to the key of its record.
func listedFor(key store.Key) string { return string(key.ID[:]) }
