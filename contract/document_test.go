package contract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// full returns a contract that sets every member of the document.
func full() *noteBuilder {
	return writing().Title("Keep").Category("writing").Metadata("team", "notes").
		Deprecated(contract.Deprecation{Since: "0.9.0", ReplacedBy: "notes.store", Note: "It moved."}).
		Aliases("notes.save").Effect(risk.HighRiskWrite).SecurityLevel(5).Delimit(trust.DelimitText).Sanitize(trust.SanitizeText).
		Reads(contract.PrivateData).Sends().
		ConfirmNever("It is undone by one click.").
		StepUp(contract.StepUp{When: "always", MaxAge: 5 * time.Minute, ACR: "mfa"}).
		DiscoverWith("notes:write").Authorize(allowing[noteInput]).
		SideEffects(contract.SideEffect{Description: "A note is kept.", Reach: contract.Internal, Undo: contract.Reversible,
			OnRepeat: "Nothing.", Affects: "the caller"}).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"text"}, Retention: time.Minute,
			OnUnknown: idempotency.Rerun}).
		DryRun(dryrun.By(previewOf[noteInput]).Required()).AuditEvent("note.kept").
		Reconcile(findsOut, contract.Reconciling{Quiet: 30 * time.Second}).
		Resolve(contract.Least{Effect: risk.LowRiskWrite, Risk: risk.Medium}, asDeclared).
		Failures(errTorn.EffectPossible(), errLocked).
		RateLimit(20, time.Minute).TotalRateLimit(1000, time.Minute).RetryBudget(3,
		5*time.Minute).Timeout(5 * time.Second).Cancellable().MaxConcurrent(4).MaxResultBytes(1024).MaxArgumentBytes(2048)
}

// findsOut knows nothing about any call.
func findsOut(context.Context, noteInput, time.Time) (contract.Reconciled[noteOutput], error) {
	return contract.NotKnown[noteOutput](0), nil
}

// asDeclared resolves every call to what the contract declares.
func asDeclared(noteInput) contract.Resolution { return contract.Resolution{} }

// fullDocument returns the document of full, with the members that no contract
// declares beside the others.
func fullDocument(t *testing.T) contract.Document {
	t.Helper()
	d := build(t, full()).Document()
	d.Lenient = []contract.Leniency{contract.NullAsAbsent}
	d.Resolves.Permissions = []string{"notes:write"}
	d.NoPermissions, d.TypedConfirmation = "No contract declares this beside permissions.", true
	return d
}

func TestTool_HandsOutItsDocument(t *testing.T) {
	t.Parallel()
	tool := build(t, full())
	d := tool.Document()
	assert.Equal(t, "notes.write", tool.Name())
	assert.Equal(t, contract.Format, d.Format)
	assert.Equal(t, risk.High, d.Risk)
	assert.Contains(t, string(d.InputSchema), `"copy"`)
	assert.Contains(t, string(d.OutputSchema), `{"properties":{"id":{"type":"string"}},"additionalProperties":false,`+
		`"type":"object",`+
		`"required":["id"]}`)
	digest, err := d.Digest()
	require.NoError(t, err)
	assert.Equal(t, digest, tool.Digest())
	data, err := json.Marshal(tool)
	require.NoError(t, err)
	want, err := json.Marshal(d)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(data))

	d.Permissions[0], d.Metadata["team"], d.StepUp.ACR = "changed", "changed", "changed"
	d.RateLimit.Calls, d.TotalRateLimit.Calls, d.RetryBudget.Failures = 1, 1, 1
	assert.Equal(t, build(t, full()).Document(), tool.Document(), "the tool keeps its own")
}

func TestDocument_LeavesOutSchemasOfWhatHasNone(t *testing.T) {
	t.Parallel()
	text := build(t, complete(contract.New("notes.read", handler[noteInput, string])).Effect(risk.ReadOnly)).Document()
	assert.Nil(t, text.OutputSchema)
	nothing := build(t, complete(contract.New("notes.read", handler[struct{}, struct{}])).Effect(risk.ReadOnly)).Document()
	assert.Nil(t, nothing.OutputSchema)
	assert.JSONEq(t, `{"type":"object","additionalProperties":false,"properties":{}}`, string(nothing.InputSchema))
}

func TestDocument_TakesReplacedSchemas(t *testing.T) {
	t.Parallel()
	in := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","maxLength":3}},"additionalProperties":false}`)
	out := json.RawMessage(`{"type":"object","properties":{"id":{"type":"string","minLength":1}}}`)
	b := reading().InputSchema(in).OutputSchema(out)
	want := string(in)
	in[2] = 'x'
	d := build(t, b).Document()
	assert.JSONEq(t, want, string(d.InputSchema))
	assert.JSONEq(t, string(out), string(d.OutputSchema))

	for name, schema := range map[string]string{
		"nothing":            ``,
		"no JSON":            `{`,
		"no object":          `true`,
		"an array's schema":  `{"type":"array"}`,
		"an unknown keyword": `{"type":"object","requird":["text"]}`,
		"a wrong keyword":    `{"type":"object","minProperties":"1"}`,
	} {
		for _, rule := range mistakes(t, reading().InputSchema(json.RawMessage(schema))) {
			assert.Regexp(t, `^schema\.`, rule, name)
		}
	}
}

func TestDocumentClone_SharesNoSliceMapOrPointer(t *testing.T) {
	t.Parallel()
	d := fullDocument(t)
	d.Unknown = map[string]json.RawMessage{"later": json.RawMessage(`1`)}
	c := d.Clone()
	require.Equal(t, d, c)
	one, other := reflect.ValueOf(d), reflect.ValueOf(c)
	for i := range one.NumField() {
		name := one.Type().Field(i).Name
		switch one.Field(i).Kind() { //nolint:exhaustive // the other kinds are copied by assignment
		case reflect.Pointer, reflect.Slice, reflect.Map:
			require.False(t, one.Field(i).IsNil(), "%s is not in the document: the test does not cover it", name)
			assert.NotEqual(t, one.Field(i).Pointer(), other.Field(i).Pointer(), "%s is shared", name)
		}
	}
	assert.NotSame(t, &d.Idempotency.KeyFields[0], &c.Idempotency.KeyFields[0])
	assert.NotSame(t, &d.Resolves.Permissions[0], &c.Resolves.Permissions[0])
	assert.Equal(t, contract.Document{}, contract.Document{}.Clone())
}

func TestDocumentDigest_ChangesWithEveryMember(t *testing.T) {
	t.Parallel()
	d := fullDocument(t)
	again, err := build(t, full()).Document().Digest()
	require.NoError(t, err)
	assert.Equal(t, build(t, full()).Digest(), again)
	want, err := d.Digest()
	require.NoError(t, err)
	assert.Regexp(t, `^sha256:[0-9a-f]{64}$`, want)

	for i := range reflect.TypeFor[contract.Document]().NumField() {
		field := reflect.TypeFor[contract.Document]().Field(i)
		t.Run(field.Name, func(t *testing.T) {
			t.Parallel()
			c := d.Clone()
			if field.Name == "Unknown" {
				c.Unknown = map[string]json.RawMessage{"later": json.RawMessage(`1`)}
			} else {
				v := reflect.ValueOf(&c).Elem().Field(i)
				require.False(t, v.IsZero(), "full does not set this member, so the test does not cover it")
				v.SetZero()
			}
			got, err := c.Digest()
			require.NoError(t, err)
			assert.NotEqual(t, want, got)
		})
	}
}

// deepSchema returns an input schema whose values are so many levels deep.
// Brackets in its texts end none of them.
func deepSchema(levels int) json.RawMessage {
	inside := strings.Repeat(`["]}\\\"]}",`, levels-1) + "0" + strings.Repeat("]", levels-1)
	return json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"additionalProperties":false,"x-deep":` +
		inside + `}`)
}

func TestToolDigest_IsThatOfTheDocument(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]*noteBuilder{
		"a small document":         reading(),
		"a document with metadata": reading().Metadata("k", "v"),
		"a deep schema":            reading().InputSchema(deepSchema(63)),
	} {
		tool := build(t, b)
		want, err := tool.Document().Digest()
		require.NoError(t, err, name)
		assert.Equal(t, want, tool.Digest(), name)
	}
}

// A list is limited as the whole document is, whatever its items are.
func TestBuild_RefusesAListThatNoDocumentCanHold(t *testing.T) {
	t.Parallel()
	const items = 100_000
	names, effects, failures := make([]string, items), make([]contract.SideEffect, items), make([]*contract.Failure, items)
	for i := range items {
		names[i] = "notes.read" + strconv.Itoa(i)
		effects[i] = contract.SideEffect{Description: names[i]}
		failures[i] = contract.Fatal("gone_"+strconv.Itoa(i), "The note is gone.")
	}
	for member, b := range map[string]*noteBuilder{
		"aliases":      reading().Aliases(names...),
		"permissions":  reading().Permissions(names...),
		"sideEffects":  writing().SideEffects(effects...),
		"failureModes": reading().Failures(failures...),
	} {
		t.Run(member, func(t *testing.T) {
			t.Parallel()
			_, err := b.Build()
			var mistake *contract.DeclarationError
			require.ErrorAs(t, err, &mistake)
			assert.Equal(t, "document", mistake.Where)
		})
	}
}

// Nothing that a caller does with the data of a document reaches the digest
// that Build calculated.
func TestToolDigest_StaysWhenTheDataOfADocumentChanges(t *testing.T) {
	t.Parallel()
	tool := build(t, reading().Metadata("k", map[string]any{"a": "b"}))
	d := tool.Document()
	want, err := d.Digest()
	require.NoError(t, err)
	shared, ok := d.Metadata["k"].(map[string]any)
	require.True(t, ok)
	shared["a"] = "c"
	assert.Equal(t, want, tool.Digest())
}

// The digest is calculated when it is first needed, perhaps by calls at once.
func TestToolDigest_FirstUsesAtOnceAgree(t *testing.T) {
	t.Parallel()
	tool := build(t, reading())
	want, err := tool.Document().Digest()
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { assert.Equal(t, want, tool.Digest()) })
	}
	group.Wait()
}

func TestDocumentDigest_HoldsNoMatterHowTheDocumentIsWritten(t *testing.T) {
	t.Parallel()
	d := build(t, full()).Document()
	want, err := d.Digest()
	require.NoError(t, err)

	data, err := json.MarshalIndent(d, "", "  ")
	require.NoError(t, err)
	var members map[string]any
	require.NoError(t, json.Unmarshal(data, &members))
	sorted, err := json.Marshal(members)
	require.NoError(t, err)
	for name, text := range map[string][]byte{"indented": data, "with its members sorted": sorted} {
		var read contract.Document
		require.NoError(t, json.Unmarshal(text, &read), name)
		got, err := read.Digest()
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
}

func TestDocumentDigest_FailsForAnInvalidDocument(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]contract.Document{
		"an unknown risk":              {Risk: 42},
		"metadata that is not data":    {Metadata: map[string]any{"f": func() {}}},
		"a schema that is not JSON":    {InputSchema: json.RawMessage(`{`)},
		"a schema with a name twice":   {InputSchema: json.RawMessage(`{"a":1,"a":2}`)},
		"an idempotency without mode":  {Idempotency: &contract.Idempotency{}},
		"an unknown member not JSON":   {Unknown: map[string]json.RawMessage{"x": json.RawMessage(`}`)}},
		"a known member among unknown": {Name: "a.b", Unknown: map[string]json.RawMessage{"name": json.RawMessage(`"c.d"`)}},
	} {
		digest, err := d.Digest()
		assert.Error(t, err, name)
		assert.Empty(t, digest, name)
	}
}

func TestDocumentSummary_HasWhatACallerNeedsBeforeTheFirstCall(t *testing.T) {
	t.Parallel()
	d := contract.Document{
		Format: contract.Format, Risk: risk.Restricted, Effect: risk.ExternalPublication, ContentTrust: trust.PromptInjectionProne,
		Confirmation: contract.ConfirmationAlways, DryRun: dryrun.Supported, Version: "1000.1000.1000",
		Description: "Not in the summary.", Category: "billing", AuditEvent: "money.moved", Permissions: []string{"pay:write"},
		StepUp: &contract.StepUp{MaxAge: time.Minute},
		SideEffects: []contract.SideEffect{{Description: "Money moves.", Reach: contract.External, OnRepeat: "Twice."},
			{Description: strings.Repeat("ä", 81)}, {Description: strings.Repeat("ä", 80)}},
		FailureModes: []contract.FailureMode{
			{Code: "no_funds", Class: contract.ClassFatal, By: contract.ByTool, Description: "There is no money."},
			{Code: contract.CodeUnavailable, Class: contract.ClassRetryable, By: contract.ByTool},
			{Code: contract.CodeTimeout, Class: contract.ClassFatal, By: contract.ByGuard},
			{Code: contract.CodeInternalError, Class: contract.ClassFatal, By: contract.ByGuard},
		},
	}
	data, err := json.Marshal(d.Summary())
	require.NoError(t, err)
	assert.JSONEq(t, `{"format":1,"risk":"restricted","effect":"external-publication","contentTrust":"prompt-injection-prone",`+
		`"confirmation":"always","reversibility":"irreversible","dryRun":"supported","version":"1000.1000.1000",`+
		`"category":"billing","autonomous":false,`+
		`"stepUp":{"maxAgeSeconds":60},"permissions":["pay:write"],"sideEffects":[{"description":"Money moves."},{"description":"`+
		strings.Repeat("ä", 79)+`…"},{"description":"`+strings.Repeat("ä", 80)+`"}],"auditEvent":"money.moved",`+
		`"failureCodes":["no_funds","unavailable","timeout"]}`, string(data))
}

func TestDocumentNeedsPrincipal(t *testing.T) {
	t.Parallel()
	low := contract.Document{Risk: risk.Low, Effect: risk.ReadOnly}
	for _, c := range []struct {
		name   string
		change func(*contract.Document)
		want   bool
	}{
		{"a low tool needs none", func(*contract.Document) {}, false},
		{"a medium tool needs none", func(d *contract.Document) { d.Risk = risk.Medium }, false},
		{"a high tool needs one", func(d *contract.Document) { d.Risk = risk.High }, true},
		{"a critical tool needs one", func(d *contract.Document) { d.Risk = risk.Critical }, true},
		{"a restricted tool needs one", func(d *contract.Document) { d.Risk = risk.Restricted }, true},
		{"a tool of undeclared risk needs one", func(d *contract.Document) { d.Risk = 0 }, true},
		{"a permission needs one", func(d *contract.Document) { d.Permissions = []string{"a"} }, true},
		{"a reason for no permissions needs none", func(d *contract.Document) { d.NoPermissions = "Anybody may." }, false},
		{"security level 1 needs one", func(d *contract.Document) { d.SecurityLevel = 1 }, true},
		{"a step-up needs one", func(d *contract.Document) { d.StepUp = &contract.StepUp{ACR: "mfa"} }, true},
		{"keyed idempotency needs one", func(d *contract.Document) { d.Idempotency = &contract.Idempotency{Mode: idempotency.Keyed} },
			true},
		{"managed idempotency needs one",
			func(d *contract.Document) { d.Idempotency = &contract.Idempotency{Mode: idempotency.Managed} }, true},
		{"native idempotency needs none",
			func(d *contract.Document) { d.Idempotency = &contract.Idempotency{Mode: idempotency.Native} }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := low.Clone()
			c.change(&d)
			assert.Equal(t, c.want, d.NeedsPrincipal())
		})
	}
}

func TestHints_FollowFromTheContract(t *testing.T) {
	t.Parallel()
	kept := contract.SideEffect{Description: "A note is kept.", Reach: contract.Internal, Undo: contract.Reversible}
	burnt := contract.SideEffect{Description: "A note is burnt.", Reach: contract.Internal, Undo: contract.Irreversible}
	sent := contract.SideEffect{Description: "A note is sent.", Reach: contract.External, Undo: contract.Reversible}
	vague := contract.SideEffect{Description: "Something happens."}
	native, managed := contract.Idempotency{Mode: idempotency.Native}, contract.Idempotency{Mode: idempotency.Managed}
	hints := func(readOnly, destructive, idempotent, openWorld bool) contract.Hints {
		return contract.Hints{ReadOnly: readOnly, Destructive: destructive, Idempotent: idempotent, OpenWorld: openWorld}
	}
	for _, c := range []struct {
		name    string
		builder *noteBuilder
		want    contract.Hints
	}{
		{"a read is read-only and idempotent", reading(), hints(true, false, true, false)},
		{"a read of sensitive content is in a closed world", reading().Trust(trust.Sensitive), hints(true, false, true, false)},
		{"a read of untrusted content is in an open world", reading().Trust(trust.Untrusted), hints(true, false, true, true)},
		{"a read of content that injects is in an open world", reading().Trust(trust.PromptInjectionProne), hints(true, false, true,
			true)},
		{"a read of undeclared content is in an open world", contract.New("notes.read",
			note).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly), hints(true, false, true, true)},
		{"a write that declares no side effect gets the worst hints", writing(), hints(false, true, false, true)},
		{"a write whose side effect is vague gets the worst hints", writing().SideEffects(vague), hints(false, true, false, true)},
		{"a write that stays inside and can be undone is harmless", writing().SideEffects(kept), hints(false, false, false, false)},
		{"an irreversible side effect is destructive", writing().SideEffects(kept, burnt), hints(false, true, false, false)},
		{"an external side effect opens the world", writing().SideEffects(kept, sent), hints(false, false, false, true)},
		{"a write of untrusted content opens the world", writing().SideEffects(kept).Trust(trust.Untrusted), hints(false, false, false,
			true)},
		{"a read that sends data opens the world", reading().Sends(), hints(true, false, true, true)},
		{"a read of sensitive and untrusted data opens the world", reading().Trust(trust.Sensitive).Reads(contract.UntrustedData),
			hints(true, false, true, true)},
		{"a read of private data is in a closed world", reading().Reads(contract.PrivateData), hints(true, false, true, false)},
		{"native idempotency is idempotent", writing().SideEffects(kept).Idempotency(native), hints(false, false, true, false)},
		{"a key of all arguments is not idempotent, because an equal call acts again when its time is over",
			writing().SideEffects(kept).Idempotency(managed), hints(false, false, false, false)},
		{"a key that the client may leave out is not idempotent either", writing().SideEffects(kept).Idempotency(contract.Idempotency{
			Mode: idempotency.Managed, ClientKey: true}), hints(false, false, false, false)},
		{"a read with a key of all arguments is idempotent", reading().Idempotency(managed), hints(true, false, true, false)},
		{"key fields are idempotent", writing().SideEffects(kept).Idempotency(contract.Idempotency{
			Mode: idempotency.Managed, KeyFields: []string{"text"}}), hints(false, false, true, false)},
		{"a required client key is idempotent", writing().SideEffects(kept).Idempotency(contract.Idempotency{
			Mode: idempotency.Managed, KeyRequired: true}), hints(false, false, true, false)},
		{"a required key of a keyed tool is idempotent", writing().SideEffects(kept).Idempotency(contract.Idempotency{
			Mode: idempotency.Keyed, KeyRequired: true}), hints(false, false, true, false)},
		{"an atomic tool is idempotent", writing().SideEffects(kept).Idempotency(contract.Idempotency{
			Mode: idempotency.Managed, Atomic: true}), hints(false, false, true, false)},
		{"keyed idempotency is not, because a call without a key acts again",
			writing().SideEffects(kept).Idempotency(contract.Idempotency{Mode: idempotency.Keyed}), hints(false, false, false, false)},
		{"a high-risk write is no more than its side effects", writing().Effect(risk.HighRiskWrite).SideEffects(kept),
			hints(false, false, false, false)},
		{"a publication opens the world", writing().Effect(risk.ExternalPublication).SideEffects(kept), hints(false, false, false,
			true)},
		{"a payment opens the world", writing().Effect(risk.PaidOperation).SideEffects(kept), hints(false, false, false, true)},
		{"a destruction is destructive", writing().Effect(risk.Destructive).SideEffects(kept), hints(false, true, false, false)},
		{"a critical risk alone is a destruction",
			complete(contract.New("notes.drop", note)).Risk(risk.Critical).Permissions("a").SideEffects(kept), hints(false, true, false,
				false)},
		{"a raised risk changes no hint", writing().Risk(risk.Critical).SideEffects(kept), hints(false, false, false, false)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, build(t, c.builder).Document().Hints())
		})
	}
}

func TestHints_OfASparseDocumentAreTheWorst(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]contract.Document{
		"nothing":               {},
		"a mode of none":        {Idempotency: &contract.Idempotency{Mode: idempotency.None}},
		"an undeclared mode":    {Idempotency: &contract.Idempotency{}},
		"a low risk":            {Risk: risk.Low},
		"trusted content alone": {ContentTrust: trust.Trusted},
	} {
		assert.Equal(t, contract.Hints{Destructive: true, OpenWorld: true}, d.Hints(), name)
	}
}

func TestHints_CannotContradictTheContract(t *testing.T) {
	t.Parallel()
	for _, effect := range enumtest.All[risk.Effect]() {
		for _, content := range append(enumtest.All[trust.Level](), 0) {
			d := contract.Document{Effect: effect, ContentTrust: content}
			h, name := d.Hints(), fmt.Sprintf("%v returning %v content", effect, content)
			assert.Equal(t, effect == risk.ReadOnly, h.ReadOnly, name)
			assert.False(t, h.ReadOnly && h.Destructive, name)
			assert.False(t, h.ReadOnly && !h.Idempotent, name)
			assert.True(t, h.OpenWorld || !content.MayInject(), name)
			assert.True(t, h.Destructive || effect != risk.Destructive, name)
		}
	}
}
