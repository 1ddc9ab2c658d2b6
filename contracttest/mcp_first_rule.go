package contracttest

import (
	_ "embed"
	"encoding/json"
	"sync"
)

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
	ID string `json:"id"`
	// Obligation is MUST, SHOULD or MAY, as in RFC 2119. A MUST NOT is a MUST.
	Obligation string `json:"obligation"`
	// Demand is a short form of the rule.
	Demand string `json:"demand"`
	// Rules are the IDs of the [Demands] whose findings break the rule. Empty:
	// no finding breaks it.
	Rules []string `json:"rules"`
	// Verdict is the verdict if there is no such finding.
	Verdict string `json:"verdict"`
	// Reason says why it has this verdict.
	Reason string `json:"reason"`
}

//go:embed mcp_first.json
var mcpFirstJSON []byte

// mcpFirstRules returns the forty rules in the standard's order. A test
// compares the file with the standard.
var mcpFirstRules = sync.OnceValue(func() (rules []mcpFirstRule) {
	_ = json.Unmarshal(mcpFirstJSON, &rules)
	return rules
})
