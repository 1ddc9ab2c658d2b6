package agent_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A listed tool has the hints as a host reads them: t, f, or - for a hint that
// the server did not write, for readOnlyHint, destructiveHint and
// openWorldHint.
type listed struct {
	what  string
	hints string
	tool  agent.Tool
	args  string
}

func (l listed) is(hint int, value byte) bool { return l.hints[hint] == value }

// A hostRule is what a published host does before a call by its default
// settings, with the place where that is documented.
type hostRule struct {
	name   string
	source string
	decide func(listed) string
}

func hostRules() []hostRule {
	const readOnly, destructive, openWorld = 0, 1, 2
	unless := func(runs bool, otherwise string) string {
		if runs {
			return "run"
		}
		return otherwise
	}
	return []hostRule{
		{"VS Code", "https://github.com/microsoft/vscode/blob/d2fe6d3bf903b2b1988f22c554b82156d831c33b/src/vs/workbench/contrib/mcp/common/mcpLanguageModelToolContribution.ts#L232-L241", func(l listed) string {
			asked := unless(l.is(readOnly, 't'), "ask")
			if l.is(openWorld, 't') {
				return asked + ", shows the result first"
			}
			return asked
		}},
		{"Codex, auto", "https://github.com/openai/codex/blob/ca466061d64f0b44f416135c7fd06aa7af850bbc/codex-rs/core/src/mcp_tool_call.rs#L2463-L2480", func(l listed) string {
			if l.is(destructive, 't') {
				return "ask"
			}
			return unless(l.is(readOnly, 't') || l.is(destructive, 'f') && l.is(openWorld, 'f'), "ask")
		}},
		{"Claude Code, default mode", "https://github.com/anthropics/claude-code/issues/87452", func(listed) string { return "ask" }},
		{"Gemini CLI, plan mode",
			"https://github.com/google-gemini/gemini-cli/blob/fb972b2f87fe7d5b06d37eac711490162d98de2c/packages/core/src/policy/policies/plan.toml#L74-L92", func(l listed) string {
				if l.is(readOnly, 't') {
					return "ask"
				}
				return "refuse"
			}},
		{"ChatGPT, developer mode", "https://developers.openai.com/api/docs/guides/developer-mode#how-to-use",
			func(l listed) string { return unless(l.is(readOnly, 't'), "ask") }},
	}
}

func listedTools() []listed {
	hints := func(h contract.Hints) string {
		var b strings.Builder
		for _, is := range []bool{h.ReadOnly, h.Destructive, h.OpenWorld} {
			b.WriteByte(map[bool]byte{true: 't', false: 'f'}[is])
		}
		return b.String()
	}
	with := func(what string, d contract.Document, arguments string) listed {
		return listed{what, hints(d.Hints()), agent.Tool{Name: "notes.tool", Contract: d, Origin: agent.OriginContract}, arguments}
	}
	without := func(what, hints string, effect risk.Effect) listed {
		return listed{what, hints, agent.Tool{Name: "notes.tool", Contract: contract.Document{Effect: effect}}, `{}`}
	}
	inside := []contract.SideEffect{{Description: "A note changes.", Reach: contract.Internal, Undo: contract.Reversible}}
	bulk := contract.Document{Effect: risk.ExternalPublication, ContentTrust: trust.Trusted, DryRun: dryrun.Required}
	return []listed{
		without("nothing declared", "---", 0),
		without("readOnlyHint", "t--", risk.ReadOnly),
		without("a write that claims to be a read", "t--", risk.ReadOnly),
		without("a destructive read", "ttf", risk.Destructive),
		without("an additive write, closed world", "fff", risk.HighRiskWrite),
		without("a destructive write", "ft-", risk.Destructive),
		with("contract: a trusted read", contract.Document{Effect: risk.ReadOnly, ContentTrust: trust.Trusted}, `{}`),
		with("contract: a read of web pages", contract.Document{Effect: risk.ReadOnly, ContentTrust: trust.PromptInjectionProne}, `{}`),
		with("contract: a reversible write inside", contract.Document{Effect: risk.LowRiskWrite, ContentTrust: trust.Trusted,
			SideEffects: inside}, `{}`),
		with("contract: an email to outside", contract.Document{Effect: risk.ExternalPublication, ContentTrust: trust.Trusted}, `{}`),
		with("contract: a bulk send", bulk, `{}`),
		with("contract: the dry run of a bulk send", bulk, `{"dryRun":true}`),
		with("contract: a deletion, confirmed by typing", contract.Document{Effect: risk.Destructive, ContentTrust: trust.Trusted,
			Confirmation: contract.ConfirmationAlways, TypedConfirmation: true}, `{}`),
		with("contract: a forbidden export", contract.Document{Effect: risk.ReadOnly, ContentTrust: trust.Sensitive,
			Risk: risk.Forbidden}, `{}`),
	}
}

// TestPolicy_BesideTheHosts records what hosts do by hints today, beside what a
// Policy does. With TOOLCONTRACT_UPDATE=1 it writes the table again.
func TestPolicy_BesideTheHosts(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	hosts := hostRules()
	b.WriteString("# What hosts do with a call\n\nWritten by a test. The hosts decide by readOnlyHint, destructiveHint and " +
		"openWorldHint, in this order: t, f, or -\nfor a hint that is not written. The policies are of this package, in a " +
		"conversation " +
		"that has read nothing, and in one\nthat has read confidential content and content that may carry instructions.\n\n| " +
		"tool | hints |")
	for _, h := range hosts {
		fmt.Fprintf(&b, " %s |", h.name)
	}
	b.WriteString(" AcceptContracts | the same, exposed | AcceptHints |\n|" + strings.Repeat("---|", len(hosts)+5) + "\n")
	accepting, hints := agent.Policy{AcceptContracts: true}, agent.Policy{AcceptHints: true}
	for _, l := range listedTools() {
		fmt.Fprintf(&b, "| %s | %s |", l.what, l.hints)
		for _, h := range hosts {
			fmt.Fprintf(&b, " %s |", h.decide(l))
		}
		exposed := agent.Exposure{Injectable: true, Confidential: true}
		fmt.Fprintf(&b, " %s | %s | %s |\n", inWords(accepting.Decide(l.tool, []byte(l.args), agent.Exposure{})),
			inWords(accepting.Decide(l.tool, []byte(l.args), exposed)), inWords(hints.Decide(l.tool, []byte(l.args), agent.Exposure{})))
	}
	b.WriteString("\nSources, as of 2026-10-02:\n\n")
	for _, h := range hosts {
		fmt.Fprintf(&b, "- %s: <%s>\n", h.name, h.source)
	}
	const file = "testdata/hosts.md"
	if os.Getenv("TOOLCONTRACT_UPDATE") == "1" {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	recorded, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(recorded), b.String())
}

func inWords(d agent.Decision) string {
	words := d.Handling.String()
	if d.Preview {
		words = "preview, " + words
	}
	if d.ByServer {
		words += " (server)"
	}
	return words
}
