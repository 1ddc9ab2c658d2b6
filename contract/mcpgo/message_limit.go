package mcpgo

import (
	"math"

	"github.com/toolcontract/toolcontract/contract"
)

// envelopeBytes is the allowance for a message beyond its arguments.
const envelopeBytes = 64 << 10

// maxMessage returns how long a message may be, in bytes, so that the largest
// arguments of the tools fit.
func maxMessage(tools []*contract.Tool) int {
	limit := int64(contract.DefaultMaxArgumentBytes)
	for _, t := range tools {
		limit = max(limit, t.Document().MaxArgumentBytes)
	}
	return messageLimit(limit)
}

// messageLimit returns the limit for arguments of a size. It saturates.
func messageLimit(arguments int64) int {
	return int(min(arguments, math.MaxInt-envelopeBytes)) + envelopeBytes
}
