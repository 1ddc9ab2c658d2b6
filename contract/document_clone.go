package contract

import (
	"bytes"
	"maps"
	"slices"
)

// Clone returns a deep copy of d. Values in Metadata and Unknown are shared.
// They are plain JSON and must not be changed.
func (d Document) Clone() Document {
	d.Metadata, d.Unknown = maps.Clone(d.Metadata), maps.Clone(d.Unknown)
	d.Deprecated, d.StepUp = clonePointer(d.Deprecated), clonePointer(d.StepUp)
	d.RateLimit, d.TotalRateLimit = clonePointer(d.RateLimit), clonePointer(d.TotalRateLimit)
	d.RetryBudget = clonePointer(d.RetryBudget)
	if d.Idempotency = clonePointer(d.Idempotency); d.Idempotency != nil {
		d.Idempotency.KeyFields = slices.Clone(d.Idempotency.KeyFields)
	}
	d.Aliases, d.Permissions, d.DiscoverWith = slices.Clone(d.Aliases), slices.Clone(d.Permissions), slices.Clone(d.DiscoverWith)
	d.Lenient, d.Reads = slices.Clone(d.Lenient), slices.Clone(d.Reads)
	d.SideEffects, d.FailureModes = slices.Clone(d.SideEffects), slices.Clone(d.FailureModes)
	d.InputSchema, d.OutputSchema = bytes.Clone(d.InputSchema), bytes.Clone(d.OutputSchema)
	return d
}

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}
