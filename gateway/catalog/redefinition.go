package catalog

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/internal/contain"
)

const (
	// maxKept bounds an accepted definition that is remembered. A change of a
	// longer one is reported without what has changed.
	maxKept = 16 << 10
	// maxKeptInAll bounds those of all servers. Each server has an equal share.
	maxKeptInAll = 16 << 20
)

// diff compares the accepted definition of the tool with the one that is listed
// now. It returns nil if either was too long to be kept.
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
	// Both are text of a server, so nothing about them must end the cycle.
	_ = contain.Do(func() { changes = compat.Diff(snapshot(old), snapshot(j.tool)) })
	return changes
}
