package catalog

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/internal/contain"
)

const (
	// maxKept bounds a remembered definition. If a longer one changes, the report
	// doesn't say what has changed.
	maxKept = 16 << 10
	// maxKeptInAll bounds the definitions of all servers together. Each server
	// gets an equal share.
	maxKeptInAll = 16 << 20
)

// diff compares the tool's accepted definition with the listed one. It returns
// nil if either was too long to keep.
func (j *judgement) diff() (changes []compat.Change) {
	old, problem := readTool(j.old.Definition)
	if problem != nil || j.tool.kept == nil {
		return nil
	}
	snapshot := func(t *parsedTool) compat.Snapshot {
		d := t.document(t.declared.complete())
		d.Name = j.entry.Name
		return compat.Snapshot{Tools: []contract.Document{d}}
	}
	// Both come from a server, so nothing in them must end the cycle.
	_ = contain.Do(func() { changes = compat.Diff(snapshot(old), snapshot(j.tool)) })
	return changes
}
