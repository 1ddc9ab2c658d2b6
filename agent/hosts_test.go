package agent_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/host"
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

// decidedBy returns what a mode of a host does before a call of the tool.
func (l listed) decidedBy(h host.Host, mode string) string {
	is := func(hint byte) *bool {
		if hint == '-' {
			return nil
		}
		value := hint == 't'
		return &value
	}
	do, review := h.Decide(mode, host.Hints{ReadOnly: is(l.hints[0]), Destructive: is(l.hints[1]), OpenWorld: is(l.hints[2])})
	if review {
		return string(do) + ", shows the result first"
	}
	return string(do)
}

// hostModes are the modes of hosts in the table.
var hostModes = []string{
	"vscode/default", "codex/auto", "claude-code/default", "claude-code/plan", "claude-desktop/cowork-auto", "gemini/plan",
	"chatgpt/dev", "cursor/reads", "goose/smart", "copilot-cli/default", "docker-agent/default",
}

// A hostColumn is a column of the table.
type hostColumn struct {
	host        host.Host
	mode, title string
	source      string
}

func hostColumns(t *testing.T) []hostColumn {
	t.Helper()
	var all []hostColumn
	for _, name := range hostModes {
		of, mode, _ := strings.Cut(name, "/")
		found, err := host.Find(of)
		require.NoError(t, err)
		i := slices.IndexFunc(found[0].Modes, func(m host.Mode) bool { return m.Name == mode })
		require.GreaterOrEqual(t, i, 0, name)
		f := found[0].Modes[i].Fact
		source := f.Source
		if strings.HasPrefix(source, "https://") {
			source = "<" + source + ">"
		}
		if !f.Confirmed() {
			source += " (unconfirmed)"
		}
		all = append(all, hostColumn{found[0], mode, found[0].Title + ", " + mode, source + ", " + found[0].Date})
	}
	return all
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
	hosts := hostColumns(t)
	b.WriteString("# What hosts do with a call\n\nWritten by a test. The hosts decide by readOnlyHint, destructiveHint and " +
		"openWorldHint, in this order: t, f, or -\nfor a hint that is not written. The policies are of this package, in a " +
		"conversation " +
		"that has read nothing, and in one\nthat has read confidential content and content that may carry instructions.\n\n| " +
		"tool | hints |")
	for _, h := range hosts {
		fmt.Fprintf(&b, " %s |", h.title)
	}
	b.WriteString(" AcceptContracts | the same, exposed | AcceptHints |\n|" + strings.Repeat("---|", len(hosts)+5) + "\n")
	accepting, hints := agent.Policy{AcceptContracts: true}, agent.Policy{AcceptHints: true}
	for _, l := range listedTools() {
		fmt.Fprintf(&b, "| %s | %s |", l.what, l.hints)
		for _, h := range hosts {
			fmt.Fprintf(&b, " %s |", l.decidedBy(h.host, h.mode))
		}
		exposed := agent.Exposure{Injectable: true, Confidential: true}
		fmt.Fprintf(&b, " %s | %s | %s |\n", inWords(accepting.Decide(l.tool, []byte(l.args), agent.Exposure{})),
			inWords(accepting.Decide(l.tool, []byte(l.args), exposed)), inWords(hints.Decide(l.tool, []byte(l.args), agent.Exposure{})))
	}
	b.WriteString("\nSources:\n\n")
	for _, h := range hosts {
		fmt.Fprintf(&b, "- %s: %s\n", h.title, h.source)
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
