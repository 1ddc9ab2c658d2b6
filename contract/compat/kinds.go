package compat

import (
	"slices"

	"github.com/toolcontract/toolcontract/internal/clausediff"
)

// Kinds returns all kinds of change in the order in which a contract is read:
// those of the clauses, then those of the schemas. The slice belongs to the
// caller.
func Kinds() []Kind {
	kinds := slices.Concat(
		toolKinds(), formKinds(), nameKinds(), textKinds(), riskKinds(), trustKinds(), accessKinds(), consentKinds(),
		repetitionKinds(), limitKinds(), failureKinds(), capabilityKinds(), sharedKinds(), schemaKinds(), argumentKinds(),
	)
	for i, k := range kinds {
		kinds[i].Downgrade = k.Downgrade || clausediff.Weakens(clausediff.Protections, k.ID)
	}
	return kinds
}

// toolKinds returns the kinds of whole tools and of the server.
func toolKinds() []Kind {
	return []Kind{
		{ID: "tool.added", Class: Additive,
			Summary: "A tool is new.",
			Reason:  "No caller knows it yet."},
		{ID: "tool.removed", Class: Breaking,
			Summary: "A tool was removed.",
			Reason:  "Callers of the tool get the error of an unknown tool."},
		{ID: "tool.retired", Class: Breaking,
			Summary: "A deprecated tool was removed.",
			Reason:  "Its callers were warned. They get the error of an unknown tool."},
		{ID: "names.changed", Class: Breaking,
			Summary: "The server lists names in another form.",
			Reason:  "Callers that know a name without the list get the error of an unknown tool."},
	}
}

// sharedKinds returns the kinds that any clause may use.
func sharedKinds() []Kind {
	return []Kind{
		{ID: "default.stated", Class: Patch,
			Summary: "A clause states its default, or leaves it out.",
			Reason:  "Its meaning is the same."},
		{ID: "order.changed", Class: Patch,
			Summary: "A list has another order.",
			Reason:  "The order has no meaning."},
	}
}
