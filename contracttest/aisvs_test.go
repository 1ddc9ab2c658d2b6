package contracttest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

const (
	met      = "met"
	declared = "declared"
	unmet    = "unmet"
	outside  = "outside"
)

// A refundIn has one argument of each kind that a question shows whole.
type refundIn struct {
	Invoice string   `json:"invoice" jsonschema:"maxLength=20"`
	Cents   int      `json:"cents"`
	Method  string   `json:"method" jsonschema:"enum=card,enum=transfer"`
	Reason  string   `json:"reason" contract:"review"`
	Notify  []string `json:"notify" contract:"review"`
}

// refund returns a contract that meets every requirement a contract can meet.
func refund[In any]() *contract.Builder[In, noteOut] {
	return base[In, noteOut]("refunds.issue").Effect(risk.Destructive).Permissions("refunds:issue").Timeout(time.Second).
		Authorize(func(context.Context, contract.Principal, In) error { return nil }).
		SideEffects(contract.SideEffect{
			Description: "Money is paid back.", Reach: contract.External, Undo: contract.Irreversible, OnRepeat: "It is paid again.",
		})
}

func verdicts(t *testing.T, version string, tools ...contract.Document) map[string]string {
	t.Helper()
	all, err := contracttest.AISVS(version, tools...)
	require.NoError(t, err)
	found := map[string]string{}
	for _, r := range all {
		require.NotContains(t, found, r.ID, "each number once")
		found[r.ID] = r.Verdict
	}
	return found
}

// asSummary returns a contract as a client reads it from a list of summaries.
func asSummary(t *testing.T, doc contract.Document) contract.Document {
	t.Helper()
	raw, err := json.Marshal(doc.Summary())
	require.NoError(t, err)
	summary := contract.Document{}
	require.NoError(t, json.Unmarshal(raw, &summary))
	summary.InputSchema, summary.OutputSchema = doc.InputSchema, doc.OutputSchema
	return summary
}

// judged are the requirements that a contract can meet, with those of them that
// contracts only declare or do not show.
var judged = map[string]string{
	"9.1.1": met, "9.2.1": met, "9.2.2": met, "9.2.3": met, "9.2.4": met, "9.2.8": outside, "9.3.2": met, "9.3.3": met, "9.3.4": met,
	"9.3.5": declared, "9.3.6": declared, "9.5.1": met, "9.5.3": met, "9.5.6": met, "9.6.2": met, "10.2.1": outside, "10.2.2": outside,
	"10.2.4": met, "10.2.5": met, "10.3.3": outside, "10.4.1": met, "10.4.3": met, "10.4.4": met, "10.4.5": outside,
}

func TestAISVS_AContractMeetsWhatAContractCanMeet(t *testing.T) {
	t.Parallel()
	found := verdicts(t, "1.0", refund[refundIn]().MustBuild().Document())
	for id, want := range judged {
		assert.Equal(t, want, found[id], id)
	}
	for id, verdict := range found {
		if judged[id] == "" {
			assert.Contains(t, []string{unmet, outside}, verdict, id)
		}
	}
}

// One change of the contract flips the requirements that it breaks, and no
// other one.
func TestAISVS_OneChangeFlipsItsRequirements(t *testing.T) {
	t.Parallel()
	type doc = contract.Document
	type secretIn struct {
		Key string `json:"key" contract:"secret,review"`
	}
	type longIn struct {
		Text string `json:"text"`
	}
	type wordsIn struct {
		Words []string `json:"words"`
	}
	type anyIn struct {
		Value json.RawMessage `json:"value" contract:"review"`
	}
	withInput := func(tool *contract.Tool) func(*doc) {
		return func(d *doc) { d.InputSchema = tool.Document().InputSchema }
	}
	least := func(l contract.Least) func(*doc) { return func(d *doc) { d.Resolves = &l } }
	unasked := contract.Least{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever}
	for name, test := range map[string]struct {
		change func(*doc)
		want   map[string]string
	}{
		"no timeout":                          {func(d *doc) { d.Timeout = 0 }, map[string]string{"9.1.1": unmet, "9.3.3": unmet, "9.3.4": unmet}},
		"a rate limit":                        {func(d *doc) { d.RateLimit = &contract.RateLimit{Calls: 1, Per: time.Second} }, nil},
		"never asks":                          {func(d *doc) { d.Confirmation = contract.ConfirmationNever }, unapproved(unmet, nil)},
		"asks sometimes":                      {func(d *doc) { d.Confirmation = contract.ConfirmationWhen }, unapproved(unmet, nil)},
		"declares no asking":                  {func(d *doc) { d.Confirmation = 0 }, unapproved(unmet, map[string]string{"9.6.2": unmet})},
		"another server asks":                 {func(d *doc) { d.Confirmation = contract.ConfirmationUpstream }, unapproved(declared, map[string]string{"9.6.2": declared})},
		"some calls irreversible and unasked": {least(unasked), unapproved(unmet, nil)},
		"some calls reversible and unasked": {func(d *doc) {
			least(unasked)(d)
			d.SideEffects[0].Undo = contract.Reversible
		}, nil},
		"some calls restricted and unasked": {func(d *doc) {
			least(unasked)(d)
			d.SideEffects[0].Undo, d.Risk = contract.Reversible, risk.Restricted
		}, map[string]string{"9.2.1": unmet, "9.2.2": unmet, "9.2.8": unmet}},
		"some calls at a lower risk and asked": {least(contract.Least{Risk: risk.High}), nil},
		"no class":                             {func(d *doc) { d.Reversibility = 0 }, map[string]string{"9.2.3": unmet}},
		"a class that its effect contradicts":  {func(d *doc) { d.Reversibility = risk.Reversible }, map[string]string{"9.2.3": unmet}},
		"no output schema": {func(d *doc) { d.OutputSchema = nil },
			map[string]string{"9.3.2": unmet, "9.3.3": unmet, "9.3.4": unmet, "10.4.1": unmet, "10.4.4": unmet}},
		"no permissions": {func(d *doc) { d.Permissions = nil },
			map[string]string{"9.3.3": unmet, "9.3.4": unmet, "9.5.1": unmet, "9.5.6": unmet, "10.2.5": unmet}},
		"a reason for no permissions": {func(d *doc) { d.Permissions, d.NoPermissions = nil, "They are public." },
			map[string]string{"9.5.1": unmet, "10.2.5": unmet}},
		"no authorization by arguments": {func(d *doc) { d.ObjectAuthorization = false },
			map[string]string{"9.5.1": unmet, "9.5.6": unmet, "10.2.5": unmet}},
		"no arguments to authorize": {func(d *doc) {
			d.ObjectAuthorization = false
			withInput(refund[struct{}]().MustBuild())(d)
		}, nil},
		"listed for callers without a permission": {func(d *doc) {
			d.Permissions, d.DiscoverWith = []string{"refunds:issue", "refunds:large"}, []string{"refunds:issue"}
		}, map[string]string{"10.2.4": unmet}},
		"no trust":                {func(d *doc) { d.ContentTrust = 0 }, map[string]string{"9.3.5": unmet, "9.3.6": unmet}},
		"results of strangers":    {func(d *doc) { d.ContentTrust = trust.PromptInjectionProne }, nil},
		"other forms":             {func(d *doc) { d.Lenient = []contract.Leniency{contract.TextAsNumber} }, map[string]string{"10.4.4": unmet}},
		"a secret argument":       {withInput(refund[secretIn]().MustBuild()), map[string]string{"9.2.2": unmet}},
		"a long argument":         {withInput(refund[longIn]().MustBuild()), map[string]string{"9.2.2": unmet}},
		"a list":                  {withInput(refund[wordsIn]().MustBuild()), map[string]string{"9.2.2": unmet}},
		"an argument of any kind": {withInput(refund[anyIn]().MustBuild()), map[string]string{"10.4.3": unmet, "10.4.4": unmet}},
		"an open schema": {func(d *doc) {
			d.InputSchema = json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}}}`)
		},
			map[string]string{"9.2.2": unmet, "10.4.3": unmet, "10.4.4": unmet}},
		"arguments by a pattern": {func(d *doc) {
			d.InputSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"patternProperties":{"^a":{"type":"integer"}}}`)
		}, map[string]string{"9.2.2": unmet}},
		"a pattern that nothing checks": {func(d *doc) {
			d.InputSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","maxLength":9,` +
				`"x-uncheckedPattern":"(?=a)"}}}`)
		}, map[string]string{"10.4.4": unmet}},
		"an unknown keyword": {func(d *doc) {
			d.InputSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"maxProps":1}`)
		}, map[string]string{"10.4.3": unmet, "10.4.4": unmet}},
		"a schema without an end": {func(d *doc) { d.InputSchema = json.RawMessage(`{"$ref":"#"}`) },
			map[string]string{"9.2.2": unmet, "10.4.3": unmet, "10.4.4": unmet}},
		"more arguments than a question has": {func(d *doc) {
			var all []string
			for i := range 51 {
				all = append(all, fmt.Sprintf(`"a%d":{"type":"boolean"}`, i))
			}
			d.InputSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{` + strings.Join(all, ",") + `}}`)
		}, map[string]string{"9.2.2": unmet}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := refund[refundIn]().MustBuild().Document()
			after := before.Clone()
			test.change(&after)
			was, is := verdicts(t, "1.0", before), verdicts(t, "1.0", after)
			flipped := map[string]string{}
			for id := range was {
				if was[id] != is[id] {
					flipped[id] = is[id]
				}
			}
			if test.want == nil {
				test.want = map[string]string{}
			}
			assert.Equal(t, test.want, flipped)
		})
	}
}

// unapproved returns the requirements about approval with a verdict, and more.
func unapproved(verdict string, more map[string]string) map[string]string {
	all := map[string]string{"9.2.1": verdict, "9.2.2": verdict, "9.2.4": verdict, "9.2.8": verdict}
	if verdict == declared {
		delete(all, "9.2.8") // contracts do not show it anyway
	}
	for id, v := range more {
		all[id] = v
	}
	return all
}

func TestAISVS_ATokenOfADryRunIsNoArgument(t *testing.T) {
	t.Parallel()
	tool := refund[refundIn]().DryRun(dryrun.By(
		func(context.Context, refundIn) (dryrun.Preview[struct{}], error) {
			return dryrun.Preview[struct{}]{}, nil
		}).Required())
	assert.Equal(t, met, verdicts(t, "1.0", tool.MustBuild().Document())["9.2.2"])
}

// A tool that cannot harm needs no approval, and one tool without something
// breaks the requirement for all.
func TestAISVS_EachToolCounts(t *testing.T) {
	t.Parallel()
	safe := reading("notes.read").Timeout(time.Second).MustBuild().Document()
	whole := refund[refundIn]().MustBuild().Document()
	found := verdicts(t, "1.0", safe, whole)
	for _, id := range []string{"9.1.1", "9.2.1", "9.2.2", "9.2.3", "9.2.4", "9.3.4"} {
		assert.Equal(t, met, found[id], id)
	}
	assert.Equal(t, unmet, found["9.5.1"])
	all, err := contracttest.AISVS("1.0", safe, whole)
	require.NoError(t, err)
	i := slices.IndexFunc(all, func(r contracttest.Requirement) bool { return r.ID == "9.5.1" })
	assert.Contains(t, all[i].Lacks, "notes.read")
	assert.Contains(t, all[i].By, "refunds.issue")
}

func TestAISVS_WithoutContractsNothingIsMet(t *testing.T) {
	t.Parallel()
	whole := refund[refundIn]().MustBuild().Document()
	forbidden := whole.Clone()
	forbidden.Risk = risk.Forbidden
	newer := whole.Clone()
	newer.Format = contract.Format + 1
	for name, tools := range map[string][]contract.Document{
		"no tools":                  nil,
		"only forbidden tools":      {forbidden},
		"a tool without a contract": {whole, {Name: "plain", InputSchema: whole.InputSchema, OutputSchema: whole.OutputSchema}},
		"a format of the future":    {newer},
	} {
		for _, version := range []string{"1.0", "1.01-dev"} {
			for id, verdict := range verdicts(t, version, tools...) {
				assert.Contains(t, []string{unmet, outside}, verdict, "%s: %s", name, id)
			}
		}
	}
	assert.Equal(t, verdicts(t, "1.0", whole), verdicts(t, "1.0", whole, forbidden), "no server lists a forbidden tool")
}

// What a summary leaves out is not met, and what it shows is judged as before.
func TestAISVS_ASummaryShowsLess(t *testing.T) {
	t.Parallel()
	doc := refund[refundIn]().MustBuild().Document()
	was, is := verdicts(t, "1.0", doc), verdicts(t, "1.0", asSummary(t, doc))
	for _, id := range []string{"9.1.1", "9.3.3", "9.3.4", "9.5.1", "9.5.6", "10.2.4", "10.2.5", "10.4.3", "10.4.4"} {
		assert.Equal(t, unmet, is[id], id)
		delete(is, id)
	}
	for id, verdict := range is {
		assert.Equal(t, was[id], verdict, id)
	}
	unasked := contract.Least{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever}
	resolving := refund[refundIn]().Resolve(unasked, func(refundIn) contract.Resolution { return contract.Resolution{} })
	assert.Equal(t, unmet, verdicts(t, "1.0", asSummary(t, resolving.MustBuild().Document()))["9.2.1"], "what of it is irreversible is not listed")
}

func TestAISVS_IsTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	tools := []contract.Document{refund[refundIn]().MustBuild().Document(), reading("notes.read").MustBuild().Document(), {Name: "plain"}}
	one, err := contracttest.AISVS("1.0", tools...)
	require.NoError(t, err)
	slices.Reverse(tools)
	other, err := contracttest.AISVS("1.0", tools...)
	require.NoError(t, err)
	first, err := json.Marshal(one)
	require.NoError(t, err)
	second, err := json.Marshal(other)
	require.NoError(t, err)
	assert.Equal(t, string(first), string(second))
}

func TestAISVS_VersionsHaveRequirementsOfTheirOwn(t *testing.T) {
	t.Parallel()
	doc := refund[refundIn]().MustBuild().Document()
	locked, next := verdicts(t, "1.0", doc), verdicts(t, "1.01-dev", doc)
	assert.NotContains(t, locked, "10.4.9")
	assert.Contains(t, next, "10.4.9")
	assert.NotEqual(t, locked["10.2.7"], next["10.2.7"])
	_, err := contracttest.AISVS("2.0", doc)
	assert.Error(t, err)
}
