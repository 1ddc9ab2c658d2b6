package contracttest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard/people"
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

// refund returns a contract that meets every requirement that a contract can
// meet.
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
	"9.2.1": outside, "9.2.2": met, "9.2.3": met, "9.2.4": met, "9.2.8": outside,
	"9.3.2": met, "9.3.3": met,
	"9.3.5": declared, "9.3.6": declared, "9.5.1": met, "9.5.3": met, "9.5.6": outside, "9.6.2": met,
	"10.2.1": outside, "10.2.2": outside,
	"10.2.4": outside, "10.2.5": outside, "10.3.3": outside, "10.4.1": met, "10.4.3": met, "10.4.4": met, "10.4.5": outside,
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

// Each change of the contract flips the requirements that it breaks, and no
// others.
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
	withSchema := func(members string) func(*doc) {
		return func(d *doc) { d.InputSchema = json.RawMessage(`{"type":"object",` + members + `}`) }
	}
	const closed = `"additionalProperties":false`
	least := func(l contract.Least, effects ...contract.SideEffect) func(*doc) {
		return func(d *doc) { d.Resolves, d.SideEffects = &l, effects }
	}
	unasked := contract.Least{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever}
	reversible := contract.SideEffect{Description: "Money is reserved.", Reach: contract.Internal, Undo: contract.Reversible}
	final := contract.SideEffect{Description: "Money is gone.", Reach: contract.Internal, Undo: contract.Irreversible}
	var many []string
	for i := range 51 {
		many = append(many, fmt.Sprintf(`"a%d":{"type":"boolean"}`, i))
	}
	const approval, results = "9.2.1 9.2.2 9.2.4", "9.3.2 9.3.3 10.4.1 10.4.4"
	for name, test := range map[string]struct {
		change          func(*doc)
		unmet, declared string // the requirements that get this verdict
	}{
		"no timeout":     {change: func(d *doc) { d.Timeout = 0 }, unmet: "9.3.3"},
		"a rate limit":   {change: func(d *doc) { d.RateLimit = &contract.RateLimit{Calls: 1, Per: time.Second} }},
		"never asks":     {change: func(d *doc) { d.Confirmation = contract.ConfirmationNever }, unmet: approval + " 9.2.8"},
		"asks sometimes": {change: func(d *doc) { d.Confirmation = contract.ConfirmationWhen }, unmet: approval + " 9.2.8"},
		"declares no confirmation": {
			change: func(d *doc) { d.Confirmation = 0 }, unmet: approval + " 9.2.8 9.6.2",
		},
		"another server asks": {
			change: func(d *doc) { d.Confirmation = contract.ConfirmationUpstream }, declared: "9.2.2 9.2.4 9.6.2",
		},
		"some calls irreversible and unasked":            {change: least(unasked, reversible, final), unmet: approval + " 9.2.8"},
		"some calls with undeclared effects and unasked": {change: least(unasked), unmet: approval + " 9.2.8"},
		"some calls reversible and unasked":              {change: least(unasked, reversible)},
		"some calls restricted and unasked": {change: func(d *doc) {
			least(unasked, reversible)(d)
			d.Risk = risk.Restricted
		}, unmet: "9.2.1 9.2.2 9.2.8"},
		"some calls at a lower risk and asked": {change: least(contract.Least{Risk: risk.High}, final)},
		"no class":                             {change: func(d *doc) { d.Reversibility = 0 }, unmet: "9.2.3"},
		"a class that its effect contradicts":  {change: func(d *doc) { d.Reversibility = risk.Reversible }, unmet: "9.2.3"},
		"no output schema": {
			change: func(d *doc) { d.OutputSchema = nil }, unmet: results,
		},
		"no permissions": {change: func(d *doc) { d.Permissions = nil }, unmet: "9.3.3 9.5.1 9.5.6 10.2.5"},
		"a reason for no permissions": {change: func(d *doc) {
			d.Permissions, d.NoPermissions = nil, "They are public."
		}, unmet: "9.5.1 10.2.5"},
		"no authorization by arguments": {
			change: func(d *doc) { d.ObjectAuthorization = false }, unmet: "9.5.1 10.2.5",
		},
		"no arguments to authorize": {change: func(d *doc) {
			d.ObjectAuthorization = false
			withSchema(closed)(d)
		}},
		"listed for callers without a permission": {change: func(d *doc) {
			d.Permissions, d.DiscoverWith = []string{"refunds:issue", "refunds:large"}, []string{"refunds:issue"}
		}, unmet: "10.2.4"},
		"no trust":                {change: func(d *doc) { d.ContentTrust = 0 }, unmet: "9.3.5 9.3.6"},
		"results of strangers":    {change: func(d *doc) { d.ContentTrust = trust.PromptInjectionProne }},
		"other forms":             {change: func(d *doc) { d.Lenient = []contract.Leniency{contract.TextAsNumber} }, unmet: "10.4.4"},
		"a secret argument":       {change: withInput(refund[secretIn]().MustBuild()), unmet: "9.2.2"},
		"a long argument":         {change: withInput(refund[longIn]().MustBuild()), unmet: "9.2.2"},
		"a list":                  {change: withInput(refund[wordsIn]().MustBuild()), unmet: "9.2.2"},
		"an argument of any kind": {change: withInput(refund[anyIn]().MustBuild()), unmet: "10.4.3 10.4.4"},
		"an open schema":          {change: withSchema(`"properties":{"a":{"type":"integer"}}`), unmet: "9.2.2 10.4.3 10.4.4"},
		"arguments by a pattern": {
			change: withSchema(closed + `,"patternProperties":{"^a":{"type":"integer"}}`), unmet: "9.2.2",
		},
		"a pattern that nothing checks": {
			change: withSchema(closed + `,"properties":{"a":{"type":"string","maxLength":9,"x-uncheckedPattern":"(?=a)"}}`),
			unmet:  "10.4.4",
		},
		"an unknown keyword": {change: withSchema(closed + `,"maxProps":1`), unmet: "10.4.3 10.4.4"},
		"an unknown keyword about results": {change: func(d *doc) {
			d.OutputSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"maxProps":1}`)
		}, unmet: results},
		"results of any kind": {change: func(d *doc) { d.OutputSchema = json.RawMessage(`{"type":"object"}`) }, unmet: results},
		"a long choice": {
			change: withSchema(closed + `,"properties":{"a":{"enum":["` + strings.Repeat("a", 399) + `"]}}`), unmet: "9.2.2",
		},
		"a schema without an end": {
			change: func(d *doc) { d.InputSchema = json.RawMessage(`{"$ref":"#"}`) }, unmet: "9.2.2 10.4.3 10.4.4",
		},
		"more arguments than a question has": {
			change: withSchema(closed + `,"properties":{` + strings.Join(many, ",") + `}`), unmet: "9.2.2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := refund[refundIn]().MustBuild().Document()
			after := before.Clone()
			test.change(&after)
			was, is := verdicts(t, "1.0", before), verdicts(t, "1.0", after)
			flipped := map[string][]string{}
			for id, verdict := range is {
				if was[id] != verdict {
					flipped[verdict] = append(flipped[verdict], id)
				}
			}
			assert.ElementsMatch(t, strings.Fields(test.unmet), flipped[unmet])
			assert.ElementsMatch(t, strings.Fields(test.declared), flipped[declared])
			assert.Empty(t, flipped[met])
			assert.Empty(t, flipped[outside])
		})
	}
}

// A schema counts as closed only if each of its parts is of a kind that bounds
// its values, in arguments and in results.
func TestAISVS_ClosedSchemasBoundEachValue(t *testing.T) {
	t.Parallel()
	const object = `{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false}`
	for want, schemas := range map[string][]string{
		met: {
			`{"type":"string"}`, `{"type":["integer","null"]}`, `{"enum":["a",{"b":[]}]}`, `{"const":[1]}`, object,
			`{"type":"array","items":` + object + `}`, `{"type":"array","prefixItems":[{"type":"string"}],"items":false}`,
			`{"anyOf":[` + object + `,{"type":"null"}]}`, `{"oneOf":[{"type":"string"},` + object + `]}`,
			`{"$ref":"#/$defs/closed"}`, `{"allOf":[{"$ref":"#/$defs/closed"}],"description":"It is b."}`,
			`{"$ref":"#/$defs/tree"}`, `{"type":"object","additionalProperties":{"type":"string"}}`,
			`{"type":"object","patternProperties":{"^x":{"type":"string"}},"additionalProperties":false}`,
			`{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false,"anyOf":[{"required":["b"]},{}]}`,
			`{"type":"object","oneOf":[` + object + `,{"$ref":"#/$defs/closed"}]}`, `{"type":"string","not":{"maxLength":5}}`,
		},
		unmet: {
			`true`, `{}`, `{"type":"object"}`, `{"type":"array"}`, `{"type":["string","object"]}`, `{"not":{"type":"string"}}`,
			`{"anyOf":[{"type":"string"},{}]}`, `{"anyOf":[{"type":"string"},{"type":"object"}]}`,
			`{"oneOf":[` + object + `,{"type":"object"}]}`, `{"allOf":[{}]}`, `{"if":{"type":"string"},"then":` + object + `}`,
			`{"type":"array","prefixItems":[{"type":"string"}]}`, `{"type":"array","contains":{"type":"string"}}`,
			`{"type":"array","prefixItems":[{}],"items":{"type":"string"}}`, `{"type":"array","items":{}}`,
			`{"type":"object","additionalProperties":{"type":"object"}}`, `{"type":"object","additionalProperties":true}`,
			`{"type":"object","patternProperties":{".*":{}},"additionalProperties":false}`,
			`{"type":"object","propertyNames":{"pattern":"^x"},"additionalProperties":{}}`,
			`{"type":"object","properties":{"b":{}},"additionalProperties":false}`, `{"$ref":"#/$defs/open"}`,
			`{"$dynamicRef":"#open"}`, `{"properties":{"b":{"type":"string"}},"additionalProperties":false}`,
			`{"type":"object","oneOf":[` + object + `,{"type":"object"}]}`, `{"minLength":1}`, `{"format":"date"}`,
		},
	} {
		for _, schema := range schemas {
			whole := json.RawMessage(`{"type":"object","properties":{"a":` + schema + `},"additionalProperties":false,"$defs":{"closed":` +
				object + `,"open":{"$anchor":"open"},"tree":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}`)
			doc := refund[refundIn]().MustBuild().Document()
			doc.InputSchema, doc.OutputSchema = whole, whole
			found := verdicts(t, "1.0", doc)
			for _, id := range []string{"9.3.2", "10.4.1", "10.4.3", "10.4.4"} {
				assert.Equal(t, want, found[id], "%s: %s", id, schema)
			}
		}
	}
}

func TestAISVS_ResultsWithAPreviewAreChecked(t *testing.T) {
	t.Parallel()
	preview := dryrun.By(func(context.Context, refundIn) (dryrun.Preview[noteOut], error) {
		return dryrun.Preview[noteOut]{}, nil
	})
	assert.Equal(t, met, verdicts(t, "1.0", refund[refundIn]().DryRun(preview).MustBuild().Document())["9.3.2"])
}

// No guard enforces a contract that Build refuses.
func TestAISVS_ImpossibleValuesMeetNothing(t *testing.T) {
	t.Parallel()
	whole := refund[refundIn]().MustBuild().Document()
	none := verdicts(t, "1.0", contract.Document{Name: whole.Name})
	for name, change := range map[string]func(*contract.Document){
		"a timeout below zero":         func(d *contract.Document) { d.Timeout = -5 * time.Millisecond },
		"a size below zero":            func(d *contract.Document) { d.MaxArgumentBytes = -1 },
		"a size beyond the largest":    func(d *contract.Document) { d.MaxResultBytes = 1 << 60 },
		"no calls":                     func(d *contract.Document) { d.RateLimit = &contract.RateLimit{Per: time.Second} },
		"calls in no time":             func(d *contract.Document) { d.RateLimit = &contract.RateLimit{Calls: 1} },
		"no calls in no time":          func(d *contract.Document) { d.RateLimit = &contract.RateLimit{} },
		"an empty permission":          func(d *contract.Document) { d.Permissions = []string{""} },
		"a permission twice":           func(d *contract.Document) { d.Permissions = []string{"a:b", "a:b"} },
		"permissions and a reason":     func(d *contract.Document) { d.NoPermissions = "They are public." },
		"discovery by another":         func(d *contract.Document) { d.DiscoverWith = []string{"a:b"} },
		"discovery by the same, twice": func(d *contract.Document) { d.DiscoverWith = []string{"refunds:issue", "refunds:issue"} },
	} {
		doc := whole.Clone()
		change(&doc)
		assert.Equal(t, none, verdicts(t, "1.0", doc), name)
	}
	empty := whole.Clone()
	empty.Permissions = []string{}
	assert.Equal(t, met, verdicts(t, "1.0", empty)["9.3.2"], "an empty list declares nothing")
}

// Nobody knows which of the two contracts applies to a call.
func TestAISVS_TwoToolsWithOneNameMeetNothing(t *testing.T) {
	t.Parallel()
	whole := refund[refundIn]().MustBuild().Document()
	other := whole.Clone()
	other.Timeout = time.Minute
	assert.Equal(t, verdicts(t, "1.0", contract.Document{Name: whole.Name}), verdicts(t, "1.0", whole, other))
	one, err := contracttest.AISVS("1.0", whole, other)
	require.NoError(t, err)
	turned, err := contracttest.AISVS("1.0", other, whole)
	require.NoError(t, err)
	assert.Equal(t, one, turned)
}

// The guard shows an argument that counts as short in full, whatever its value
// is.
func TestAISVS_AShortArgumentIsShownWhole(t *testing.T) {
	t.Parallel()
	type shortIn struct {
		Text   string  `json:"text" jsonschema:"maxLength=39"`
		Amount float64 `json:"amount"`
	}
	type longerIn struct {
		Text string `json:"text" jsonschema:"maxLength=40"`
	}
	tool := refund[shortIn]().MustBuild()
	assert.Equal(t, met, verdicts(t, "1.0", tool.Document())["9.2.2"])
	assert.Equal(t, unmet, verdicts(t, "1.0", refund[longerIn]().MustBuild().Document())["9.2.2"])
	anna := contract.Principal{Subject: "anna", Permissions: []string{"refunds:issue"}}
	c := contracttest.NewClient(t, []*contract.Tool{tool}).As(anna)
	for _, hostile := range []string{"\U000e0041", "\u202e", "\x00", "<", "€", `"`} {
		var shown []people.Question
		c.Answering(func(q people.Question) contracttest.ElicitResult {
			shown = append(shown, q)
			return contracttest.Approve(q)
		}).Call("refunds.issue", shortIn{Text: strings.Repeat(hostile, 39), Amount: math.SmallestNonzeroFloat64})
		require.Len(t, shown, 1)
		assert.NotContains(t, shown[0].Message, "more characters", "%q", hostile)
	}
}

func TestAISVS_MembersOfADryRunAreNoArguments(t *testing.T) {
	t.Parallel()
	preview := dryrun.By(func(context.Context, struct{}) (dryrun.Preview[struct{}], error) {
		return dryrun.Preview[struct{}]{}, nil
	})
	for _, clause := range []dryrun.Clause[struct{}]{preview, preview.Required()} {
		doc := refund[struct{}]().DryRun(clause).MustBuild().Document()
		doc.ObjectAuthorization = false
		found := verdicts(t, "1.0", doc)
		assert.Equal(t, []string{met, outside}, []string{found["9.2.2"], found["10.2.5"]}, "there is nothing to authorize or to show")
		doc.DryRun = 0
		assert.Equal(t, unmet, verdicts(t, "1.0", doc)["10.2.5"])
	}
}

// Another server may also ask about a call that needs no approval.
func TestAISVS_QuestionsOfAnotherServerAreOnlyDeclared(t *testing.T) {
	t.Parallel()
	doc := reading("notes.read").MustBuild().Document()
	doc.Confirmation = contract.ConfirmationUpstream
	found := verdicts(t, "1.0", doc)
	assert.Equal(t, []string{outside, declared, declared}, []string{found["9.2.1"], found["9.2.2"], found["9.6.2"]})
}

// A harmless tool needs no approval, and a single tool that lacks something
// breaks the requirement for all.
func TestAISVS_EachToolCounts(t *testing.T) {
	t.Parallel()
	safe := reading("notes.read").Timeout(time.Second).MustBuild().Document()
	whole := refund[refundIn]().MustBuild().Document()
	found := verdicts(t, "1.0", safe, whole)
	for _, id := range []string{"9.2.2", "9.2.3", "9.2.4", "9.3.3"} {
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

// What a summary leaves out is not met, and what it shows is judged as usual.
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
	summary := asSummary(t, resolving.MustBuild().Document())
	assert.Equal(t, unmet, verdicts(t, "1.0", summary)["9.2.1"], "which calls are irreversible is not listed")
}

func TestAISVS_IsTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	tools := []contract.Document{
		refund[refundIn]().MustBuild().Document(), reading("notes.read").MustBuild().Document(), {Name: "plain"},
	}
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
