package ledger

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/internal/keyring"
)

// A ValueSealer seals values of one type as JSON: into bytes for the store, or
// into a text that a client carries. Every value is bound to a name, and opens
// only under that name and with a key of the same ledger. [SealerOf] makes one.
type ValueSealer[T any] struct {
	sealer *keyring.Sealer
	decode func([]byte, any) error
}

// SealerOf returns the sealer of values of one type. The function decode reads
// the JSON; nil means [json.Unmarshal].
func SealerOf[T any](l *Ledger, p Purpose, decode func([]byte, any) error) ValueSealer[T] {
	if decode == nil {
		decode = json.Unmarshal
	}
	return ValueSealer[T]{sealer: l.ring.For(string(p)), decode: decode}
}

// Seal returns a value for the store, or nil if it cannot be written as JSON.
func (r ValueSealer[T]) Seal(value T, name string) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return r.sealer.Seal(raw, []byte(name))
}

// Open reverses Seal.
func (r ValueSealer[T]) Open(sealed []byte, name string) (T, error) {
	var value T
	raw, err := r.sealer.Open(sealed, []byte(name))
	if err == nil {
		err = r.decode(raw, &value)
	}
	return value, err
}

// SealText returns a value as a text for a client, or "" if it cannot be
// written as JSON.
func (r ValueSealer[T]) SealText(value T, name string) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return r.sealer.SealText(raw, []byte(name))
}

// OpenText reverses SealText.
func (r ValueSealer[T]) OpenText(text, name string) (T, error) {
	var value T
	raw, err := r.sealer.OpenText(text, []byte(name))
	if err == nil {
		err = r.decode(raw, &value)
	}
	return value, err
}
