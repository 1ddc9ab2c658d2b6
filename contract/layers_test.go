package contract_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type layeredInput struct {
	_ contract.Tags          `name:"notes.keep" title:"tags" category:"tags" permissions:"tags:one" idempotency:"native"`
	_ contract.SideEffectTag `description:"tags"`
	_ contract.FailureTag    `code:"of_tags" class:"fatal" description:"tags"`
}

func TestLayers_BuilderWinsOverTagsAndTagsOverBase(t *testing.T) {
	t.Parallel()
	base := contract.Base{
		Title:       "base",
		Category:    "base",
		Description: "base",
		Version:     "1.0.0",
		Effect:      risk.LowRiskWrite,
		Permissions: []string{"base:one", "base:two"},
		Trust:       trust.Trusted,
		Idempotency: contract.Idempotency{Mode: idempotency.Managed, Retention: 5 * time.Second},
		SideEffects: []contract.SideEffect{{Description: "base"}},
		Failures:    []*contract.Failure{contract.Fatal("of_base", "base")},
	}
	b := tagged[layeredInput]().From(base).Title("builder").Trust(trust.Sensitive).Failures(contract.Fatal("of_builder", "builder"))
	d := build(t, b).Document()

	assert.Equal(t, "builder", d.Title)
	assert.Equal(t, trust.Sensitive, d.ContentTrust)
	assert.Equal(t, "of_builder", d.FailureModes[0].Code)
	assert.NotEqual(t, contract.ByTool, d.FailureModes[1].By, "a list replaces the one below")
	assert.Equal(t, "tags", d.Category)
	assert.Equal(t, []string{"tags:one"}, d.Permissions)
	assert.Equal(t, []contract.SideEffect{{Description: "tags"}}, d.SideEffects)
	assert.Equal(t, &contract.Idempotency{Mode: idempotency.Native}, d.Idempotency, "a clause of several keys is one clause")
	assert.Equal(t, "base", d.Description)
}

func TestLayers_ASecondBaseLiesUnderTheFirst(t *testing.T) {
	t.Parallel()
	lower := contract.Base{Title: "lower", Category: "lower", Version: "1.0.0", Description: "lower", Effect: risk.ReadOnly}
	upper := contract.Base{Title: "upper", Category: "upper"}
	d := build(t, contract.New("notes.read", note).From(upper).From(lower).Title("builder")).Document()
	assert.Equal(t, []string{"builder", "upper", "lower"}, []string{d.Title, d.Category, d.Description})

	over := lower
	over.Category = "over"
	d = build(t, contract.New("notes.read", note).From(over)).Document()
	assert.Equal(t, []string{"lower", "over"}, []string{d.Title, d.Category})
}

func TestLayers_ABaseIsTakenAsItIsWhenItIsLaid(t *testing.T) {
	t.Parallel()
	base := contract.Base{Category: "before", Aliases: []string{"notes.get"}}
	one := reading().From(base)
	base.Category = "after"
	base.Aliases[0] = "notes.fetch"
	two := reading().From(base)
	assert.Equal(t, "before", build(t, one).Document().Category)
	assert.Equal(t, []string{"notes.get"}, build(t, one).Document().Aliases)
	assert.Equal(t, "after", build(t, two).Document().Category)
	assert.Equal(t, []string{"notes.fetch"}, build(t, two).Document().Aliases)
}

func TestLayers_PermissionsAndNoPermissionsReplaceEachOther(t *testing.T) {
	t.Parallel()
	needs, needsNone := contract.Base{Permissions: []string{"a"}}, contract.Base{NoPermissions: "Anybody may."}
	lowRisk := func() *noteBuilder { return complete(contract.New("notes.write", note)).Effect(risk.LowRiskWrite) }

	d := build(t, lowRisk().From(needs).NoPermissions("Anybody may.")).Document()
	assert.Empty(t, d.Permissions)
	assert.Equal(t, "Anybody may.", d.NoPermissions)
	d = build(t, lowRisk().From(needsNone).Permissions("a")).Document()
	assert.Equal(t, []string{"a"}, d.Permissions)
	assert.Empty(t, d.NoPermissions)
}

func TestBuilder_CopiesItsArguments(t *testing.T) {
	t.Parallel()
	permissions := []string{"a", "b"}
	keys := []string{"text"}
	metadata := map[string]any{"k": "v"}
	b := complete(contract.New("notes.write", note)).Effect(risk.LowRiskWrite).Permissions(permissions...).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: keys}).Metadata("m", metadata)
	first := build(t, b)
	permissions[0], keys[0], metadata["k"] = "changed", "copy", "changed"
	d := first.Document()
	assert.Equal(t, []string{"a", "b"}, d.Permissions)
	assert.Equal(t, []string{"text"}, d.Idempotency.KeyFields)
	assert.Equal(t, map[string]any{"m": map[string]any{"k": "v"}}, d.Metadata)
}

func TestBuilder_CanGoOnAfterBuild(t *testing.T) {
	t.Parallel()
	b := writing()
	first := build(t, b)
	second := build(t, b.Timeout(time.Second).Permissions("notes:more"))
	assert.Zero(t, first.Document().Timeout)
	assert.Equal(t, []string{"notes:write"}, first.Document().Permissions)
	assert.Equal(t, time.Second, second.Document().Timeout)
	assert.Equal(t, []string{"notes:write", "notes:more"}, second.Document().Permissions)
	assert.NotEqual(t, first.Digest(), second.Digest())
}

func TestBuilder_TheLastOfTwoVerbsHolds(t *testing.T) {
	t.Parallel()
	d := build(t, writing().ConfirmWhen(never).ConfirmAlways()).Document()
	assert.Equal(t, contract.ConfirmationAlways, d.Confirmation)
	d = build(t, writing().ConfirmAlways().ConfirmNever("No need.")).Document()
	assert.Equal(t, contract.ConfirmationNever, d.Confirmation)
	assert.Equal(t, "No need.", d.ConfirmationReason)
}

func TestNew_ReadsTagsAndItsNameWins(t *testing.T) {
	t.Parallel()
	newed := contract.New("notes.store",
		handler[layeredInput, noteOutput]).Description("d").Version("1.0.0").Effect(risk.LowRiskWrite)
	read := tagged[layeredInput]().Description("d").Version("1.0.0").Effect(risk.LowRiskWrite)
	d, want := build(t, newed).Document(), build(t, read).Document()
	assert.Equal(t, "notes.store", d.Name)
	d.Name, d.AuditEvent = want.Name, want.AuditEvent
	assert.Equal(t, want, d)
}

func TestNew_NamesAMissingNameInTheWordsOfItsAuthor(t *testing.T) {
	t.Parallel()
	for remedy, b := range map[string]buildable{
		`call it "domain.verb"`: complete(contract.New("", note)).Effect(risk.ReadOnly),
		`write name:"domain.verb" in the tag of a contract.Tags field`: tagged[namelessInput](),
	} {
		_, err := b.Build()
		all := contract.DeclarationErrors(err)
		require.Len(t, all, 1)
		assert.Equal(t, remedy, all[0].Remedy)
	}
}

type embeddingInput struct {
	layeredInput
}

type nestingInput struct {
	Inner layeredInput `json:"inner"`
}

func TestNew_ReadsDirectFieldsOnly(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]buildable{
		"an embedded struct": complete(tagged[embeddingInput]()),
		"a field":            complete(tagged[nestingInput]()),
	} {
		found := mistakes(t, b)
		assert.Contains(t, found, "name.missing", "marker fields of %s are not the input's", name)
		assert.Contains(t, found, "tag.stray", "marker fields of %s are not lost without a word", name)
	}
	for name, b := range map[string]buildable{
		"an embedded struct": readingOf[embeddingInput](),
		"a field":            readingOf[nestingInput](),
	} {
		assert.Equal(t, []string{"tag.stray"}, mistakes(t, b), "marker fields of %s are not lost without a word", name)
	}
}

func TestNew_KeepsMarkerFieldsOutOfTheSchema(t *testing.T) {
	t.Parallel()
	declared := byTags[everyTag]().Failures().Idempotency(contract.Idempotency{Mode: idempotency.None})
	d := build(t, declared.DryRun(dryRunOf[everyTag]())).Document()
	assert.JSONEq(t, string(build(t, byVerbs("notes.keep").DryRun(dryRunOf[untagged]().Required())).Document().InputSchema),
		string(d.InputSchema))
}

// Many tools share the forms of a Base, so a tool from high risk up takes only
// those that guess nothing.
func TestLayers_ABaseDoesNotMakeAHighRiskToolLenient(t *testing.T) {
	t.Parallel()
	base := contract.Base{Lenient: []contract.Leniency{contract.TextAsNumber, contract.HostMember, contract.TextAsJSON}}
	low := build(t, reading().From(base)).Document()
	assert.Equal(t, []contract.Leniency{contract.TextAsNumber, contract.TextAsJSON, contract.HostMember}, low.Lenient)
	high := writing().Effect(risk.HighRiskWrite)
	assert.Equal(t, []contract.Leniency{contract.HostMember}, build(t, high.From(base)).Document().Lenient)
	assert.Equal(t, []string{"lenient.risk"}, mistakes(t, high.Lenient(contract.HostMember, contract.TextAsJSON)))
	assert.Equal(t, []contract.Leniency{contract.HostMember},
		build(t, writing().Effect(risk.HighRiskWrite).Lenient(contract.HostMember)).Document().Lenient)
}
