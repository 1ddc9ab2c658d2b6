package keys_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/keys"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A declaration is one set of facts in the words of mcp-tool-contract.
type declaration struct {
	Risk            string   `json:"risk"`
	ContentTrust    string   `json:"content_trust"`
	Idempotent      bool     `json:"idempotent"`
	Version         string   `json:"version"`
	DeprecatedSince *string  `json:"deprecated_since"`
	Aliases         []string `json:"aliases"`
}

// declarations returns all combinations of the facts.
func declarations() []declaration {
	var all []declaration
	since := "1.4.0"
	for _, r := range []string{"read-only", "low-risk-write", "high-risk-write", "external-publication", "paid-operation",
		"destructive"} {
		for _, c := range []string{"trusted", "untrusted", "sensitive", "prompt-injection-prone"} {
			for bits := range 8 {
				d := declaration{Risk: r, ContentTrust: c, Idempotent: bits&1 != 0, Version: fmt.Sprintf("2.%d.0", bits), Aliases: []string{}}
				if bits&2 != 0 {
					d.DeprecatedSince = &since
				}
				if bits&4 != 0 {
					d.Aliases = []string{"mail.post", "mail.dispatch"}
				}
				all = append(all, d)
			}
		}
	}
	return all
}

// document returns the contract with the facts.
func (d declaration) document(t *testing.T) contract.Document {
	t.Helper()
	doc := contract.Document{Name: "mail.send", Version: d.Version, Aliases: d.Aliases}
	require.NoError(t, doc.Effect.UnmarshalText([]byte(d.Risk)))
	require.NoError(t, doc.ContentTrust.UnmarshalText([]byte(d.ContentTrust)))
	if d.Idempotent {
		doc.Idempotency = &contract.Idempotency{Mode: idempotency.Native}
	}
	if d.DeprecatedSince != nil {
		doc.Deprecated = &contract.Deprecation{Since: *d.DeprecatedSince}
	}
	return doc
}

// annotations returns what mcp-tool-contract documents for the facts.
func (d declaration) annotations() map[string]any {
	all := map[string]any{
		"readOnlyHint": d.Risk == "read-only", "destructiveHint": d.Risk == "destructive", "idempotentHint": d.Idempotent,
		"risk_level": d.Risk, "content_trust_risk": d.ContentTrust, "version": d.Version,
	}
	if d.DeprecatedSince != nil {
		all["deprecated_since"] = *d.DeprecatedSince
	}
	if len(d.Aliases) > 0 {
		all["aliases"] = []any{"mail.post", "mail.dispatch"}
	}
	return all
}

func decoded(t *testing.T, v any) map[string]any {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	var all map[string]any
	require.NoError(t, json.Unmarshal(data, &all))
	return all
}

func TestOf_EveryEffectTrustAndOptionalFact(t *testing.T) {
	t.Parallel()
	for _, d := range declarations() {
		assert.Equal(t, d.annotations(), decoded(t, keys.Of(d.document(t))), "%+v", d)
	}
}

// TestOf_AgreesWithThePythonPackage needs mcp-tool-contract 0.1 where python3
// finds it.
func TestOf_AgreesWithThePythonPackage(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	if exec.CommandContext(t.Context(), python, "-c", "import mcp_tool_contract").Run() != nil {
		t.Skip("the Python package mcp-tool-contract is not installed")
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", `
import json, sys
from mcp_tool_contract import tool, tool_annotations
def annotations(facts):
    def f(): ...
    return tool_annotations(tool(**facts)(f))
json.dump([annotations(facts) for facts in json.load(sys.stdin)], sys.stdout)
`)
	all := declarations()
	in, err := json.Marshal(all)
	require.NoError(t, err)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	require.NoError(t, err)
	var want []map[string]any
	require.NoError(t, json.Unmarshal(out, &want))
	require.Len(t, want, len(all))
	for i, d := range all {
		assert.Equal(t, want[i], decoded(t, keys.Of(d.document(t))), "%+v", d)
	}
}

func TestOf_UndeclaredFactsAreTheStrictest(t *testing.T) {
	t.Parallel()
	assert.Equal(t, keys.Keys{
		DestructiveHint: true, RiskLevel: risk.Destructive, ContentTrustRisk: trust.PromptInjectionProne,
	}, keys.Of(contract.Document{}))
}

func TestOf_IdempotencyIsAsDeclared(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		declared contract.Idempotency
		want     bool
	}{
		"none":           {contract.Idempotency{Mode: idempotency.None}, false},
		"native":         {contract.Idempotency{Mode: idempotency.Native}, true},
		"all arguments":  {contract.Idempotency{Mode: idempotency.Managed}, false},
		"an allowed key": {contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}, false},
		"a required key": {contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true}, true},
		"key fields":     {contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"id"}}, true},
		"an atomic tool": {contract.Idempotency{Mode: idempotency.Managed, Atomic: true}, true},
		"a keyed tool":   {contract.Idempotency{Mode: idempotency.Keyed}, false},
	} {
		for _, effect := range []risk.Effect{risk.ReadOnly, risk.LowRiskWrite} {
			doc := contract.Document{Effect: effect, Idempotency: &c.declared}
			assert.Equal(t, c.want, keys.Of(doc).IdempotentHint, "%s, %s", name, effect)
			assert.Equal(t, effect == risk.ReadOnly || c.want, doc.Hints().Idempotent, "%s, %s", name, effect)
		}
	}
	assert.False(t, keys.Of(contract.Document{Effect: risk.ReadOnly}).IdempotentHint)
}

func TestFor_KnowsTheListedNamesInTheirNaming(t *testing.T) {
	t.Parallel()
	handler := func(context.Context, struct{}) (string, error) { return "", nil }
	tool := contract.New("mail.send", handler).Description("Sends an email.").Version("2.1.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).Aliases("mail.post").MustBuild()
	for naming, names := range map[contract.Naming][]string{
		contract.Underscore: {"mail_send", "mail_post"}, contract.Dotted: {"mail.send", "mail.post"},
	} {
		lookup := keys.For(naming, nil, tool)
		want := keys.Of(tool.Document())
		want.Aliases = names[1:]
		keys, ok := lookup(names[0])
		assert.True(t, ok)
		assert.Equal(t, want, keys)
		for _, unlisted := range []string{names[1], "plain", ""} {
			_, ok = lookup(unlisted)
			assert.False(t, ok, unlisted)
		}
	}
	assert.Equal(t, []string{"mail.post"}, tool.Document().Aliases)
}

func ExampleOf() {
	keys, err := json.Marshal(keys.Of(contract.Document{
		Name: "mail.send", Version: "2.1.0", Effect: risk.ExternalPublication, ContentTrust: trust.Trusted,
		Aliases: []string{"mail.post"},
	}))
	fmt.Println(string(keys), err)
	// Output: {"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"risk_level":"external-publication","content_trust_risk":"trusted","version":"2.1.0","aliases":["mail.post"]} <nil>
}
