package contracttest

import "slices"

const (
	ruleToolsNone    = "tools.none"
	ruleToolNil      = "tool.nil"
	ruleAcceptReason = "accept.reason"
	ruleAcceptStale  = "accept.stale"
)

// demandTable has every rule. It never changes; [Demands] returns copies.
var demandTable = slices.Concat(callRules, nameRules, clauseRules, schemaRules)

// callRules are about the calls of [Inspect] and [Inspection.Accept], and about
// serving at all.
var callRules = []Demand{
	{
		ID: ruleToolsNone, Severity: Error,
		Summary: "There are tools to inspect.",
		Remedy:  "pass the tools that Build returned",
	},
	{
		ID: ruleToolNil, Severity: Error,
		Summary: "A tool is not nil.",
		Remedy:  "pass what Build returned",
	},
	{
		ID: ruleAcceptReason, Severity: Error,
		Summary: "An accepted finding has a reason.",
		Remedy:  "give Accept a reason",
	},
	{
		ID: ruleAcceptStale, Severity: Error,
		Summary: "An acceptance has a finding.",
		Remedy:  "remove the acceptance",
	},
	{
		ID: "serve.refused", Severity: Error,
		Summary: "A tool can be listed by an adapter.",
		Remedy:  "follow the advice in the finding",
		judge:   judgeServed,
	},
}
