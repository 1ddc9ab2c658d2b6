package store

import "crypto/rand"

// An Owner is who holds a record: 128 random bits, made for one execution. Every change of a record
// names its owner, so that an execution which was given up neither overwrites nor deletes its
// successor's record. The zero Owner holds nothing, and stores refuse it.
type Owner [16]byte

// NewOwner returns an owner that nobody else is.
func NewOwner() Owner {
	var o Owner
	rand.Read(o[:]) // never fails
	return o
}

// IsZero reports whether o is the zero Owner.
func (o Owner) IsZero() bool { return o == Owner{} }
