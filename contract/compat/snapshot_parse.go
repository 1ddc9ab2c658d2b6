package compat

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/declare"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// ParseSnapshot reads a snapshot. Unknown members, duplicate names of members
// or tools, bad UTF-8, unknown values of enums, and other formats are errors,
// each with its pointer. The error joins all of them, unless the JSON itself is
// wrong: then it is only the first. The tools may be in any order. A snapshot
// without the member names comes from an older version, which listed dotted
// names.
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
		errs = append(errs, snapshotError(ruleSnapshotFormat, "/format", fmt.Sprintf("must be %d", snapshotFormat)))
	}
	for i, raw := range read.Tools {
		d, err := readSnapshotTool(raw, strictjson.PointerIndex("/tools", i))
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

// readSnapshotTool reads one tool strictly, and checks what a snapshot requires
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
		return d, snapshotError(ruleSnapshotFormat, pointer+"/format", fmt.Sprintf("must be %d", contract.Format))
	case head.Name == "":
		return d, snapshotError(ruleSnapshotTool, pointer+"/name", "is missing")
	case err != nil:
		return d, snapshotError(ruleSnapshotTool, pointer, "lacks the mode of its idempotency, or the class or the origin of a failure")
	case !d.SecurityLevel.IsValid():
		return d, snapshotError(ruleSnapshotTool, pointer+"/securityLevel", "is larger than 10")
	}
	if _, err := d.Digest(); err != nil {
		return d, snapshotError(ruleSnapshotTool, pointer, "has a schema or metadata that cannot be written as unambiguous JSON")
	}
	return d, nil
}

// snapshotSyntax turns an error of the JSON reader into one of a snapshot.
// Binding errors get another message, because theirs would name Go types.
func snapshotSyntax(err error) error {
	syntax, ok := errors.AsType[*strictjson.Error](err)
	switch {
	case !ok:
		return snapshotError(strictjson.RuleSyntax, "", "is not the JSON of a snapshot")
	case syntax.Rule == strictjson.RuleBind:
		return snapshotError(syntax.Rule, syntax.Pointer, "is not a value or a member of a snapshot")
	default:
		return snapshotError(syntax.Rule, syntax.Pointer, syntax.Message)
	}
}

// The rules of mistakes in a snapshot. Mistakes in the JSON itself have rules
// that begin with "json.".
const (
	ruleSnapshotFormat    = "snapshot.format"    // a format that this version does not read
	ruleSnapshotTool      = "snapshot.tool"      // a tool that is nil, has no name, or cannot be written again
	ruleSnapshotDuplicate = "snapshot.duplicate" // a name that occurs twice
)

// snapshotError returns one mistake in a snapshot. where is a JSON Pointer into
// the snapshot. In errors of [NewSnapshot], "/tools/2" is the third tool given.
// The text holds no value of the snapshot.
func snapshotError(rule, where, message string) error {
	if where == "" {
		return errors.New("compat: snapshot: [" + rule + "] " + message)
	}
	return errors.New("compat: snapshot: " + declare.MistakeText(rule, where, message, ""))
}
