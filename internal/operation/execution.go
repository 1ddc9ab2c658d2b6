package operation

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// An Execution is what the owner of a record encodes. Owners are opaque bytes to
// stores, so stores need not know about it.
type Execution struct {
	// Generation is the highest one under which an execution of the call began.
	Generation uint16
	// Behind is by how many generations this execution is older than Generation,
	// because it repeats a failed one with the same arguments.
	Behind uint8
	// Began is when the call was first claimed in its generation, in whole
	// seconds, by the clock of the process that claimed it.
	Began time.Time
	// Ending is why the record was given up.
	Ending Ending
}

// Of returns the operation that an execution of the call with the ID of a key
// carries out.
func (x Execution) Of(id [32]byte) Operation {
	return Operation{ID: id, Generation: x.Generation - min(uint16(x.Behind), x.Generation)}
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
// bits and the generation in 14, the time in seconds since 1970, how far the
// execution is behind, and 40 random bits, in which two claims on one record in
// the same second must differ. Owners made by earlier versions of the library are
// random, so their tags do not match.
const (
	tagEnd        = 4
	generationEnd = 6
	beganEnd      = 10
	behindEnd     = 11
	endingShift   = 14
)

// Owner returns a new owner of the record of a tool's call. id is that of the
// record's key, and tool is the oldest name of the tool.
func (x Execution) Owner(id [32]byte, tool string) [16]byte {
	var o [16]byte
	rand.Read(o[behindEnd:]) // never fails
	tag := tagOf(id, tool)
	copy(o[:tagEnd], tag[:])
	binary.BigEndian.PutUint16(o[tagEnd:], uint16(x.Ending)<<endingShift|x.Generation)
	binary.BigEndian.PutUint32(o[generationEnd:], uint32(x.Began.Unix())) //nolint:gosec // until 2106
	o[beganEnd] = x.Behind
	return o
}

// ExecutionOf returns what the owner of a tool's record encodes. It reports false
// for an owner that [Execution.Owner] did not make for this record and tool.
func ExecutionOf(o [16]byte, id [32]byte, tool string) (Execution, bool) {
	tag := tagOf(id, tool)
	if [tagEnd]byte(o[:tagEnd]) != tag {
		return Execution{}, false
	}
	x, _ := decode(o) // the clock of its process may have been wrong
	return x, true
}

// decode returns what an owner encodes if [Execution.Owner] made it. Almost all
// other owners are not plausible, because their time is too far away.
func decode(o [16]byte) (x Execution, plausible bool) {
	number := binary.BigEndian.Uint16(o[tagEnd:])
	x = Execution{
		Generation: number & MaxGeneration, Ending: Ending(number >> endingShift),
		Began: time.Unix(int64(binary.BigEndian.Uint32(o[generationEnd:])), 0), Behind: o[beganEnd],
	}
	age := time.Since(x.Began)
	return x, -day < age && age < maxAge
}

// The time of an owner is at most a day ahead, as clocks differ, and no older
// than records are kept.
const (
	day    = 24 * time.Hour
	maxAge = 400 * day
)

func tagOf(id [32]byte, tool string) [tagEnd]byte {
	var room [128]byte
	sum := sha256.Sum256(append(append(room[:0], id[:]...), tool...))
	return [tagEnd]byte(sum[:])
}

// IsGivenUp reports whether the owner of a record has left it free for the next
// call.
func IsGivenUp(o [16]byte) bool {
	x, plausible := decode(o)
	return plausible && x.Ending != 0
}

// Settled returns a new owner that gives up the record of o in the same
// generation, without knowing the tool. It reports false if o encodes no
// execution, or one that was given up already.
func Settled(o [16]byte, why Ending) (settled [16]byte, ok bool) {
	x, plausible := decode(o)
	number := binary.BigEndian.Uint16(o[tagEnd:])&MaxGeneration | uint16(why)<<endingShift
	binary.BigEndian.PutUint16(o[tagEnd:], number)
	rand.Read(o[behindEnd:]) // never fails
	return o, plausible && x.Ending == 0
}
