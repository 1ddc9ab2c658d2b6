package records

import (
	"slices"
	"time"

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

// executionOf returns what a record's owner encodes. For an owner that an earlier
// version of the library made, it is zero.
func (e *CallEntry) executionOf(record store.Record) operation.Execution {
	x, _ := operation.ExecutionOf(record.Owner, e.ID().ID, e.Tool.Identity)
	return x
}

// owner returns a new owner for an execution. If the key is that of a person's
// answer, it allows one execution only, so its owner encodes nothing.
func (e *CallEntry) owner(x operation.Execution) store.Owner {
	if e.Key.IsZero() {
		return store.NewOwner()
	}
	if x.Began.IsZero() {
		x.Began = time.Now()
	}
	return x.Owner(e.Key.ID, e.Tool.Identity)
}

// Operation returns the operation of an execution. It returns none for a call
// without a key, or if its ID would help to guess a secret argument.
func (e *CallEntry) Operation(x operation.Execution) operation.Operation {
	if e.Key.IsZero() || e.hidesOperation() {
		return operation.Operation{}
	}
	return x.Of(e.Key.ID)
}

// hidesOperation reports whether the key of the call contains a secret argument.
// The ID is a hash of the key, which is easy to guess if there are few arguments.
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

// recognise reports whether a fingerprint is of the arguments of this call, in
// any generation, and whether the two can be compared.
func (r *Records) recognise(e *CallEntry, found store.Digest) (same, known bool) {
	same, known = r.ledger.Recognise(found, e.ID(), e.compared(0))
	if !same && known && !e.Key.IsZero() {
		same, known = r.ledger.Recognise(found, e.ID(), e.compared(1))
	}
	return same, known
}
