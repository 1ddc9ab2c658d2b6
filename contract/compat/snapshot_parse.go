package compat

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/mistake"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// ParseSnapshot reads a snapshot. Unknown members, duplicate names of members
// or tools, bad UTF-8, unknown values of enums, and other formats are errors,
// each a [*SnapshotError] with its pointer. The error joins all of them, but if
// the JSON itself is wrong it is the first one only. The tools may be in any
// order. A snapshot without the member names is of an older version, which
// listed dotted names.
func ParseSnapshot(data []byte) (Snapshot, error) {
	var read struct {
		Format int               `json:"format"`
		Names  contract.Naming   `json:"names"`
		Tools  []json.RawMessage `json:"tools"`

		Capabilities map[string][]string `json:"capabilities"`
	}
	read.Names = contract.Dotted
	if _, err := strictjson.Parse(data, snapshotLimits()); err != nil {
		return Snapshot{}, snapshotSyntax(err)
	}
	if err := strictjson.Unmarshal(data, &read); err != nil {
		return Snapshot{}, snapshotSyntax(err)
	}
	s := Snapshot{Format: read.Format, Names: read.Names, Tools: make([]contract.Document, len(read.Tools)),
		Capabilities: sortedCapabilities(read.Capabilities)}
	var errs []error
	if s.Format != snapshotFormat {
		errs = append(errs, &SnapshotError{Rule: ruleSnapshotFormat, Where: "/format",
			Message: fmt.Sprintf("must be %d", snapshotFormat)})
	}
	for i, raw := range read.Tools {
		d, err := readSnapshotTool(raw, jsonptr.AppendIndex("/tools", i))
		if syntax, ok := errors.AsType[*strictjson.Error](err); ok {
			return Snapshot{}, snapshotSyntax(syntax)
		}
		if err != nil {
			errs = append(errs, err)
		}
		s.Tools[i] = d
	}
	errs = append(errs, s.duplicates()...)
	if len(errs) > 0 {
		return Snapshot{}, errors.Join(errs...)
	}
	s.Tools = s.sorted()
	return s, nil
}

// readSnapshotTool reads one tool strictly, and checks what a snapshot demands
// of it.
func readSnapshotTool(raw json.RawMessage, pointer string) (contract.Document, error) {
	d, err := contract.ParseDocument(raw)
	if syntax, ok := errors.AsType[*strictjson.Error](err); ok {
		inSnapshot := *syntax
		inSnapshot.Pointer = pointer + syntax.Pointer
		return d, &inSnapshot
	}
	var head struct {
		Format int    `json:"format"`
		Name   string `json:"name"`
	}
	_ = json.Unmarshal(raw, &head) // ParseDocument has read it
	switch {
	case head.Format != contract.Format:
		return d, &SnapshotError{Rule: ruleSnapshotFormat, Where: pointer + "/format", Message: fmt.Sprintf("must be %d",
			contract.Format)}
	case head.Name == "":
		return d, &SnapshotError{Rule: ruleSnapshotTool, Where: pointer + "/name", Message: "is missing"}
	case err != nil:
		return d, &SnapshotError{Rule: ruleSnapshotTool, Where: pointer,
			Message: "lacks the mode of its idempotency, or the class or " +
				"the origin of a failure"}
	case !d.SecurityLevel.IsValid():
		return d, &SnapshotError{Rule: ruleSnapshotTool, Where: pointer + "/securityLevel", Message: "is larger than 10"}
	}
	if _, err := d.Digest(); err != nil {
		return d, &SnapshotError{Rule: ruleSnapshotTool, Where: pointer,
			Message: "has a schema or metadata that cannot be written as " +
				"unambiguous JSON"}
	}
	return d, nil
}

// snapshotSyntax returns an error of the JSON reader as a [SnapshotError].
// Errors of binding get another message, because theirs would name Go types.
func snapshotSyntax(err error) error {
	out := &SnapshotError{Rule: strictjson.RuleSyntax, Message: "is not the JSON of a snapshot"}
	if syntax, ok := errors.AsType[*strictjson.Error](err); ok {
		out.Rule, out.Where, out.Message = syntax.Rule, syntax.Pointer, syntax.Message
	}
	if out.Rule == strictjson.RuleBind {
		out.Message = "is not a value or a member of a snapshot"
	}
	return out
}

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
