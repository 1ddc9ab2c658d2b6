package contracttest

import "slices"

// MCPFirstVersion is the version of the MCP-first standard that [MCPFirst]
// judges by.
const MCPFirstVersion = "1.0.0"

// An MCPFirstRule is one rule of the MCP-first standard, and what contracts
// show about it.
type MCPFirstRule struct {
	// ID is the ID in the standard, "R1" to "R40".
	ID string
	// Obligation is MUST, SHOULD or MAY, as in RFC 2119. A MUST NOT is a MUST.
	Obligation string
	// Demand is the rule in short.
	Demand string
	// Rules are the IDs of the rules of [Rules] whose findings break it. Empty:
	// no finding breaks it.
	Rules []string
	// Verdict is the verdict if there is no such finding.
	Verdict Verdict
	// Reason is why it has this verdict.
	Reason string
}

// MCPFirstRules returns the forty rules in the standard's order. The slices
// belong to the caller. Rules with the verdict [NotJudged] cannot be judged
// from contracts; their reason is given.
func MCPFirstRules() []MCPFirstRule {
	rules := slices.Clone(mcpFirstTable)
	for i := range rules {
		rules[i].Rules = slices.Clone(rules[i].Rules)
	}
	return rules
}

const (
	must   = "MUST"
	should = "SHOULD"
	may    = "MAY"
)

// mcpFirstTable does not change; [MCPFirstRules] returns copies.
var mcpFirstTable = []MCPFirstRule{
	{
		ID: "R1", Obligation: must, Demand: "capabilities come first",
		Verdict: NotJudged, Reason: "architecture: contracts do not show it",
	},
	{
		ID: "R2", Obligation: must, Demand: "an action layer",
		Verdict: NotJudged, Reason: "architecture: contracts do not show it",
	},
	{
		ID: "R3", Obligation: must, Demand: "adapters without logic",
		Verdict: NotJudged, Reason: "architecture: contracts do not show it",
	},
	{
		ID: "R4", Obligation: must, Demand: "one authorization function",
		Verdict: NotJudged, Reason: "architecture: contracts do not show what handlers do themselves",
	},
	{
		ID: "R5", Obligation: must, Demand: "operations on entities",
		Verdict: NotJudged, Reason: "architecture: contracts do not show it",
	},
	{
		ID: "R6", Obligation: must, Demand: "typed input schema",
		Rules:   []string{"input.untyped"},
		Verdict: Pass, Reason: "every input has a schema, and every field has a type",
	},
	{
		ID: "R7", Obligation: must, Demand: "typed output schema",
		Rules:   []string{"output.untyped", "output.unchecked", "output.blob"},
		Verdict: Pass, Reason: "every result has a schema, and every field has a type",
	},
	{
		ID: "R8", Obligation: must, Demand: "explicit failure modes",
		Rules:   []string{"failures.missing"},
		Verdict: Pass, Reason: "every write declares its own failures, and the guard reports no other error as one",
	},
	{
		ID: "R9", Obligation: must, Demand: "permission scopes",
		Rules:   []string{"permissions.undeclared"},
		Verdict: Pass, Reason: "every contract declares permissions, or the reason why it needs none",
	},
	{
		ID: "R10", Obligation: must, Demand: "risk level",
		Verdict: Pass, Reason: "Build refuses a contract without one",
	},
	{
		ID: "R11", Obligation: must, Demand: "whether an agent may run it alone",
		Verdict: Pass, Reason: "autonomous is derived in every contract",
	},
	{
		ID: "R12", Obligation: should, Demand: "side effects and audit event",
		Rules:   []string{"sideEffects.missing"},
		Verdict: Pass, Reason: "every write declares its side effects, and every contract names its audit event",
	},
	{
		ID: "R13", Obligation: should, Demand: "idempotent where possible",
		Rules:   []string{"idempotency.none"},
		Verdict: Pass, Reason: "every write declares idempotency",
	},
	{
		ID: "R14", Obligation: should, Demand: "dry run for high-impact or bulk tools",
		Rules:   []string{"dryRun.bulk", "dryRun.critical"},
		Verdict: Pass, Reason: "every critical write has a dry run",
	},
	{
		ID: "R15", Obligation: must, Demand: "no untyped blobs in place of a schema",
		Rules:   []string{"input.untyped", "output.blob"},
		Verdict: Pass, Reason: "no field may have any value",
	},
	{
		ID: "R16", Obligation: must, Demand: "levels low, medium, high, critical, restricted, forbidden",
		Verdict: Pass, Reason: "Build knows these levels and no other",
	},
	{
		ID: "R17", Obligation: may, Demand: "low may run alone",
		Verdict: NotJudged, Reason: "a permission, which cannot be broken",
	},
	{
		ID: "R18", Obligation: may, Demand: "medium may run alone where unambiguous",
		Verdict: NotJudged, Reason: "a permission; contracts do not show what is unambiguous",
	},
	{
		ID: "R19", Obligation: should, Demand: "high behind a confirmation",
		Rules:   []string{"confirmation.waived"},
		Verdict: Pass, Reason: "no tool at high waives the confirmation",
	},
	{
		ID: "R20", Obligation: must, Demand: "critical behind a confirmation, step-up supported",
		Rules:   []string{"stepUp.critical"},
		Verdict: Pass, Reason: "Build refuses a critical tool without a confirmation, and every critical tool declares a step-up",
	},
	{
		ID: "R21", Obligation: must, Demand: "restricted never enters a model's context but as redacted, purpose-limited fields",
		Verdict: Partial, Reason: "a restricted tool returns exposed fields only; contracts do not show their purpose",
	},
	{
		ID: "R22", Obligation: must, Demand: "forbidden neither readable nor callable by an agent",
		Verdict: Pass, Reason: "a forbidden tool is never registered",
	},
	{
		ID: "R23", Obligation: must, Demand: "external communication, bulk, permission changes, payments, deletion of users or tenants at least critical",
		Rules:   []string{"risk.external", "effect.verb"},
		Verdict: Partial, Reason: "no declared risk is below the floor of its effect; contracts do not show what handlers do",
	},
	{
		ID: "R24", Obligation: must, Demand: "OAuth 2.1 with PKCE",
		Verdict: NotJudged, Reason: "the transport of the server decides",
	},
	{
		ID: "R25", Obligation: must, Demand: "client allowlist",
		Verdict: NotJudged, Reason: "the transport of the server decides",
	},
	{
		ID: "R26", Obligation: must, Demand: "delegated user or explicit service role",
		Verdict: NotJudged, Reason: "the principal function of the server decides",
	},
	{
		ID: "R27", Obligation: must, Demand: "discovery filtered by principal",
		Verdict: Partial, Reason: "the guard trims the list by declared permissions; contracts do not show the principal function",
	},
	{
		ID: "R28", Obligation: must, Demand: "tenant bound to every access",
		Verdict: Partial, Reason: "the guard binds principal and tenant to each call; contracts do not show what handlers read",
	},
	{
		ID: "R29", Obligation: must, Demand: `access is more than "the user can see it"`,
		Rules:   []string{"permissions.undeclared"},
		Verdict: Partial, Reason: "permissions are declared; contracts do not show what handlers check beyond them",
	},
	{
		ID: "R30", Obligation: must, Demand: "risky and irreversible actions confirmed by a person",
		Rules:   []string{"confirmation.waived", "risk.external"},
		Verdict: Pass, Reason: "every tool at high and above asks, and every external and irreversible tool is critical",
	},
	{
		ID: "R31", Obligation: must, Demand: "the confirmation shows what, why, which data, external effects, who is affected, reversibility, outcome",
		Rules:   []string{"sideEffects.missing", "hints.explicit"},
		Verdict: Partial, Reason: "the content of the question is declared; a call shows the question",
	},
	{
		ID: "R32", Obligation: must, Demand: "critical supports step-up",
		Rules:   []string{"stepUp.critical"},
		Verdict: Pass, Reason: "every critical tool declares a step-up",
	},
	{
		ID: "R33", Obligation: should, Demand: "consent ledger: principal, tool, input summary, risk, method, time, expiry",
		Verdict: Partial, Reason: "the audit events have it, in the sink of the server",
	},
	{
		ID: "R34", Obligation: must, Demand: "an audit event per executed call: tool, principal, tenant, risk, result, time",
		Verdict: Partial, Reason: "every contract names its event; a call shows whether it is written",
	},
	{
		ID: "R35", Obligation: must, Demand: "sensitive inputs hashed, redacted or summarised there",
		Verdict: Partial, Reason: "no argument is written; the tool author marks which values in error texts are sensitive",
	},
	{
		ID: "R36", Obligation: must, Demand: "minimal data to the model",
		Verdict: Partial, Reason: "a schema limits the result; contracts do not show whether it is minimal",
	},
	{
		ID: "R37", Obligation: should, Demand: "large data not loaded unchecked",
		Verdict: Pass, Reason: "arguments and results have a size limit in every contract, a default one if none is declared",
	},
	{
		ID: "R38", Obligation: should, Demand: "rate limits and injection defences",
		Rules:   []string{"trust.undeclared"},
		Verdict: Partial, Reason: "the trust in every result is declared; the guard has the rate limits",
	},
	{
		ID: "R39", Obligation: should, Demand: "metadata validated or signed",
		Verdict: Partial, Reason: "every contract is validated and has a digest; nothing is signed",
	},
	{
		ID: "R40", Obligation: must, Demand: "no agent can switch the audit off",
		Verdict: Pass, Reason: "neither a contract nor a call can switch it off",
	},
}
