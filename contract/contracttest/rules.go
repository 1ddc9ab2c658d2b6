package contracttest

import "slices"

const (
	ruleToolsNone    = "tools.none"
	ruleToolNil      = "tool.nil"
	ruleAcceptReason = "accept.reason"
	ruleAcceptStale  = "accept.stale"
)

// ruleTable has every rule. It does not change; [Rules] returns copies.
var ruleTable = slices.Concat(callRules, nameRules, clauseRules, schemaRules)

// callRules are about the calls of [Inspect] and [Report.Accept], and about
// serving at all.
var callRules = []Rule{
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
