// Package operation names what a recorded call does: once for its caller, and
// once for the system that has the effect. It also encodes which execution of
// the call holds a record.
package operation

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// An Operation is the one effect that calls with the same key may have. The zero
// value is none.
type Operation struct {
	// ID is the ID of the record's key.
	ID [32]byte
	// Generation counts how often the record was given up so that the same call
	// may run anew. It never falls while a record remembers it.
	Generation uint16
}

// MaxGeneration is the last generation of a record.
const MaxGeneration = 1<<14 - 1

// IsZero reports whether o is none.
func (o Operation) IsZero() bool { return o.ID == [32]byte{} }

// Key returns the key under which a system deduplicates the operation, 64
// hexadecimal characters. In generation 0 it is the ID. Later it is SHA-256 over
// the generation, as eight bytes, and the ID.
func (o Operation) Key() string {
	if o.Generation == 0 {
		return hex.EncodeToString(o.ID[:])
	}
	message := binary.BigEndian.AppendUint64(nil, uint64(o.Generation))
	sum := sha256.Sum256(append(message, o.ID[:]...))
	return hex.EncodeToString(sum[:])
}

const prefix = "op_"

// String returns the name of the operation for its caller, or "" for none:
// "op_" and the base64url form of the ID and the generation.
func (o Operation) String() string {
	if o.IsZero() {
		return ""
	}
	var room [64]byte
	raw := binary.BigEndian.AppendUint16(append(room[:0], o.ID[:]...), o.Generation)
	var text [64]byte
	return string(base64.RawURLEncoding.AppendEncode(append(text[:0], prefix...), raw))
}

// Parse reverses String. It reports false for any other text.
func Parse(text string) (Operation, bool) {
	encoded, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return Operation{}, false
	}
	var o Operation
	raw, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil || len(raw) != len(o.ID)+2 {
		return Operation{}, false
	}
	o.ID = [32]byte(raw[:32])
	o.Generation = binary.BigEndian.Uint16(raw[len(o.ID):])
	return o, o.Generation <= MaxGeneration && o.String() == text // the decoder skips line ends
}
