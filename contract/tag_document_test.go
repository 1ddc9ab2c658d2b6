package contract_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// Inputs whose tags declare one clause each. All have the fields of untagged.
type (
	untagged struct {
		Text string `json:"text"`
	}
	nameTag struct {
		_    contract.Tags `name:"notes.keep"`
		Text string        `json:"text"`
	}
	flatNameTag struct {
		_    contract.Tags `name:"keep" flatName:"true"`
		Text string        `json:"text"`
	}
	titleTag struct {
		_    contract.Tags `name:"notes.keep" title:"Keep a \"note\""`
		Text string        `json:"text"`
	}
	descriptionTag struct {
		_    contract.Tags `name:"notes.keep" description:"Keeps <one> note; \u00e9."`
		Text string        `json:"text"`
	}
	categoryTag struct {
		_    contract.Tags `name:"notes.keep" category:"writing"`
		Text string        `json:"text"`
	}
	metadataTag struct {
		_    contract.Tags `name:"notes.keep" metadata:"{\"team\":\"notes\",\"size\":3,\"more\":{\"b\":[1,2.5],\"a\":null}}"`
		Text string        `json:"text"`
	}
	versionTag struct {
		_    contract.Tags `name:"notes.keep" version:"2.1.0"`
		Text string        `json:"text"`
	}
	deprecatedTag struct {
		_    contract.Tags `name:"notes.keep" deprecatedSince:"1.2.0" deprecatedReplacedBy:"notes.store"`
		_    contract.Tags `deprecatedNote:"It moved."`
		Text string        `json:"text"`
	}
	aliasesTag struct {
		_    contract.Tags `name:"notes.keep" aliases:"notes.save, keep_note"`
		Text string        `json:"text"`
	}
	riskTag struct {
		_    contract.Tags `name:"notes.keep" risk:"high"`
		Text string        `json:"text"`
	}
	effectTag struct {
		_    contract.Tags `name:"notes.keep" effect:"paid-operation"`
		Text string        `json:"text"`
	}
	securityLevelTag struct {
		_    contract.Tags `name:"notes.keep" securityLevel:"8"`
		Text string        `json:"text"`
	}
	lenientTag struct {
		_    contract.Tags `name:"notes.keep" lenient:"text-as-number, null-as-absent"`
		Text string        `json:"text"`
	}
	delimitTag struct {
		_    contract.Tags `name:"notes.keep" delimit:"all"`
		Text string        `json:"text"`
	}
	sanitizeTag struct {
		_    contract.Tags `name:"notes.keep" sanitize:"text"`
		Text string        `json:"text"`
	}
	readsTag struct {
		_    contract.Tags `name:"notes.keep" trust:"untrusted" reads:"untrusted, private"`
		Text string        `json:"text"`
	}
	sendsTag struct {
		_    contract.Tags `name:"notes.keep" sends:"true"`
		Text string        `json:"text"`
	}
	trustTag struct {
		_    contract.Tags `name:"notes.keep" trust:"prompt-injection-prone"`
		Text string        `json:"text"`
	}
	autonomousTag struct {
		_    contract.Tags `name:"notes.keep" autonomous:"true"`
		Text string        `json:"text"`
	}
	alwaysTag struct {
		_    contract.Tags `name:"notes.keep" confirmation:"always"`
		Text string        `json:"text"`
	}
	whenTag struct {
		_    contract.Tags `name:"notes.keep" confirmation:"when"`
		Text string        `json:"text"`
	}
	typingTag struct {
		_    contract.Tags `name:"notes.keep" confirmation:"always" confirmTyping:"true"`
		Text string        `json:"text"`
	}
	neverTag struct {
		_    contract.Tags `name:"notes.keep" risk:"high" confirmation:"never"`
		_    contract.Tags `confirmationReason:"It is undone by one click."`
		Text string        `json:"text"`
	}
	stepUpTag struct {
		_    contract.Tags `name:"notes.keep" stepUpWhen:"always" stepUpMaxAge:"5m" stepUpACR:"mfa"`
		Text string        `json:"text"`
	}
	permissionsTag struct {
		_    contract.Tags `name:"notes.keep" permissions:"notes:keep,notes:read"`
		Text string        `json:"text"`
	}
	noPermissionsTag struct {
		_    contract.Tags `name:"notes.keep" noPermissions:"Anybody may."`
		Text string        `json:"text"`
	}
	authorizeTag struct {
		_    contract.Tags `name:"notes.keep" authorize:"true"`
		Text string        `json:"text"`
	}
	discoverWithTag struct {
		_    contract.Tags `name:"notes.keep" permissions:"notes:keep,notes:read" discoverWith:"notes:read"`
		Text string        `json:"text"`
	}
	sideEffectsTag struct {
		_    contract.Tags          `name:"notes.keep"`
		_    contract.SideEffectTag `description:"A note is kept." reach:"internal" undo:"reversible" onRepeat:"A second note is kept." affects:"the caller"`
		_    contract.SideEffectTag `description:"A bell rings."`
		Text string                 `json:"text"`
	}
	nativeTag struct {
		_    contract.Tags `name:"notes.keep" idempotency:"native"`
		Text string        `json:"text"`
	}
	keyFieldsTag struct {
		_    contract.Tags `name:"notes.keep" idempotency:"managed" keyFields:"text" retention:"48h" onUnknown:"refuse"`
		Text string        `json:"text"`
	}
	clientKeyTag struct {
		_    contract.Tags `name:"notes.keep" idempotency:"managed" clientKey:"true" argumentsRetention:"1h"`
		Text string        `json:"text"`
	}
	keyRequiredTag struct {
		_    contract.Tags `name:"notes.keep" idempotency:"managed" keyRequired:"true"`
		Text string        `json:"text"`
	}
	keyedTag struct {
		_    contract.Tags `name:"notes.keep" idempotency:"keyed" retention:"48h" onUnknown:"rerun"`
		Text string        `json:"text"`
	}
	dryRunTag struct {
		_    contract.Tags `name:"notes.keep" dryRun:"supported"`
		Text string        `json:"text"`
	}
	dryRunRequiredTag struct {
		_    contract.Tags `name:"notes.keep" dryRun:"required"`
		Text string        `json:"text"`
	}
	auditEventTag struct {
		_    contract.Tags `name:"notes.keep" auditEvent:"note.kept"`
		Text string        `json:"text"`
	}
	failuresTag struct {
		_    contract.Tags       `name:"notes.keep"`
		_    contract.FailureTag `code:"note_locked" class:"retryable" description:"Another writer has the note."`
		_    contract.FailureTag `code:"note_torn" class:"fatal" description:"The note is torn." effectPossible:"true"`
		Text string              `json:"text"`
	}
	totalRateLimitTag struct {
		_    contract.Tags `name:"notes.keep" totalRateLimit:"1000/1m"`
		Text string        `json:"text"`
	}
	rateLimitTag struct {
		_    contract.Tags `name:"notes.keep" rateLimit:"20/1m"`
		Text string        `json:"text"`
	}
	retryBudgetTag struct {
		_    contract.Tags `name:"notes.keep" retryBudget:"3/5m"`
		Text string        `json:"text"`
	}
	timeoutTag struct {
		_    contract.Tags `name:"notes.keep" timeout:"1.5s"`
		Text string        `json:"text"`
	}
	cancellableTag struct {
		_    contract.Tags `name:"notes.keep" cancellable:"true"`
		Text string        `json:"text"`
	}
	maxConcurrentTag struct {
		_    contract.Tags `name:"notes.keep" maxConcurrent:"4"`
		Text string        `json:"text"`
	}
	maxResultBytesTag struct {
		_    contract.Tags `name:"notes.keep" maxResultBytes:"65536"`
		Text string        `json:"text"`
	}
	maxArgumentBytesTag struct {
		_    contract.Tags `name:"notes.keep" maxArgumentBytes:"4096"`
		Text string        `json:"text"`
	}
	everyTag struct {
		_    contract.Tags          `name:"notes.keep" title:"Keep" description:"Keeps." category:"writing" version:"1.4.0"`
		_    contract.Tags          `metadata:"{\"team\":\"notes\"}" aliases:"notes.save" deprecatedSince:"1.2.0"`
		_    contract.Tags          `risk:"critical" effect:"destructive" trust:"untrusted" securityLevel:"9" autonomous:"false"`
		_    contract.Tags          `confirmation:"always" stepUpACR:"mfa" permissions:"notes:keep" discoverWith:"notes:keep"`
		_    contract.Tags          `idempotency:"managed" keyFields:"text" dryRun:"required" auditEvent:"note.kept"`
		_    contract.Tags          `rateLimit:"3/1h" totalRateLimit:"5/1h" retryBudget:"2/1m" timeout:"5s" cancellable:"true" maxConcurrent:"1" maxResultBytes:"9" maxArgumentBytes:"9"`
		_    contract.SideEffectTag `description:"A note is kept."`
		_    contract.FailureTag    `code:"note_torn" class:"fatal" description:"The note is torn."`
		Text string                 `json:"text"`
	}
)

// shared returns the base of every contract in the table.
func shared() contract.Base {
	return contract.Base{
		Description: "Keeps notes.",
		Version:     "1.0.0",
		Effect:      risk.LowRiskWrite,
		Permissions: []string{"notes:write"},
	}
}

func byTags[In any]() *contract.Builder[In, noteOutput] {
	return contract.New("", handler[In, noteOutput]).From(shared())
}

func byVerbs(name string) *contract.Builder[untagged, noteOutput] {
	return contract.New(name, handler[untagged, noteOutput]).From(shared())
}

func previewOf[In any](context.Context, In) (dryrun.Preview[struct{}], error) {
	return dryrun.Preview[struct{}]{}, nil
}

func allowing[In any](context.Context, contract.Principal, In) error { return nil }

type twoWays struct {
	member      string // of the document
	way         string
	tags, verbs buildable
}

func clausesTwoWays() []twoWays {
	const keep = "notes.keep"
	return []twoWays{
		{"name", "a name", byTags[nameTag](), byVerbs(keep)},
		{"name", "a flat name", byTags[flatNameTag](), byVerbs("keep").FlatName()},
		{"title", "a title", byTags[titleTag](), byVerbs(keep).Title(`Keep a "note"`)},
		{"description", "a description", byTags[descriptionTag](), byVerbs(keep).Description("Keeps <one> note; é.")},
		{"category", "a category", byTags[categoryTag](), byVerbs(keep).Category("writing")},
		{
			"metadata", "metadata", byTags[metadataTag](),
			byVerbs(keep).Metadata("team", "notes").Metadata("size", uint8(3)).Metadata("more", struct {
				B []float64 `json:"b"`
				A *int      `json:"a"`
			}{B: []float64{1, 2.5}}),
		},
		{"version", "a version", byTags[versionTag](), byVerbs(keep).Version("2.1.0")},
		{
			"deprecated", "a deprecation", byTags[deprecatedTag](),
			byVerbs(keep).Deprecated(contract.Deprecation{Since: "1.2.0", ReplacedBy: "notes.store", Note: "It moved."}),
		},
		{"aliases", "aliases", byTags[aliasesTag](), byVerbs(keep).Aliases("notes.save").Aliases("keep_note")},
		{"risk", "a risk", byTags[riskTag](), byVerbs(keep).Risk(risk.High)},
		{"effect", "an effect", byTags[effectTag](), byVerbs(keep).Effect(risk.PaidOperation)},
		{"securityLevel", "a security level", byTags[securityLevelTag](), byVerbs(keep).SecurityLevel(8)},
		{"contentTrust", "a trust", byTags[trustTag](), byVerbs(keep).Trust(trust.PromptInjectionProne)},
		{"delimit", "a delimiting", byTags[delimitTag](), byVerbs(keep).Delimit(trust.DelimitAll)},
		{"sanitize", "a sanitizing", byTags[sanitizeTag](), byVerbs(keep).Sanitize(trust.SanitizeText)},
		{"reads", "kinds of data", byTags[readsTag](),
			byVerbs(keep).Trust(trust.Untrusted).Reads(contract.PrivateData).Reads(contract.UntrustedData, contract.PrivateData)},
		{"sends", "sending", byTags[sendsTag](), byVerbs(keep).Sends()},
		{"lenient", "leniencies", byTags[lenientTag](), byVerbs(keep).Lenient(contract.NullAsAbsent).Lenient(contract.TextAsNumber,
			contract.NullAsAbsent)},
		{"autonomous", "an assertion of autonomy", byTags[autonomousTag](), byVerbs(keep).Autonomous(true)},
		{"confirmation", "always asking", byTags[alwaysTag](), byVerbs(keep).ConfirmAlways()},
		{
			"confirmation", "sometimes asking", byTags[whenTag]().ConfirmWhen(func(whenTag) bool { return false }),
			byVerbs(keep).ConfirmWhen(func(untagged) bool { return false }),
		},
		{
			"typedConfirmation", "confirming by typing", byTags[typingTag]().ConfirmTyping(func(in typingTag) string { return in.Text }),
			byVerbs(keep).ConfirmAlways().ConfirmTyping(func(in untagged) string { return in.Text }),
		},
		{"confirmationReason", "never asking", byTags[neverTag](),
			byVerbs(keep).Risk(risk.High).ConfirmNever("It is undone by one click.")},
		{
			"stepUp", "a step-up", byTags[stepUpTag](),
			byVerbs(keep).StepUp(contract.StepUp{When: "always", MaxAge: 5 * time.Minute, ACR: "mfa"}),
		},
		{"permissions", "permissions", byTags[permissionsTag](), byVerbs(keep).Permissions("notes:keep").Permissions("notes:read")},
		{"noPermissions", "no permissions", byTags[noPermissionsTag](), byVerbs(keep).NoPermissions("Anybody may.")},
		{
			"objectAuthorization", "authorization by the arguments", byTags[authorizeTag]().Authorize(allowing[authorizeTag]),
			byVerbs(keep).Authorize(allowing[untagged]),
		},
		{
			"discoverWith", "discovery", byTags[discoverWithTag](),
			byVerbs(keep).Permissions("notes:keep", "notes:read").DiscoverWith("notes:read"),
		},
		{
			"sideEffects", "side effects", byTags[sideEffectsTag](),
			byVerbs(keep).SideEffects(contract.SideEffect{
				Description: "A note is kept.", Reach: contract.Internal, Undo: contract.Reversible,
				OnRepeat: "A second note is kept.", Affects: "the caller",
			}).SideEffects(contract.SideEffect{Description: "A bell rings."}),
		},
		{"idempotency", "native idempotency", byTags[nativeTag](),
			byVerbs(keep).Idempotency(contract.Idempotency{Mode: idempotency.Native})},
		{
			"idempotency", "key fields", byTags[keyFieldsTag](), byVerbs(keep).Idempotency(contract.Idempotency{
				Mode: idempotency.Managed, KeyFields: []string{"text"}, Retention: 48 * time.Hour, OnUnknown: idempotency.Refuse,
			}),
		},
		{
			"idempotency", "a client key", byTags[clientKeyTag](),
			byVerbs(keep).Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true,
				ArgumentsRetention: time.Hour}),
		},
		{
			"idempotency", "a required client key", byTags[keyRequiredTag](),
			byVerbs(keep).Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true}),
		},
		{
			"idempotency", "keys that the client may send", byTags[keyedTag](),
			byVerbs(keep).Idempotency(contract.Idempotency{Mode: idempotency.Keyed, Retention: 48 * time.Hour,
				OnUnknown: idempotency.Rerun}),
		},
		{
			"dryRun", "a dry run", byTags[dryRunTag]().DryRun(dryrun.By(previewOf[dryRunTag])),
			byVerbs(keep).DryRun(dryrun.By(previewOf[untagged])),
		},
		{
			"dryRun", "a required dry run, declared only by the tag",
			byTags[dryRunRequiredTag]().DryRun(dryrun.By(previewOf[dryRunRequiredTag])),
			byVerbs(keep).DryRun(dryrun.By(previewOf[untagged]).Required()),
		},
		{
			"dryRun", "a required dry run, declared by both",
			byTags[dryRunRequiredTag]().DryRun(dryrun.By(previewOf[dryRunRequiredTag]).Required()),
			byVerbs(keep).DryRun(dryrun.By(previewOf[untagged]).Required()),
		},
		{"auditEvent", "an audit event", byTags[auditEventTag](), byVerbs(keep).AuditEvent("note.kept")},
		{
			"failureModes", "failures", byTags[failuresTag](),
			byVerbs(keep).Failures(
				contract.Retryable("note_locked", "Another writer has the note."),
				contract.Fatal("note_torn", "The note is torn.").EffectPossible(),
			),
		},
		{"totalRateLimit", "a rate limit for all", byTags[totalRateLimitTag](), byVerbs(keep).TotalRateLimit(1000, time.Minute)},
		{"rateLimit", "a rate limit", byTags[rateLimitTag](), byVerbs(keep).RateLimit(20, time.Minute)},
		{"retryBudget", "a retry budget", byTags[retryBudgetTag](), byVerbs(keep).RetryBudget(3, 5*time.Minute)},
		{"timeoutMs", "a timeout", byTags[timeoutTag](), byVerbs(keep).Timeout(1500 * time.Millisecond)},
		{"cancellable", "cancelling", byTags[cancellableTag](), byVerbs(keep).Cancellable()},
		{"maxConcurrent", "concurrency", byTags[maxConcurrentTag](), byVerbs(keep).MaxConcurrent(4)},
		{"maxResultBytes", "a result's size", byTags[maxResultBytesTag](), byVerbs(keep).MaxResultBytes(64 << 10)},
		{"maxArgumentBytes", "the arguments' size", byTags[maxArgumentBytesTag](), byVerbs(keep).MaxArgumentBytes(4 << 10)},
		{
			"format", "every clause at once", byTags[everyTag]().DryRun(dryrun.By(previewOf[everyTag])),
			byVerbs(keep).Title("Keep").Description("Keeps.").Category("writing").Version("1.4.0").
				Metadata("team", "notes").Aliases("notes.save").Deprecated(contract.Deprecation{Since: "1.2.0"}).
				Risk(risk.Critical).Effect(risk.Destructive).Trust(trust.Untrusted).SecurityLevel(9).Autonomous(false).
				ConfirmAlways().StepUp(contract.StepUp{ACR: "mfa"}).Permissions("notes:keep").DiscoverWith("notes:keep").
				Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"text"}}).
				DryRun(dryrun.By(previewOf[untagged]).Required()).AuditEvent("note.kept").
				RateLimit(3, time.Hour).TotalRateLimit(5, time.Hour).RetryBudget(2,
				time.Minute).Timeout(5 * time.Second).Cancellable().MaxConcurrent(1).MaxResultBytes(9).MaxArgumentBytes(9).
				SideEffects(contract.SideEffect{Description: "A note is kept."}).
				Failures(contract.Fatal("note_torn", "The note is torn.")),
		},
	}
}

func TestTagsAndBuilder_GiveByteIdenticalDocuments(t *testing.T) {
	t.Parallel()
	for _, c := range clausesTwoWays() {
		t.Run("tags and verbs agree on "+c.way, func(t *testing.T) {
			t.Parallel()
			tags, verbs := build(t, c.tags), build(t, c.verbs)
			want, err := json.Marshal(verbs)
			require.NoError(t, err)
			got, err := json.Marshal(tags)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got))
			assert.Equal(t, verbs.Digest(), tags.Digest())

			var members map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(want, &members))
			assert.Contains(t, members, c.member, "the contract does not declare the clause that the row checks")
		})
	}
}

func TestTagsAndBuilder_CoverEveryMemberOfTheDocument(t *testing.T) {
	t.Parallel()
	derived := map[string]string{
		"inputSchema":   "it follows from the input type",
		"outputSchema":  "it follows from the output type",
		"reversibility": "it follows from the effect and the side effects",
		"reconcile":     "its function takes the input of one tool, so no tag declares it",
		"resolves":      "its function takes the input of one tool, so no tag declares it",
	}
	covered := map[string]bool{}
	for _, c := range clausesTwoWays() {
		covered[c.member] = true
	}
	for field := range reflect.TypeFor[contract.Document]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		_, isDerived := derived[name]
		assert.NotEqual(t, isDerived, covered[name], "%s has no row, or has one and is called derived", name)
	}
}

func dryRunOf[In any]() dryrun.Clause[In] { return dryrun.By(previewOf[In]) }
