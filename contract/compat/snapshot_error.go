package compat

import (
	"errors"

	"github.com/toolcontract/toolcontract/contract/internal/mistake"
)

// ErrSnapshot matches every [SnapshotError] with [errors.Is].
var ErrSnapshot = errors.New("compat: snapshot")

// The rules of a [SnapshotError]. Mistakes in the JSON itself have rules that
// begin with "json.".
const (
	ruleSnapshotFormat    = "snapshot.format"    // a format that this version does not read
	ruleSnapshotTool      = "snapshot.tool"      // a tool that is nil, has no name, or cannot be written again
	ruleSnapshotDuplicate = "snapshot.duplicate" // a name that occurs twice
)

// A SnapshotError is one mistake in a snapshot. It holds no value of the
// snapshot.
type SnapshotError struct {
	// Rule is a stable identifier, such as "snapshot.duplicate".
	Rule string
	// Where is an RFC 6901 JSON Pointer into the snapshot. In errors of
	// [NewSnapshot], "/tools/2" is the third tool given. Empty: the whole
	// snapshot.
	Where string
	// Message is the mistake in words.
	Message string
	// Remedy is the advice for this mistake. It may be empty.
	Remedy string
}

// Error returns "compat: snapshot: [RULE] WHERE: MESSAGE; REMEDY" without the
// empty parts.
func (e *SnapshotError) Error() string {
	if e.Where == "" && e.Remedy == "" {
		return "compat: snapshot: [" + e.Rule + "] " + e.Message
	}
	return "compat: snapshot: " + mistake.Text(e.Rule, e.Where, e.Message, e.Remedy)
}

// Is reports whether target is [ErrSnapshot].
func (e *SnapshotError) Is(target error) bool { return target == ErrSnapshot }
