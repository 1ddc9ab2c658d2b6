package compat

import "github.com/toolcontract/toolcontract/internal/clausediff"

// A kindTable maps IDs to kinds of change.
type kindTable map[string]Kind

func newKindTable() kindTable {
	table := kindTable{}
	for _, k := range Kinds() {
		table[k.ID] = k
	}
	return table
}

// A recorder collects the changes of one tool, or of the server.
type recorder struct {
	tool    string
	kinds   kindTable
	changes []Change
}

// add records a change by a rule. Nil from or to means that nothing was or is
// there.
func (d *recorder) add(rule, pointer string, from, to any) {
	d.addReason(rule, pointer, from, to, "")
}

// addReason is add with an extra sentence about this change.
func (d *recorder) addReason(rule, pointer string, from, to any, more string) {
	k := d.kinds[rule]
	reason := k.Reason
	if more != "" {
		reason += " " + more
	}
	d.changes = append(d.changes, Change{
		Tool: d.tool, Pointer: pointer, Rule: rule, From: clausediff.JSON(from), To: clausediff.JSON(to),
		Class: k.Class, Downgrade: k.Downgrade, Unknown: k.Unknown, Reason: reason,
	})
}
