package compat

import "errors"

// ErrSnapshot matches, with [errors.Is], every [SnapshotError].
var ErrSnapshot = errors.New("contract: snapshot")

// The rules a [SnapshotError] can name, besides those of JSON itself, which
// begin with "json.".
const (
	RuleSnapshotFormat    = "snapshot.format"    // another format than this version reads
	RuleSnapshotTool      = "snapshot.tool"      // a tool that is nil, has no name, or could not be written again
	RuleSnapshotDuplicate = "snapshot.duplicate" // a name that stands twice
)

// A SnapshotError is one thing wrong with a snapshot. It holds none of its
// values.
type SnapshotError struct {
	// Rule is a stable identifier, such as [RuleSnapshotDuplicate].
	Rule string
	// Pointer is an RFC 6901 JSON Pointer into the snapshot; of [NewSnapshot],
	// "/tools/2" is the third tool given.
	Pointer string
	// Message says what is wrong.
	Message string
}

// Error returns "contract: snapshot: [RULE] POINTER: MESSAGE".
func (e *SnapshotError) Error() string {
	if e.Pointer == "" {
		return "contract: snapshot: [" + e.Rule + "] " + e.Message
	}
	return "contract: snapshot: [" + e.Rule + "] " + e.Pointer + ": " + e.Message
}

// Is reports whether target is [ErrSnapshot].
func (e *SnapshotError) Is(target error) bool { return target == ErrSnapshot }
