package catalog

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

const (
	// maxKept bounds an accepted definition that is remembered. A change of a
	// longer one is reported without what has changed.
	maxKept = 16 << 10
	// maxKeptInAll bounds those of all servers. Each server has an equal share.
	maxKeptInAll = 16 << 20
)

// A redefinition is what differs between two definitions of a tool.
type redefinition struct {
	parts []string
	diff  []compat.Change
}

// newRedefinition compares the accepted definition of a tool with the one that
// is listed now. It is empty if either was too long to be kept.
func newRedefinition(accepted json.RawMessage, now *parsedTool, name string) (r redefinition) {
	old, problem := readTool(accepted)
	if len(accepted) == 0 || len(now.kept) == 0 || problem != nil {
		return redefinition{}
	}
	before, after := membersOf(accepted), membersOf(now.kept)
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, member := range slices.Sorted(maps.Keys(all)) {
		if !reflect.DeepEqual(before[member], after[member]) {
			r.parts = append(r.parts, member)
		}
	}
	document := func(t *parsedTool) compat.Snapshot {
		d := t.document(t.declared.complete())
		d.Name = name
		return compat.Snapshot{Tools: []contract.Document{d}}
	}
	// Both are text of a server, so nothing about them must end the cycle.
	_ = contain.Do(func() { r.diff = compat.Diff(document(old), document(now)) })
	return r
}

func membersOf(raw json.RawMessage) map[string]any {
	tree, _ := strictjson.Parse(raw, strictjson.Limits{})
	members, _ := tree.(map[string]any)
	return members
}

// forgetLong drops the definitions of a server that exceed its share.
func (s savedState) forgetLong(servers int) {
	used := map[string]int{}
	for i, t := range s.Tools {
		if used[t.Server] += len(t.Definition); used[t.Server] > maxKeptInAll/max(servers, 1) {
			s.Tools[i].Definition = nil
		}
	}
}
