package adapter

import (
	"math"

	"github.com/toolcontract/toolcontract/internal/bound"
)

// envelopeBytes is the allowance for a message beyond its arguments.
const envelopeBytes = 64 << 10

// MaxMessageBytes returns the maximum length of a message in bytes: the tools'
// largest arguments plus 64 KiB.
func (t *Table) MaxMessageBytes() int {
	limit := int64(bound.DefaultArgumentBytes)
	for _, tool := range t.set.Tools() {
		limit = max(limit, tool.Document().MaxArgumentBytes)
	}
	return messageLimit(limit)
}

// messageLimit returns the limit for arguments of the given size. It saturates.
func messageLimit(arguments int64) int {
	return int(min(arguments, math.MaxInt-envelopeBytes)) + envelopeBytes
}
