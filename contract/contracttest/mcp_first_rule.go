package contracttest

import "slices"

// MCPFirstVersion is the version of the MCP-first standard that [MCPFirst] judges by.
const MCPFirstVersion = "1.0.0"

// An MCPFirstRule is one rule of the MCP-first standard, and how far contracts show whether it is kept.
type MCPFirstRule struct {
	// ID is the standard's, "R1" to "R40".
	ID string
	// Obligation is MUST, SHOULD or MAY, as in RFC 2119. A MUST NOT is a MUST.
	Obligation string
	// Demand is what the rule says, in short.
	Demand string
	// Rules are the IDs of the rules of [Rules] whose findings break it. Empty: findings say nothing of it.
	Rules []string
	// Verdict is what stands where there is no such finding.
	Verdict Verdict
	// Reason says why.
	Reason string
}

// MCPFirstRules returns the forty rules in the standard's order, in slices that belong to the caller. Those with the
// verdict [NotJudged] cannot be judged from contracts, for the reason that is given.
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

// mcpFirstTable is never written to; MCPFirstRules hands out copies.
var mcpFirstTable = []MCPFirstRule{
	{"R1", must, "capabilities come first", nil, NotJudged, "architecture: contracts do not show it"},
	{"R2", must, "an action layer", nil, NotJudged, "architecture: contracts do not show it"},
	{"R3", must, "adapters without logic", nil, NotJudged, "architecture: contracts do not show it"},
	{"R4", must, "one authorization function", nil, NotJudged, "architecture: what handlers do themselves is not seen"},
	{"R5", must, "operations on entities", nil, NotJudged, "architecture: contracts do not show it"},
	{"R6", must, "typed input schema", []string{"input.untyped"}, Pass, "every input has a schema, and every field says what it takes"},
	{"R7", must, "typed output schema", []string{"output.untyped", "output.blob"}, Pass, "every result has a schema, and every field says what it holds"},
	{"R8", must, "explicit failure modes", []string{"failures.missing"}, Pass, "every write declares failures of its own, and the guard lets no other leave as one"},
	{"R9", must, "permission scopes", []string{"permissions.undeclared"}, Pass, "every contract declares permissions, or why it needs none"},
	{"R10", must, "risk level", nil, Pass, "Build refuses a contract without one"},
	{"R11", must, "whether an agent may run it alone", nil, Pass, "autonomous is derived in every contract"},
	{"R12", should, "side effects and audit event", []string{"sideEffects.missing"}, Pass, "every write declares its side effects, and every contract names its audit event"},
	{"R13", should, "idempotent where possible", []string{"idempotency.none"}, Pass, "every write declares idempotency"},
	{"R14", should, "dry run for high-impact or bulk tools", []string{"dryRun.bulk", "dryRun.critical"}, Pass, "every critical write has a dry run"},
	{"R15", must, "no untyped blobs in place of a schema", []string{"input.untyped", "output.blob"}, Pass, "no field may hold anything"},
	{"R16", must, "levels low, medium, high, critical, restricted, forbidden", nil, Pass, "Build knows these levels and no other"},
	{"R17", may, "low may run alone", nil, NotJudged, "a permission, which nothing can break"},
	{"R18", may, "medium may run alone where unambiguous", nil, NotJudged, "a permission; what is unambiguous is not seen"},
	{"R19", should, "high behind a confirmation", []string{"confirmation.waived"}, Pass, "no tool at high waives it"},
	{"R20", must, "critical behind a confirmation, step-up supported", []string{"stepUp.critical"}, Pass, "Build refuses a critical tool that does not ask, and every one declares a step-up"},
	{"R21", must, "restricted never enters a model's context but as redacted, purpose-limited fields", nil, Partial, "a restricted tool returns exposed fields alone; their purpose is not seen"},
	{"R22", must, "forbidden neither readable nor callable by an agent", nil, Pass, "a forbidden tool is never registered"},
	{"R23", must, "external communication, bulk, permission changes, payments, deletion of users or tenants at least critical", []string{"risk.external", "effect.verb"}, Partial, "no declared effect is below its floor; what handlers do is not seen"},
	{"R24", must, "OAuth 2.1 with PKCE", nil, NotJudged, "the server's transport decides"},
	{"R25", must, "client allowlist", nil, NotJudged, "the server's transport decides"},
	{"R26", must, "delegated user or explicit service role", nil, NotJudged, "the server's source of principals decides"},
	{"R27", must, "discovery filtered by principal", nil, Partial, "the guard trims the list by declared permissions; its source of principals is not seen"},
	{"R28", must, "tenant bound to every access", nil, Partial, "the guard binds principal and tenant to each call; what handlers read is not seen"},
	{"R29", must, `access is more than "the user can see it"`, []string{"permissions.undeclared"}, Partial, "permissions are declared; what handlers check beyond them is not seen"},
	{"R30", must, "risky and irreversible actions confirmed by a person", []string{"confirmation.waived", "risk.external"}, Pass, "every tool at high and above asks, and nothing external and irreversible is below"},
	{"R31", must, "the confirmation shows what, why, which data, external effects, who is affected, reversibility, outcome", []string{"sideEffects.missing", "hints.explicit"}, Partial, "what the question needs is declared; the question itself is shown on a call"},
	{"R32", must, "critical supports step-up", []string{"stepUp.critical"}, Pass, "every critical tool declares one"},
	{"R33", should, "consent ledger: principal, tool, input summary, risk, method, time, expiry", nil, Partial, "the audit events hold it, in the sink that the server was given"},
	{"R34", must, "an audit event per executed call: tool, principal, tenant, risk, result, time", nil, Partial, "every contract names its event; that it is written shows on a call"},
	{"R35", must, "sensitive inputs hashed, redacted or summarised there", nil, Partial, "no argument is written; which values are sensitive in error texts is the author's word"},
	{"R36", must, "minimal data to the model", nil, Partial, "a schema bounds what leaves; whether it is the least is not seen"},
	{"R37", should, "large data not loaded unchecked", nil, Pass, "arguments and results have a size limit in every contract, the default one where none is declared"},
	{"R38", should, "rate limits and injection defences", []string{"trust.undeclared"}, Partial, "the trust in every result is declared; rate limits are the guard's"},
	{"R39", should, "metadata validated or signed", nil, Partial, "every contract is validated and has a digest; nothing is signed"},
	{"R40", must, "no agent can switch the audit off", nil, Pass, "neither a contract nor a call has a way to"},
}
