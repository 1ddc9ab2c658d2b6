package compat

import (
	"sync"

	"github.com/toolcontract/toolcontract/internal/clausediff"
)

// kindsByID has the kinds of change by their IDs.
var kindsByID = sync.OnceValue(func() map[string]Kind {
	table := map[string]Kind{}
	for _, k := range allKinds() {
		table[k.ID] = k
	}
	return table
})

// A recorder collects the changes of one tool, or of the server.
type recorder struct {
	tool    string
	changes []Change
}

// add records a change by a rule. Nil from or to means that nothing was or is
// there.
func (d *recorder) add(rule, pointer string, from, to any) {
	d.addReason(rule, pointer, from, to, "")
}

// addReason is add with an extra sentence about this change.
func (d *recorder) addReason(rule, pointer string, from, to any, more string) {
	k := kindsByID()[rule]
	reason := k.Reason
	if more != "" {
		reason += " " + more
	}
	d.changes = append(d.changes, Change{
		Tool: d.tool, Pointer: pointer, Rule: rule, From: clausediff.JSON(from), To: clausediff.JSON(to),
		Class: k.Class, Downgrade: k.Downgrade, Unknown: k.Unknown, Reason: reason,
	})
}
