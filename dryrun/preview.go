package dryrun

import "time"

// A Preview says what a call would do. On the wire it is one object: the member dryRun, which is
// true, the members named below, and beside them the members of Data, which therefore is a plain struct. The zero value is a
// preview that has nothing to say.
//
// A Preview is not meant to be marshalled by itself. Who receives one owns its slices.
type Preview[D any] struct {
	// Data is what only this tool can say, such as the number of recipients. Its members stand beside
	// the others.
	Data D
	// MissingPermissions, on the wire missingPermissions, names what the caller lacks for the real
	// call beyond the permissions that the contract declares, which are checked without the preview. A
	// preview that names any lets no call through where a dry run is required.
	MissingPermissions []string
	// ExpectedSideEffects, on the wire expectedSideEffects, says in sentences for people what the real
	// call would change. None: the descriptions of the side effects that the contract declares.
	ExpectedSideEffects []string
	// Warnings, on the wire warnings, says in sentences for people what they should know before they
	// agree.
	Warnings []string
	// EstimatedDuration, on the wire estimatedDurationMs in milliseconds, says how long the real call
	// would take, rounded up. Zero and less mean no estimate.
	EstimatedDuration time.Duration
}

// erased is the preview without the type of its data.
func (p Preview[D]) erased() Preview[any] {
	return Preview[any]{
		Data:                p.Data,
		MissingPermissions:  p.MissingPermissions,
		ExpectedSideEffects: p.ExpectedSideEffects,
		Warnings:            p.Warnings,
		EstimatedDuration:   p.EstimatedDuration,
	}
}
