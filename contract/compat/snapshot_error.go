package compat

import "errors"

// ErrSnapshot matches every [SnapshotError] with [errors.Is].
var ErrSnapshot = errors.New("contract: snapshot")

// The rules of a [SnapshotError]. Mistakes in the JSON itself have rules that
// begin with "json.".
const (
	RuleSnapshotFormat    = "snapshot.format"    // a format that this version does not read
	RuleSnapshotTool      = "snapshot.tool"      // a tool that is nil, has no name, or cannot be written again
	RuleSnapshotDuplicate = "snapshot.duplicate" // a name that occurs twice
)

// A SnapshotError is one mistake in a snapshot. It holds no value of the
// snapshot.
type SnapshotError struct {
	// Rule is a stable identifier, such as [RuleSnapshotDuplicate].
	Rule string
	// Pointer is an RFC 6901 JSON Pointer into the snapshot. In errors of
	// [NewSnapshot], "/tools/2" is the third tool given. Empty: the whole
	// snapshot.
	Pointer string
	// Message says what is wrong.
	Message string
}

// Error returns "contract: snapshot: [RULE] POINTER: MESSAGE" without an empty
// pointer.
func (e *SnapshotError) Error() string {
	if e.Pointer == "" {
		return "contract: snapshot: [" + e.Rule + "] " + e.Message
	}
	return "contract: snapshot: [" + e.Rule + "] " + e.Pointer + ": " + e.Message
}

// Is reports whether target is [ErrSnapshot].
func (e *SnapshotError) Is(target error) bool { return target == ErrSnapshot }
