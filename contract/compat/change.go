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
	// Tool is the tool's new name, or the old name of a removed tool. Empty:
	// the change concerns the whole server.
	Tool string `json:"tool"`
	// Pointer is an RFC 6901 JSON Pointer into the tool's new
	// [contract.Document], or into the old one for a part that is gone. It
	// follows references of schemas: "/inputSchema/properties/to/items" may be
	// written in $defs. For a list without order, such as permissions, it leads
	// to the list. Empty: the whole contract. In a change of the whole server
	// it leads into the [Snapshot].
	Pointer string `json:"pointer"`
	// Rule is a stable identifier, such as "permission.removed". [Kinds] lists
	// all of them.
	Rule string `json:"rule"`
	// From and To are the old and the new value as JSON. Nil: there is none.
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
	// Class is the part of the version number that the change demands to raise.
	Class Class `json:"class"`
	// Downgrade reports whether the new contract weakens a care or protection
	// that the old one declared.
	Downgrade bool `json:"downgrade,omitempty"`
	// Unknown reports whether the direction of the change cannot be determined.
	// Class is Breaking then.
	Unknown bool `json:"unknown,omitempty"`
	// Reason explains in a sentence why the change has its class.
	Reason string `json:"reason"`
}

// String returns "TOOL POINTER: [RULE] CLASS: REASON", or "POINTER: …" for a
// change of the whole server, with ", downgrade" and
// ", unknown" after the class if they apply. It holds no value of the contract.
func (c Change) String() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(c.Tool + " " + c.Pointer))
	b.WriteString(": [" + c.Rule + "] " + string(c.Class))
	if c.Downgrade {
		b.WriteString(", downgrade")
	}
	if c.Unknown {
		b.WriteString(", unknown")
	}
	b.WriteString(": " + c.Reason)
	return b.String()
}

// largestClass returns the largest class among changes, which decides how far
// the version must be raised. It returns "" if there are no changes.
func largestClass(changes []Change) Class {
	for _, class := range []Class{Breaking, Additive, Patch} {
		if slices.ContainsFunc(changes, func(c Change) bool { return c.Class == class }) {
			return class
		}
	}
	return ""
}

// sortChanges sorts changes by tool, pointer, rule and values, and removes
// duplicates.
func sortChanges(changes []Change) []Change {
	compare := func(a, b Change) int {
		return cmp.Or(strings.Compare(a.Tool, b.Tool), strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Rule, b.Rule),
			bytes.Compare(a.From, b.From), bytes.Compare(a.To, b.To), strings.Compare(a.Reason, b.Reason))
	}
	slices.SortStableFunc(changes, compare)
	return slices.CompactFunc(changes, func(a, b Change) bool { return compare(a, b) == 0 })
}
