// Package mail has failures and functions that package tools uses.
package mail

import (
	"errors"

	"github.com/toolcontract/toolcontract/contract"
)

var (
	ErrFull = contract.Retryable("mailbox_full", "The mailbox is full.")
	ErrGone = contract.Fatal("mailbox_gone", "The mailbox is gone.") // want `neverReturned\] notes.mailed: failureModes: mailbox_gone`

	// ErrOffline is no failure.
	ErrOffline = errors.New("offline")
)

// Check returns a failure, for an empty name.
func Check(name string) error {
	if name == "" {
		return ErrFull.At("/name")
	}
	return nil
}

// Mapped returns a failure for an error that is none.
func Mapped(err error) error {
	if err == nil || errors.Is(err, ErrGone) {
		return err
	}
	return ErrFull.Wrap(err)
}

// A Store can be anything.
type Store interface{ Save() error }
