package contracttest

// mcpFirstVersion is the version of the MCP-first standard that [MCPFirst]
// judges by.
const mcpFirstVersion = "1.0.0"

// The verdicts about rules of the MCP-first standard.
const (
	pass = "pass" // the contracts follow the rule
	fail = "fail" // at least one contract breaks the rule
	// The contracts follow the part of the rule that they can show, but the
	// rule demands more.
	partial   = "partial"
	notJudged = "n/a" // contracts show nothing about the rule
)

// An mcpFirstRule is one rule of the MCP-first standard, with what contracts
// show about it.
type mcpFirstRule struct {
	// ID is the rule's ID in the standard, "R1" to "R40".
	ID string
	// Obligation is MUST, SHOULD or MAY, as in RFC 2119. A MUST NOT is a MUST.
	Obligation string
	// Demand is a short form of the rule.
	Demand string
	// Rules are the IDs of the [Demands] whose findings break the rule. Empty:
	// no finding breaks it.
	Rules []string
	// Verdict is the verdict if there is no such finding.
	Verdict string
	// Reason says why it has this verdict.
	Reason string
}

const (
	must   = "MUST"
	should = "SHOULD"
	may    = "MAY"
)

// mcpFirstTable has the forty rules in the standard's order. It never changes.
var mcpFirstTable = []mcpFirstRule{
	{
		ID: "R1", Obligation: must, Demand: "capabilities come first",
		Verdict: notJudged, Reason: "architecture: contracts do not show it",
	},
	{
		ID: "R2", Obligation: must, Demand: "an action layer",
		Verdict: notJudged, Reason: "architecture: contracts do not show it",
	},
	{
		ID: "R3", Obligation: must, Demand: "adapters without logic",
		Verdict: notJudged, Reason: "architecture: contracts do not show it",
	},
	{
		ID: "R4", Obligation: must, Demand: "one authorization function",
		Verdict: notJudged, Reason: "architecture: contracts do not show what handlers do themselves",
	},
	{
		ID: "R5", Obligation: must, Demand: "operations on entities",
		Verdict: notJudged, Reason: "architecture: contracts do not show it",
	},
	{
		ID: "R6", Obligation: must, Demand: "typed input schema",
		Rules:   []string{"input.untyped"},
		Verdict: pass, Reason: "every input has a schema, and every field has a type",
	},
	{
		ID: "R7", Obligation: must, Demand: "typed output schema",
		Rules:   []string{"output.untyped", "output.unchecked", "output.blob"},
		Verdict: pass, Reason: "every result has a schema, and every field has a type",
	},
	{
		ID: "R8", Obligation: must, Demand: "explicit failure modes",
		Rules:   []string{"failures.missing"},
		Verdict: pass, Reason: "every write declares its own failures, and the guard reports no other error as one",
	},
	{
		ID: "R9", Obligation: must, Demand: "permission scopes",
		Rules:   []string{"permissions.undeclared"},
		Verdict: pass, Reason: "every contract declares permissions, or the reason why it needs none",
	},
	{
		ID: "R10", Obligation: must, Demand: "risk level",
		Verdict: pass, Reason: "Build refuses a contract without one",
	},
	{
		ID: "R11", Obligation: must, Demand: "whether an agent may run it alone",
		Verdict: pass, Reason: "autonomous is derived in every contract",
	},
	{
		ID: "R12", Obligation: should, Demand: "side effects and audit event",
		Rules:   []string{"sideEffects.missing"},
		Verdict: pass, Reason: "every write declares its side effects, and every contract names its audit event",
	},
	{
		ID: "R13", Obligation: should, Demand: "idempotent where possible",
		Rules:   []string{"idempotency.none"},
		Verdict: pass, Reason: "every write declares idempotency",
	},
	{
		ID: "R14", Obligation: should, Demand: "dry run for high-impact or bulk tools",
		Rules:   []string{"dryRun.bulk", "dryRun.critical"},
		Verdict: pass, Reason: "every critical write has a dry run",
	},
	{
		ID: "R15", Obligation: must, Demand: "no untyped blobs in place of a schema",
		Rules:   []string{"input.untyped", "output.blob"},
		Verdict: pass, Reason: "no field may have any value",
	},
	{
		ID: "R16", Obligation: must, Demand: "levels low, medium, high, critical, restricted, forbidden",
		Verdict: pass, Reason: "Build knows these levels and no other",
	},
	{
		ID: "R17", Obligation: may, Demand: "low may run alone",
		Verdict: notJudged, Reason: "a permission, which cannot be broken",
	},
	{
		ID: "R18", Obligation: may, Demand: "medium may run alone where unambiguous",
		Verdict: notJudged, Reason: "a permission; contracts do not show what is unambiguous",
	},
	{
		ID: "R19", Obligation: should, Demand: "high behind a confirmation",
		Rules:   []string{"confirmation.waived"},
		Verdict: pass, Reason: "no tool at high waives the confirmation",
	},
	{
		ID: "R20", Obligation: must, Demand: "critical behind a confirmation, step-up supported",
		Rules:   []string{"stepUp.critical"},
		Verdict: pass, Reason: "Build refuses a critical tool without a confirmation, and every critical tool declares a step-up",
	},
	{
		ID: "R21", Obligation: must, Demand: "restricted never enters a model's context but as redacted, purpose-limited fields",
		Verdict: partial, Reason: "a restricted tool returns exposed fields only; contracts do not show their purpose",
	},
	{
		ID: "R22", Obligation: must, Demand: "forbidden neither readable nor callable by an agent",
		Verdict: pass, Reason: "a forbidden tool is never registered",
	},
	{
		ID: "R23", Obligation: must, Demand: "external communication, bulk, permission changes, payments, deletion of users or " +
			"tenants at least critical",
		Rules:   []string{"risk.external", "effect.verb"},
		Verdict: partial, Reason: "no declared risk is below the floor of its effect; contracts do not show what handlers do",
	},
	{
		ID: "R24", Obligation: must, Demand: "OAuth 2.1 with PKCE",
		Verdict: notJudged, Reason: "the transport of the server decides",
	},
	{
		ID: "R25", Obligation: must, Demand: "client allowlist",
		Verdict: notJudged, Reason: "the transport of the server decides",
	},
	{
		ID: "R26", Obligation: must, Demand: "delegated user or explicit service role",
		Verdict: notJudged, Reason: "the principal function of the server decides",
	},
	{
		ID: "R27", Obligation: must, Demand: "discovery filtered by principal",
		Verdict: partial, Reason: "the guard trims the list by declared permissions; contracts do not show the principal function",
	},
	{
		ID: "R28", Obligation: must, Demand: "tenant bound to every access",
		Verdict: partial, Reason: "the guard binds principal and tenant to each call; contracts do not show what handlers read",
	},
	{
		ID: "R29", Obligation: must, Demand: `access is more than "the user can see it"`,
		Rules:   []string{"permissions.undeclared"},
		Verdict: partial, Reason: "permissions are declared; contracts do not show what handlers check beyond them",
	},
	{
		ID: "R30", Obligation: must, Demand: "risky and irreversible actions confirmed by a person",
		Rules:   []string{"confirmation.waived", "risk.external"},
		Verdict: pass, Reason: "every tool at high and above asks, and every external and irreversible tool is critical",
	},
	{
		ID: "R31", Obligation: must, Demand: "the confirmation shows what, why, which data, external effects, who is affected, " +
			"reversibility, outcome",
		Rules:   []string{"sideEffects.missing", "hints.explicit"},
		Verdict: partial, Reason: "the content of the question is declared; a call shows the question",
	},
	{
		ID: "R32", Obligation: must, Demand: "critical supports step-up",
		Rules:   []string{"stepUp.critical"},
		Verdict: pass, Reason: "every critical tool declares a step-up",
	},
	{
		ID: "R33", Obligation: should, Demand: "consent ledger: principal, tool, input summary, risk, method, time, expiry",
		Verdict: partial, Reason: "the audit events have it, in the sink of the server",
	},
	{
		ID: "R34", Obligation: must, Demand: "an audit event per executed call: tool, principal, tenant, risk, result, time",
		Verdict: partial, Reason: "every contract names its event; a call shows whether it is written",
	},
	{
		ID: "R35", Obligation: must, Demand: "sensitive inputs hashed, redacted or summarised there",
		Verdict: partial, Reason: "no argument is written; the tool author marks which values in error texts are sensitive",
	},
	{
		ID: "R36", Obligation: must, Demand: "minimal data to the model",
		Verdict: partial, Reason: "a schema limits the result; contracts do not show whether it is minimal",
	},
	{
		ID: "R37", Obligation: should, Demand: "large data not loaded unchecked",
		Verdict: pass, Reason: "arguments and results have a size limit in every contract, a default one if none is declared",
	},
	{
		ID: "R38", Obligation: should, Demand: "rate limits and injection defences",
		Rules:   []string{"trust.undeclared"},
		Verdict: partial, Reason: "the trust in every result is declared; the guard has the rate limits",
	},
	{
		ID: "R39", Obligation: should, Demand: "metadata validated or signed",
		Verdict: partial, Reason: "every contract is validated and has a digest; nothing is signed",
	},
	{
		ID: "R40", Obligation: must, Demand: "no agent can switch the audit off",
		Verdict: pass, Reason: "neither a contract nor a call can switch it off",
	},
}
