package operation

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// An Execution is what the owner of a record tells about it. Stores take an
// owner for opaque bytes, so this needs no operation and no format of theirs.
type Execution struct {
	// Generation is the highest one under which an execution of the call began.
	Generation uint16
	// Behind is how many generations before that this execution began, because
	// it repeats a failed one with the arguments of that.
	Behind uint8
	// Began is when the call was first claimed in its generation, in whole
	// seconds, by the clock of the process that claimed it.
	Began time.Time
	// Ending is why the record was given up.
	Ending Ending
}

// Of returns the operation that an execution of the call with a key carries
// out.
func (x Execution) Of(key store.Key) Operation {
	return Operation{ID: key.ID, Generation: x.Generation - min(uint16(x.Behind), x.Generation)}
}

// An Ending is why a record was given up, so that the same call may run. The
// zero value means that it was not.
type Ending uint8

const (
	// Undone means that the effect was undone.
	Undone Ending = 1
	// DidNotHappen means that an operator has settled that there was no effect.
	DidNotHappen Ending = 2
)

// The layout of an owner: a tag of the tool and the record, the ending in two
// bits with the generation in 14, the time in seconds since 1970, how far the
// execution is behind, and 40 random bits: two claims on one record in the same
// second must differ in them. Owners of earlier versions of the library are random, so their tags do
// not match.
const (
	tagEnd        = 4
	generationEnd = 6
	beganEnd      = 10
	behindEnd     = 11
	endingShift   = 14
)

// Owner returns a new owner of the record of a tool's call. tool is the oldest
// name of the tool.
func (x Execution) Owner(key store.Key, tool string) store.Owner {
	o := store.NewOwner()
	tag := tagOf(key, tool)
	copy(o[:tagEnd], tag[:])
	binary.BigEndian.PutUint16(o[tagEnd:], uint16(x.Ending)<<endingShift|x.Generation)
	binary.BigEndian.PutUint32(o[generationEnd:], uint32(x.Began.Unix())) //nolint:gosec // until 2106
	o[beganEnd] = x.Behind
	return o
}

// ExecutionOf returns what the owner of a tool's record tells. It reports false
// for an owner that was made otherwise, or for another tool.
func ExecutionOf(o store.Owner, key store.Key, tool string) (Execution, bool) {
	tag := tagOf(key, tool)
	if [tagEnd]byte(o[:tagEnd]) != tag {
		return Execution{}, false
	}
	return decode(o)
}

// decode returns what an owner tells if it was made by [Execution.Owner]. The
// time of almost all other owners is too far away.
func decode(o store.Owner) (x Execution, plausible bool) {
	number := binary.BigEndian.Uint16(o[tagEnd:])
	x = Execution{
		Generation: number & MaxGeneration, Ending: Ending(number >> endingShift),
		Began: time.Unix(int64(binary.BigEndian.Uint32(o[generationEnd:])), 0), Behind: o[beganEnd],
	}
	age := time.Since(x.Began)
	return x, -day < age && age < maxAge
}

// The time of an owner is no further away than the clocks of two machines, and
// than records are kept.
const (
	day    = 24 * time.Hour
	maxAge = 400 * day
)

func tagOf(key store.Key, tool string) [tagEnd]byte {
	var room [128]byte
	sum := sha256.Sum256(append(append(room[:0], key.ID[:]...), tool...))
	return [tagEnd]byte(sum[:])
}

// IsGivenUp reports whether the owner of a record has left it free for the next
// call.
func IsGivenUp(o store.Owner) bool {
	x, plausible := decode(o)
	return plausible && x.Ending != 0
}

// settled returns a new owner for a record that is given up without its tool
// being known. It tells of the same generation as o.
func settled(o store.Owner, why Ending) store.Owner {
	number := binary.BigEndian.Uint16(o[tagEnd:])&MaxGeneration | uint16(why)<<endingShift
	binary.BigEndian.PutUint16(o[tagEnd:], number)
	rand.Read(o[behindEnd:]) // never fails
	return o
}
