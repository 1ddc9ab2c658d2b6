package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
)

// fact is a fact with its value and its origin.
type fact struct {
	value  string
	origin string
}

func TestRefresh_FactsHaveTheirOrigin(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tool string
		want map[string]fact
	}{
		"a contract in _meta": {
			declared("a", `"risk":"high","effect":"high-risk-write","contentTrust":"sensitive","confirmation":"never",`+
				`"dryRun":"supported",`+
				`"version":"1.2.3","idempotency":{"mode":"managed"},"permissions":["a:b"],"aliases":["b"],"deprecated":{"since":"1.1.0"}`),
			map[string]fact{
				"risk": {"high", "contract"}, "effect": {"high-risk-write", "contract"}, "contentTrust": {"sensitive",
					"contract"},
				"confirmation": {"never", "contract"}, "dryRun": {"supported", "contract"}, "version": {"1.2.3",
					"contract"},
				"idempotency": {"managed", "contract"}, "permissions": {"a:b", "contract"},
				"aliases":         {"b", "contract"},
				"deprecatedSince": {"1.1.0", "contract"},
			},
		},
		"the keys of gateways": {
			tool("a", `"annotations":{"risk_level":"external-publication","content_trust_risk":"untrusted","version":"2.1.0",`+
				`"deprecated_since":"2.0.0","aliases":["b","c"],"idempotentHint":true}`),
			map[string]fact{
				"risk": {"critical", "annotations"}, "effect": {"external-publication", "annotations"},
				"contentTrust": {"untrusted", "annotations"},
				"confirmation": {"always", "annotations"}, "version": {"2.1.0", "annotations"},
				"deprecatedSince": {"2.0.0", "annotations"},
				"aliases":         {"b c", "annotations"}, "idempotency": {"native", "hints"}, "dryRun": {},
			},
		},
		"hints": {
			tool("a", `"annotations":{"readOnlyHint":true}`),
			map[string]fact{
				"risk": {"low", "hints"}, "effect": {"read-only", "hints"}, "contentTrust": {"prompt-injection-prone",
					"guess"},
				"confirmation": {"never", "hints"}, "version": {}, "idempotency": {},
			},
		},
		"nothing": {
			tool("a", ""),
			map[string]fact{
				"risk": {"critical", "guess"}, "effect": {"destructive", "guess"},
				"contentTrust": {"prompt-injection-prone", "guess"},
				"confirmation": {"always", "guess"},
			},
		},
		"a contract before keys before hints": {
			tool("a", `"_meta":{"io.github.toolcontract/contract":{"format":1,"effect":"low-risk-write"}},`+
				`"annotations":{"risk_level":"read-only","content_trust_risk":"trusted","readOnlyHint":true}`),
			map[string]fact{"effect": {"low-risk-write", "contract"}, "risk": {"medium", "contract"},
				"contentTrust": {"trusted", "annotations"}},
		},
		"unknown values are the strictest ones": {
			tool("a", `"_meta":{"io.github.toolcontract/contract":{"format":2,"risk":"harmless","effect":"none","confirmation":"no",`+
				`"contentTrust":7}},"annotations":{"readOnlyHint":true}`),
			map[string]fact{
				"risk": {"critical", "guess"}, "effect": {"destructive", "guess"}, "confirmation": {"always",
					"guess"},
				"contentTrust": {"prompt-injection-prone", "guess"},
			},
		},
		"a contract that is no object": {
			tool("a", `"_meta":{"io.github.toolcontract/contract":"low"},"annotations":{"readOnlyHint":true}`),
			map[string]fact{"risk": {"critical", "guess"}, "effect": {"destructive", "guess"}},
		},
		"a risk below the floor of the effect": {
			declared("a", `"risk":"low","effect":"destructive","confirmation":"never"`),
			map[string]fact{"risk": {"critical", "contract"}, "confirmation": {"always", "contract"}},
		},
		"a confirmation that depends on the arguments": {
			declared("a", `"risk":"high","effect":"high-risk-write","confirmation":"when"`),
			map[string]fact{"confirmation": {"always", "contract"}},
		},
		"a confirmation by another server": {
			declared("a", `"risk":"high","effect":"high-risk-write","confirmation":"upstream"`),
			map[string]fact{"confirmation": {"always", "contract"}},
		},
		"a class": {
			declared("a", `"effect":"low-risk-write","reversibility":"reversible","sideEffects":[{"description":"A row."}]`),
			map[string]fact{"reversibility": {"reversible", "contract"}},
		},
		"a class that follows from the side effects": {
			declared("a", `"effect":"low-risk-write","sideEffects":[{"description":"A row.","reach":"external","undo":"reversible"}]`),
			map[string]fact{"reversibility": {"reversible-outside", "contract"}},
		},
		"a class below that of the effect": {
			tool("a", `"_meta":{"io.github.toolcontract/contract":{"format":1,"reversibility":"read-only"}},`+
				`"annotations":{"risk_level":"paid-operation"}`),
			map[string]fact{"reversibility": {"reversible-outside", "annotations"}},
		},
		"a class that is not known": {
			declared("a", `"effect":"low-risk-write","reversibility":"sometimes","sideEffects":[{"description":"A row.",`+
				`"reach":"internal","undo":"reversible"}]`),
			map[string]fact{"reversibility": {"irreversible", "guess"}},
		},
		"a class of a tool without a contract": {
			tool("a", `"annotations":{"destructiveHint":false}`), map[string]fact{"reversibility": {"irreversible", "hints"}},
		},
		"members in another case are unknown": {
			tool("a", `"annotations":{"READONLYHINT":true,"Risk_Level":"read-only"}`),
			map[string]fact{"effect": {"destructive", "guess"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := entry(t, refresh(t, newCatalog(t, mail(listing(test.tool)))), "a")
			assert.Equal(t, catalog.Served, e.Status)
			assert.Len(t, e.Facts, 11)
			for name, want := range test.want {
				found := e.Fact(name)
				assert.Equal(t, want, fact{found.Effective, found.Origin}, name)
				assert.Equal(t, want, fact{found.Declared, found.DeclaredBy}, name)
			}
		})
	}
}

func TestRefresh_TheOperatorDecides(t *testing.T) {
	t.Parallel()
	listed := declared("a", `"risk":"critical","effect":"destructive","contentTrust":"untrusted","confirmation":"always",`+
		`"dryRun":"required"`)
	for name, test := range map[string]struct {
		override string
		want     map[string]fact
	}{
		"a weaker effect has its usual risk": {
			`{"reason":"Reviewed.","effect":"low-risk-write"}`,
			map[string]fact{"effect": {"low-risk-write", "operator"}, "risk": {"medium", "operator"},
				"confirmation": {"always", "contract"}},
		},
		"a confirmation that is not needed": {
			`{"reason":"Reviewed.","effect":"low-risk-write","confirmation":"never"}`,
			map[string]fact{"confirmation": {"never", "operator"}},
		},
		"a critical tool always asks": {
			`{"reason":"Reviewed.","confirmation":"never"}`,
			map[string]fact{"confirmation": {"always", "contract"}},
		},
		"a trust": {`{"reason":"Reviewed.","contentTrust":"trusted"}`, map[string]fact{"contentTrust": {"trusted",
			"operator"}}},
		"a veto":      {`{"reason":"Never.","veto":true}`, map[string]fact{"risk": {"forbidden", "operator"}}},
		"permissions": {`{"reason":"Ours.","permissions":["x:y"]}`, map[string]fact{"permissions": {"x:y", "operator"}}},
		"a managed key": {`{"reason":"Ours.","idempotency":"managed"}`, map[string]fact{"idempotency": {"managed",
			"operator"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := entry(t, refresh(t, newCatalog(t, mail(listing(listed)), withOverrides(overrides(t, `{"a":`+test.override+`}`)))),
				"a")
			for name, want := range test.want {
				found := e.Fact(name)
				assert.Equal(t, want, fact{found.Effective, found.Origin}, name)
			}
			assert.Equal(t, "critical", e.Fact(catalog.FactRisk).Declared, "what the server declares stays visible")
		})
	}
}

// The class follows from the effective facts, and the operator decides what
// they leave open.
func TestRefresh_TheOperatorDecidesTheClass(t *testing.T) {
	t.Parallel()
	whole := `"sideEffects":[{"description":"A row.","reach":"internal","undo":"reversible"}]`
	short := `"sideEffects":[{"description":"A row."}]`
	for name, test := range map[string]struct {
		listed, override string
		want             fact
	}{
		"a milder effect": {`"effect":"destructive","reversibility":"irreversible",` + whole, `"effect":"low-risk-write"`,
			fact{"reversible", "operator"}},
		"a graver effect": {`"effect":"low-risk-write","reversibility":"reversible",` + whole, `"effect":"destructive"`,
			fact{"irreversible", "operator"}},
		"another effect of a summary": {`"effect":"low-risk-write","reversibility":"reversible",` + short, `"effect":"paid-operation"`,
			fact{"irreversible", "operator"}},
		"a lower class": {`"effect":"low-risk-write","reversibility":"irreversible",` + short, `"reversibility":"reversible"`,
			fact{"reversible", "operator"}},
		"a higher class": {`"effect":"low-risk-write","reversibility":"reversible",` + whole, `"reversibility":"irreversible"`,
			fact{"irreversible", "operator"}},
		"a class that the effect contradicts": {`"effect":"paid-operation","reversibility":"irreversible",` + short,
			`"reversibility":"reversible"`, fact{"reversible-outside", "contract"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cycle := refresh(t, newCatalog(t, mail(listing(tool("a", `"description":"A tool.","_meta":{"io.github.toolcontract/contract":`+
				`{"format":1,`+test.listed+`}}`))), withOverrides(overrides(t, `{"a":{"reason":"Reviewed.",`+test.override+`}}`))))
			e := entry(t, cycle, "a")
			found := e.Fact("reversibility")
			assert.Equal(t, test.want, fact{found.Effective, found.Origin})
			assert.Equal(t, test.want.value, e.Effective.Reversibility.String())
			built, err := served(cycle, contract.Base{NoPermissions: "A test."})
			require.NoError(t, err)
			assert.Equal(t, test.want.value, built[0].Document().Reversibility.String(), "the gateway publishes the same class")
		})
	}
}

func TestRefresh_AdviceCountsOnlyIfItIsStricter(t *testing.T) {
	t.Parallel()
	listed := declared("a", `"risk":"high","effect":"high-risk-write","contentTrust":"sensitive","confirmation":"always"`)
	weaker := overrides(t, `{"a":{"reason":"Somebody else.","effect":"read-only","risk":"low","contentTrust":"trusted",`+
		`"confirmation":"never","idempotency":"native"}}`)
	e := entry(t, refresh(t, newCatalog(t, mail(listing(listed)), withAdvice(weaker))), "a")
	for _, f := range e.Facts {
		assert.NotEqual(t, "advice", f.Origin, f.Name)
	}
	assert.Equal(t, "high-risk-write", e.Fact(catalog.FactEffect).Effective)

	repeatable := declared("a", `"effect":"low-risk-write","idempotency":{"mode":"native"}`)
	distrust := overrides(t, `{"a":{"reason":"Somebody else.","idempotency":"none"}}`)
	e = entry(t, refresh(t, newCatalog(t, mail(listing(repeatable)), withAdvice(distrust))), "a")
	assert.Equal(t, fact{"none", "advice"}, fact{e.Fact("idempotency").Effective, e.Fact("idempotency").Origin})

	open := declared("a", `"effect":"low-risk-write","reversibility":"reversible-outside"`)
	for advice, want := range map[string]fact{"irreversible": {"irreversible", "advice"}, "reversible": {"reversible-outside",
		"contract"}} {
		doubt := overrides(t, `{"a":{"reason":"Somebody else.","reversibility":"`+advice+`"}}`)
		e = entry(t, refresh(t, newCatalog(t, mail(listing(open)), withAdvice(doubt))), "a")
		assert.Equal(t, want, fact{e.Fact("reversibility").Effective, e.Fact("reversibility").Origin})
	}

	stricter := overrides(t, `{"a":{"reason":"Somebody else.","effect":"destructive","permissions":["x:y"]}}`)
	operator := overrides(t, `{"a":{"reason":"Reviewed.","risk":"critical"}}`)
	e = entry(t, refresh(t, newCatalog(t, mail(listing(listed)), withAdvice(stricter), withOverrides(operator))),
		"a")
	assert.Equal(t, fact{"destructive", "advice"}, fact{e.Fact("effect").Effective, e.Fact("effect").Origin})
	assert.Equal(t, fact{"x:y", "advice"}, fact{e.Fact("permissions").Effective, e.Fact("permissions").Origin})
	assert.Equal(t, fact{"critical", "operator"}, fact{e.Fact("risk").Effective, e.Fact("risk").Origin})
}

func TestRefresh_AVetoedToolIsForbidden(t *testing.T) {
	t.Parallel()
	s := listing(tool("wipe", ""))
	path := stateFile(t)
	cycle := refresh(t, newCatalog(t, mail(s), withStateFile(path),
		withOverrides(overrides(t, `{"wipe":{"reason":"No agent needs it.","veto":true}}`))))
	e := entry(t, cycle, "wipe")
	assert.Equal(t, catalog.Vetoed, e.Status)
	assert.Equal(t, catalog.Veto, e.Fact(catalog.FactRisk).Flag)
	assert.Contains(t, cycle.Rows(), catalog.Row{Cycle: 1, Tool: "wipe", Fact: "risk", Declared: "critical", Effective: "forbidden",
		Origin: "operator", Flag: catalog.Veto})

	e = entry(t, refresh(t, newCatalog(t, mail(s), withStateFile(path))), "wipe")
	assert.Equal(t, catalog.Served, e.Status, "a veto that is lifted is no downgrade")
	assert.Equal(t, "critical", e.Fact(catalog.FactRisk).Effective)
}
