package store

import "fmt"

// A Release gives up the record of an execution that had no effect.
type Release struct {
	// Key names the record.
	Key Key
	// Owner is the owner that claimed the record.
	Owner Owner
	// Nonce is the key of the nonce of the claim, if the nonce must count as
	// unspent again because the execution never began. It is given back in the
	// same step, and only if the owner has spent it. It has the partition of
	// Key. The zero Key is none.
	Nonce Key
}

// Validate returns an error that wraps [ErrInvalid] if the release breaks the
// rules of its fields. Every store refuses such a release and changes nothing.
func (r Release) Validate() error {
	if err := validateOwned("release", r.Key, r.Owner); err != nil {
		return err
	}
	if !r.Nonce.IsZero() && r.Nonce.Partition != r.Key.Partition {
		return fmt.Errorf("%w: release: the nonce is of another partition than the key", ErrInvalid)
	}
	return nil
}
