package records

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/toolcontract/toolcontract/internal/operation"
	"github.com/toolcontract/toolcontract/store"
)

// maxUnresolved bounds the executions of one key that are remembered as
// unresolved. Beyond it, calls with other arguments are refused, so that no
// execution is forgotten.
const maxUnresolved = 64

// unresolved are executions under one key whose handlers reported a failure
// without declaring its effects. A call with the arguments of one of them runs
// again only if onUnknown declares a rerun. Calls with other arguments run,
// because a failed call does not hold its key.
type unresolved []failedExecution

// A failedExecution has the fingerprint that its arguments have in generation
// 0, whatever its generation was.
type failedExecution struct {
	Fingerprint store.Digest
	Generation  uint16
}

// MarshalJSON writes the fingerprints alone if all executions are of generation
// 0, as earlier versions of the library did.
func (u unresolved) MarshalJSON() ([]byte, error) {
	raw := []byte{}
	for _, x := range u {
		if x.Generation > 0 {
			return json.Marshal([]failedExecution(u))
		}
		raw = append(raw, x.Fingerprint[:]...)
	}
	return json.Marshal(raw)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (u *unresolved) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, (*[]failedExecution)(u))
	}
	var raw []byte
	err := json.Unmarshal(data, &raw)
	for each := range slices.Chunk(raw, len(store.Digest{})) {
		var x failedExecution
		copy(x.Fingerprint[:], each)
		*u = append(*u, x)
	}
	return err
}

// A takeover describes how a claim takes over a record that another claim has
// left.
type takeover struct {
	operation.Execution // of the claim

	Fingerprint store.Digest
	Replaces    store.Owner // zero: the record can be taken without it
	Rerun       bool        // the record is abandoned
	Ends        bool        // an execution must end before it can be replaced
	Earlier     unresolved
}

// An Allowed is an answer of the system that lets a call run. It is valid for as
// long as the record has the same owner, because a person may have to decide
// about the call first.
type Allowed struct {
	run   takeover
	owner store.Owner
}

// inNextGeneration returns the takeover of a record by the same call in the
// generation after that of the record. It returns false after the last one.
func (r *Records) inNextGeneration(e *CallEntry, record store.Record) (takeover, bool) {
	next := e.executionOf(record).Generation + 1
	return r.inGeneration(e, record, next), next <= operation.MaxGeneration
}

// inGeneration returns the takeover of a record by a call of a generation.
func (r *Records) inGeneration(e *CallEntry, record store.Record, generation uint16) takeover {
	return takeover{
		Execution: operation.Execution{Generation: generation}, Fingerprint: r.fingerprint(e, generation), Replaces: record.Owner,
	}
}

// afterFailure returns what a record means for this call if the record leaves
// its key free for other arguments. It returns false for every other record,
// and for one that this guard cannot compare because it lacks the sealing key.
func (r *Records) afterFailure(e *CallEntry, record store.Record, same bool) (store.ClaimStatus, takeover, bool) {
	next, ok := r.inNextGeneration(e, record)
	if !ok {
		return 0, takeover{}, false
	}
	switch record.State {
	case store.Failed:
		return store.Claimed, next, !same
	case store.Unknown:
		earlier, err := r.unresolved.Open(record.Result, listName(e.ID()))
		if err != nil {
			return 0, takeover{}, false
		}
		if len(earlier) == 0 {
			return store.Claimed, r.inGeneration(e, record, next.Generation-1), true
		}
		next.Earlier = earlier
		own, known := r.has(e, earlier)
		switch {
		case own < 0:
			return store.Claimed, next, known
		case !e.reruns():
			return store.Abandoned, takeover{}, true
		}
		next.Generation--
		behind := next.Generation - earlier[own].Generation
		if behind > math.MaxUint8 { // its owner cannot tell with which key it runs
			return store.Abandoned, takeover{}, true
		}
		next.Behind = uint8(behind)
		next.Fingerprint = r.fingerprint(e, next.Generation)
		return store.Claimed, next, true
	case store.NoRecord, store.InProgress, store.Completed:
	}
	return 0, takeover{}, false
}

// has returns the index of the last execution that had the arguments of this
// call, or -1, and whether all of them could be compared.
func (r *Records) has(e *CallEntry, earlier unresolved) (own int, known bool) {
	known = true
	for i, x := range slices.Backward(earlier) {
		same, compared := r.ledger.Recognise(x.Fingerprint, e.ID(), e.Args.Compared)
		if same {
			return i, true
		}
		known = known && compared
	}
	return -1, known
}

// remember returns the completion of a call whose key is free for all arguments
// except those of these executions. It returns false if there are too many.
func (r *Records) remember(e *CallEntry, owner store.Owner, of unresolved) (store.Completion, bool) {
	if len(of) > maxUnresolved {
		return store.Completion{}, false
	}
	return store.Completion{
		Key: e.ID(), Owner: owner, State: store.Unknown, Retention: e.Retention(),
		Result: r.unresolved.Seal(of, listName(e.ID())),
	}, true
}

// listName returns the name that binds a list to the key of its record.
func listName(key store.Key) string { return string(key.ID[:]) }
