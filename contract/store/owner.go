package store

import "crypto/rand"

// An Owner identifies one execution of a call: 128 random bits. Every change of
// a record names its owner, so that an execution that was given up neither
// overwrites nor removes its successor's record. The zero Owner holds nothing,
// and stores refuse it.
type Owner [16]byte

// NewOwner returns a new random owner.
func NewOwner() Owner {
	var o Owner
	rand.Read(o[:]) // never fails
	return o
}

// IsZero reports whether o is the zero Owner.
func (o Owner) IsZero() bool { return o == Owner{} }
