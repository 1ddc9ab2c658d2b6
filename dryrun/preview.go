package dryrun

import "time"

// A Preview describes what a call would do. On the wire it is one object: the
// member dryRun, which is true, the members named below, and next to them the
// members of Data, so Data must be a plain struct. The zero value is an empty
// preview.
//
// A Preview is not meant to be marshalled by itself. Its receiver owns its
// slices.
type Preview[D any] struct {
	// Data is specific to the tool, such as the number of recipients. Its
	// members are next to the others.
	Data D
	// MissingPermissions, on the wire missingPermissions, lists permissions
	// that the caller lacks for the real call, beyond those of the contract,
	// which are checked without the preview. If a dry run is required, a
	// preview with missing permissions admits no call.
	MissingPermissions []string
	// ExpectedSideEffects, on the wire expectedSideEffects, describes in
	// sentences for people what the real call would change. Default: the
	// descriptions of the side effects that the contract declares.
	ExpectedSideEffects []string
	// Warnings, on the wire warnings, are sentences for the person who decides
	// about the call.
	Warnings []string
	// EstimatedDuration, on the wire estimatedDurationMs in milliseconds and
	// rounded up, estimates the real call. Zero or less means no estimate.
	EstimatedDuration time.Duration
}

// erased returns the preview without the type of its data.
func (p Preview[D]) erased() Preview[any] {
	return Preview[any]{
		Data:                p.Data,
		MissingPermissions:  p.MissingPermissions,
		ExpectedSideEffects: p.ExpectedSideEffects,
		Warnings:            p.Warnings,
		EstimatedDuration:   p.EstimatedDuration,
	}
}
