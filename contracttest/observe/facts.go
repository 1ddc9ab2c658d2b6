package observe

import (
	"encoding/json"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// Facts are what tests of a contract need to know about a tool, besides its
// document.
type Facts struct {
	// Handler is the function given to [contract.New], or to an adapter such as
	// mcpgo.Wrap.
	Handler Function
	// DryRun is the dry-run function. Zero: the tool has none.
	DryRun Function
	// Precheck is the function of [contract.Builder.Precheck]. Zero: the tool
	// has none.
	Precheck Function
	// Reconcile is the function of [contract.Builder.Reconcile]. Zero: the tool
	// has none.
	Reconcile Function
	// Tagged lists the declarations made only by struct tags, by tag key,
	// sorted. Messages about the others name the builder's methods.
	Tagged []string
	// OtherErrors is the code of undeclared errors; see
	// [contract.Builder.OtherErrors]. It is empty for internal errors.
	OtherErrors string
	// Resolves means that a function lowers the risk or the effect of a call;
	// see [contract.Builder.Resolve].
	Resolves bool
}

// FactsOf returns the facts about a tool. It calls none of the tool's
// functions.
func FactsOf(tool *contract.Tool) Facts {
	f := bound.Of(tool).Facts()
	return Facts{
		Handler: functionAt(f.Handler), DryRun: functionAt(f.DryRun), Precheck: functionAt(f.Precheck),
		Reconcile: functionAt(f.Reconcile),
		Tagged:    slices.Clone(f.Tagged), OtherErrors: f.OtherErrors, Resolves: f.Has.Resolve,
	}
}

// Read reads arguments as a call does: it parses them strictly, fills in
// defaults, and validates them. It returns their canonical form, without the
// members of a dry run. accepted is false if the tool refuses them.
func Read(tool *contract.Tool, arguments json.RawMessage) (canonical json.RawMessage, accepted bool) {
	read, violations := bound.Of(tool).Decode(arguments)
	if len(violations) > 0 {
		return nil, false
	}
	return read.Canonical, true
}
