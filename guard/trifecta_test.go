package guard_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// replies returns a read-only tool that returns a text.
func replies(name string) *contract.Builder[empty, string] {
	return contract.New(name, func(context.Context, empty) (string, error) { return "done", nil }).
		Description("Replies.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).NoPermissions("A test.")
}

// leaking returns three tools of which the last sends data, changed by an edit.
func leaking(edit func(*contract.Builder[empty, string]) *contract.Builder[empty, string]) []*contract.Tool {
	return []*contract.Tool{
		replies("web.fetch").Trust(trust.PromptInjectionProne).MustBuild(),
		replies("mail.list").Trust(trust.Sensitive).MustBuild(),
		edit(replies("web.post").Sends()).MustBuild(),
	}
}

func TestWithTrifectaConfirmation_DemandsAConfirmationOfTheToolThatSends(t *testing.T) {
	t.Parallel()
	type builder = contract.Builder[empty, string]
	always := func(b *builder) *builder { return b.ConfirmAlways() }
	for name, c := range map[string]struct {
		edit    func(*builder) *builder
		opts    []guard.Option
		refused bool
	}{
		"never asks":      {func(b *builder) *builder { return b }, nil, true},
		"sometimes asks":  {func(b *builder) *builder { return b.ConfirmWhen(func(empty) bool { return false }) }, nil, true},
		"always asks":     {always, nil, false},
		"is only audited": {always, []guard.Option{guard.WithAuditOnly("web.post", "confirmation")}, true},
		"can waive it": {func(b *builder) *builder {
			return b.ConfirmAlways().Resolve(contract.Least{Confirmation: contract.ConfirmationNever}, func(empty) contract.Resolution {
				return contract.Resolution{}
			})
		}, nil, true},
		"resolves and cannot waive it": {func(b *builder) *builder {
			return b.Risk(risk.High).ConfirmAlways().Resolve(contract.Least{Risk: risk.Medium},
				func(empty) contract.Resolution { return contract.Resolution{} })
		}, nil, false},
		"is forbidden": {func(b *builder) *builder { return b.Risk(risk.Forbidden) }, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, err := guard.New(append(c.opts, guard.WithPrincipal(guard.PrincipalFunc(fromContext)), guard.WithTrifectaConfirmation())...)
			require.NoError(t, err)
			_, err = g.Protect(leaking(c.edit)...)
			mistakes := contract.DeclarationErrors(err)
			if !c.refused {
				require.NoError(t, err)
				return
			}
			require.Len(t, mistakes, 1)
			assert.Equal(t, "protect.trifecta", mistakes[0].Rule)
			assert.Equal(t, "web.post", mistakes[0].Tool)
			assert.Equal(t, "confirmation", mistakes[0].Where)
			assert.NotEmpty(t, mistakes[0].Remedy)
		})
	}
}

func TestProtect_WithoutThePolicyServesToolsThatCanLeak(t *testing.T) {
	t.Parallel()
	g, err := guard.New(guard.WithPrincipal(guard.PrincipalFunc(fromContext)))
	require.NoError(t, err)
	_, err = g.Protect(leaking(func(b *contract.Builder[empty, string]) *contract.Builder[empty, string] { return b })...)
	require.NoError(t, err)
}

func TestWithTrifectaConfirmation_AlsoChecksToolsThatAreAddedLater(t *testing.T) {
	t.Parallel()
	tools := leaking(func(b *contract.Builder[empty, string]) *contract.Builder[empty, string] { return b })
	g, err := guard.New(guard.WithPrincipal(guard.PrincipalFunc(fromContext)), guard.WithTrifectaConfirmation())
	require.NoError(t, err)
	set, err := g.Protect(tools[1], tools[2])
	require.NoError(t, err, "nothing untrusted")
	_, err = set.With(tools[0])
	mistakes := contract.DeclarationErrors(err)
	require.Len(t, mistakes, 1)
	assert.Equal(t, "web.post", mistakes[0].Tool)
}

func TestOutcome_HasWhatTheContractDeclaresThatAToolReads(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{
		replies("a.silent").Trust(trust.Untrusted).MustBuild(),
		replies("b.declared").Trust(trust.Untrusted).Reads(contract.PrivateData).MustBuild(),
	})
	assert.Empty(t, k.call(alice, "a.silent", "").Outcome.Reads)
	assert.Equal(t, []contract.DataKind{contract.PrivateData, contract.UntrustedData}, k.call(alice, "b.declared", "").Outcome.Reads)
}

func TestWithIFCLabels_LabelsResults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool *contract.Builder[empty, string]
		want string
	}{
		"trusted, undeclared": {replies("a.tool"), `{"integrity":"trusted","confidentiality":"private"}`},
		"trusted and public":  {replies("a.tool").Reads(contract.PublicData), `{"integrity":"trusted","confidentiality":"public"}`},
		"sensitive":           {replies("a.tool").Trust(trust.Sensitive), `{"integrity":"trusted","confidentiality":"private"}`},
		"untrusted and public": {replies("a.tool").Trust(trust.Untrusted).Reads(contract.PublicData),
			`{"integrity":"untrusted","confidentiality":"public"}`},
		"untrusted and private": {replies("a.tool").Trust(trust.Untrusted).Reads(contract.PrivateData),
			`{"integrity":"untrusted","confidentiality":"private"}`},
		"sensitive, untrusted": {replies("a.tool").Trust(trust.Sensitive).Reads(contract.UntrustedData),
			`{"integrity":"untrusted","confidentiality":"private"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools := []*contract.Tool{c.tool.MustBuild()}
			assert.NotContains(t, newKit(t, tools).call(alice, "a.tool", "").Meta, guard.MetaKeyIFC)
			label, err := json.Marshal(newKit(t, tools, guard.WithIFCLabels()).call(alice, "a.tool", "").Meta[guard.MetaKeyIFC])
			require.NoError(t, err)
			assert.JSONEq(t, c.want, string(label))
		})
	}
}

func TestWithIFCLabels_KeepsAStricterLabelOfTheHandler(t *testing.T) {
	t.Parallel()
	label := func(integrity, confidentiality any) map[string]any {
		return map[string]any{"integrity": integrity, "confidentiality": confidentiality}
	}
	for name, c := range map[string]struct {
		own  any
		want guard.IFCLabel
	}{
		"weaker":     {label("trusted", "public"), guard.IFCLabel{Integrity: "trusted", Confidentiality: "public"}},
		"untrusted":  {label("untrusted", "public"), guard.IFCLabel{Integrity: "untrusted", Confidentiality: "public"}},
		"private":    {label("trusted", "private"), guard.IFCLabel{Integrity: "trusted", Confidentiality: "private"}},
		"readers":    {label("trusted", []any{"ann"}), guard.IFCLabel{Integrity: "trusted", Confidentiality: "private"}},
		"partial":    {map[string]any{"integrity": "trusted"}, guard.IFCLabel{Integrity: "trusted", Confidentiality: "private"}},
		"unreadable": {"trusted", guard.IFCLabel{Integrity: "untrusted", Confidentiality: "private"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := map[string]any{"ifc": c.own, "other": 1}
			tool := replying(contract.Reply[string]{Out: "x", Meta: own}).Trust(trust.Trusted).Reads(contract.PublicData).MustBuild()
			k := newKit(t, []*contract.Tool{tool}, guard.WithIFCLabels())
			meta := k.call(alice, "art.show", "").Meta
			assert.Equal(t, c.want, meta[guard.MetaKeyIFC])
			assert.Contains(t, meta, "other")
			assert.Equal(t, c.own, own["ifc"], "the handler's own map does not change")
		})
	}
}
