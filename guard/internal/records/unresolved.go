package records

import (
	"slices"

	"github.com/toolcontract/toolcontract/store"
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

// A takeover describes how a claim takes over a record that another claim has
// left.
type takeover struct {
	Fingerprint store.Digest
	Replaces    store.Owner // zero: the record can be taken without it
	Earlier     unresolved
}

// afterFailure returns what a record means for this call if the record leaves
// its key free for other arguments. It returns false for every other record,
// and for one that this guard cannot compare because it lacks the sealing key.
func (r *Records) afterFailure(e *CallEntry, record store.Record, same bool) (store.ClaimStatus, takeover, bool) {
	next := takeover{Fingerprint: r.fingerprint(e), Replaces: record.Owner}
	switch record.State {
	case store.Failed:
		return store.Claimed, next, !same
	case store.Unknown:
		raw, err := r.unresolved.Open(record.Result, listName(e.ID()))
		if err != nil {
			return 0, takeover{}, false
		}
		for each := range slices.Chunk(raw, len(store.Digest{})) {
			next.Earlier = append(next.Earlier, store.Digest(each))
		}
		own, known := r.has(e, next.Earlier)
		if own && !e.reruns() {
			return store.Abandoned, takeover{}, true
		}
		return store.Claimed, next, own || known
	case store.NoRecord, store.InProgress, store.Completed:
	}
	return 0, takeover{}, false
}

// has reports whether an execution had the arguments of this call, and whether
// all of them could be compared.
func (r *Records) has(e *CallEntry, earlier unresolved) (own, known bool) {
	known = true
	for _, f := range earlier {
		same, compared := r.ledger.Recognise(f, e.ID(), e.Args.Compared)
		if same {
			return true, true
		}
		known = known && compared
	}
	return false, known
}

// remember returns the completion of a call whose key is free for all arguments
// except those of these executions. It returns false if there are too many.
func (r *Records) remember(e *CallEntry, owner store.Owner, of unresolved) (store.Completion, bool) {
	if len(of) > maxUnresolved {
		return store.Completion{}, false
	}
	var raw []byte
	for _, f := range of {
		raw = append(raw, f[:]...)
	}
	return store.Completion{
		Key: e.ID(), Owner: owner, State: store.Unknown, Retention: e.Retention(),
		Result: r.unresolved.Seal(raw, listName(e.ID())),
	}, true
}

// listName returns the name that binds a list to the key of its record.
func listName(key store.Key) string { return string(key.ID[:]) }
