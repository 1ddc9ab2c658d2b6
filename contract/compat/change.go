package compat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// A Change is one difference between two contracts.
type Change struct {
	// Tool is the tool's name: the new one, and of a removed tool the old one.
	Tool string `json:"tool"`
	// Pointer is an RFC 6901 JSON Pointer into the tool's [contract.Document]: the new
	// one, and the old one for what is gone. References of schemas are followed:
	// "/inputSchema/properties/to/items" may be written in $defs. Of a list that
	// is a set, such as permissions, it is the list. "" is the whole contract.
	Pointer string `json:"pointer"`
	// Rule is a stable identifier, such as "permission.removed"; [Rules]
	// lists them.
	Rule string `json:"rule"`
	// From and To are what stood there and what stands there now, as JSON; nil
	// where nothing does.
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
	// Class says which number of the version the change asks for.
	Class Class `json:"class"`
	// Downgrade says that a care or a protection which the old contract
	// declared is weaker in the new one.
	Downgrade bool `json:"downgrade,omitempty"`
	// Unknown says that it cannot be told which way the change goes. Class is
	// Breaking then.
	Unknown bool `json:"unknown,omitempty"`
	// Reason says, for people, why the change has its class.
	Reason string `json:"reason"`
}

// String returns "TOOL POINTER: [RULE] CLASS: REASON", with ", downgrade" and
// ", unknown" after the class where they hold. It holds no value of the contract.
func (c Change) String() string {
	var b strings.Builder
	b.WriteString(c.Tool)
	if c.Pointer != "" {
		b.WriteString(" " + c.Pointer)
	}
	b.WriteString(": [" + c.Rule + "] " + c.Class.String())
	if c.Downgrade {
		b.WriteString(", downgrade")
	}
	if c.Unknown {
		b.WriteString(", unknown")
	}
	b.WriteString(": " + c.Reason)
	return b.String()
}

// LargestClass returns the largest class among changes: what the version has to
// be raised by. Of no changes it is undeclared.
func LargestClass(changes []Change) Class {
	var largest Class
	for _, c := range changes {
		largest = max(largest, c.Class)
	}
	return largest
}

// sortChanges orders changes by tool, pointer and rule, then by what they are
// from and to, and keeps each once.
func sortChanges(changes []Change) []Change {
	compare := func(a, b Change) int {
		return cmp.Or(strings.Compare(a.Tool, b.Tool), strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Rule, b.Rule),
			bytes.Compare(a.From, b.From), bytes.Compare(a.To, b.To), strings.Compare(a.Reason, b.Reason))
	}
	slices.SortStableFunc(changes, compare)
	return slices.CompactFunc(changes, func(a, b Change) bool { return compare(a, b) == 0 })
}
