package adapter

import (
	"math"

	"github.com/toolcontract/toolcontract/internal/bound"
)

// envelopeBytes is the allowance for a message beyond its arguments.
const envelopeBytes = 64 << 10

// MaxMessageBytes returns how long a message may be, in bytes, so that the
// largest arguments of the tools fit: their size, and 64 KiB for the rest.
func (t *Table) MaxMessageBytes() int {
	limit := int64(bound.DefaultArgumentBytes)
	for _, tool := range t.set.Tools() {
		limit = max(limit, tool.Document().MaxArgumentBytes)
	}
	return messageLimit(limit)
}

// messageLimit returns the limit for arguments of a size. It saturates.
func messageLimit(arguments int64) int {
	return int(min(arguments, math.MaxInt-envelopeBytes)) + envelopeBytes
}
