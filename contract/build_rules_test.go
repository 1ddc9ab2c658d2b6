package contract_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// Inputs of contracts that break a rule of tags. Each contract is otherwise
// complete.
type (
	markedInput struct {
		_ contract.Tags `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only"`
	}
	namedMarkerInput struct {
		_ contract.Tags `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only"`
		F contract.Tags `json:"-"`
	}
	brokenTagInput struct {
		_ contract.Tags `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only"`
		_ contract.Tags `category:"notes" category:"mail"`
	}
	unknownKeyInput struct {
		_ contract.Tags `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only" permisions:"a"`
	}
	badValueInput struct {
		_ contract.Tags `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only" timeout:"soon"`
	}
	badEffectInput struct {
		_ contract.Tags `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-onyl"`
	}
	badPermissionsInput struct {
		_ contract.Tags `name:"notes.write" description:"Writes." version:"1.0.0" effect:"low-risk-write" permissions:"a:b,,c:d"`
	}
	declaredTwiceInput struct {
		_ contract.Tags `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only"`
		_ contract.Tags `version:"2.0.0"`
	}
	namelessInput struct {
		_ contract.Tags `description:"Reads." version:"1.0.0" effect:"read-only"`
	}
	emptyNameInput struct {
		_ contract.Tags `name:"" description:"Reads." version:"1.0.0" effect:"read-only"`
	}
	reasonAloneInput struct {
		_ contract.Tags `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only"`
		_ contract.Tags `confirmationReason:"Nobody minds."`
	}
	reasonToAskInput struct {
		_ contract.Tags `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only"`
		_ contract.Tags `confirmation:"always" confirmationReason:"Nobody minds."`
	}
	unknownModeInput struct {
		_ contract.Tags `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only" retention:"1h"`
	}
	noClassInput struct {
		_ contract.Tags       `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only"`
		_ contract.FailureTag `code:"no_such_note" description:"There is no such note."`
	}
	unknownFieldTagInput struct {
		Text string `json:"text" contract:"private"`
	}
)

// Types with marker fields in positions that are never read.
type (
	strayEmbeddedInput struct {
		markedInput
		Text string `json:"text"`
	}
	strayNestedInput struct {
		_     contract.Tags `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only"`
		Inner []markedInput `json:"inner"`
	}
	strayUnwrittenInput struct {
		Inner map[string]*strayEffect `json:"-"`
	}
	strayEffect struct {
		_ contract.SideEffectTag `description:"One email leaves."`
	}
	strayFailureOutput struct {
		ID string              `json:"id"`
		_  contract.FailureTag `code:"gone" class:"fatal" description:"It is gone."`
	}
	recursiveMarkedInput struct {
		_    contract.Tags         `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only"`
		Next *recursiveMarkedInput `json:"next,omitempty"`
	}
)

type brokenRule struct {
	rule     string
	contract string // a sentence about the contract
	builder  buildable
	clause   string
}

// brokenRules returns at least one contract for every rule. Each contract
// breaks only that rule.
func wordOf(in noteInput) string { return in.Text }

func brokenRules() []brokenRule {
	managed := contract.Idempotency{Mode: idempotency.Managed}
	byText := contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"text"}}
	gone := contract.Fatal("note_gone", "The note is gone.")
	return append(append(brokenBindings(), brokenDryRuns()...), []brokenRule{
		{"handler.nil", "without a handler", complete(contract.New[noteInput, noteOutput]("notes.read", nil)).Effect(risk.ReadOnly),
			"handler"},
		{"name.missing", "without a name", complete(contract.New("", note)).Effect(risk.ReadOnly), "name"},
		{"name.form", "whose name has an empty part", complete(contract.New("notes..read", note)).Effect(risk.ReadOnly), "name"},
		{"name.flat", "whose name has no domain", complete(contract.New("read", note)).Effect(risk.ReadOnly), "name"},
		{"description.missing", "whose description is blank", reading().Description(" \n"), "description"},
		{"version.missing", "whose version is empty", reading().Version(""), "version"},
		{"version.form", "whose version has two parts", reading().Version("1.0"), "version"},
		{"metadata.form", "whose metadata holds a function", reading().Metadata("f", func() {}), "metadata"},
		{"metadata.form", "whose metadata holds a NaN", reading().Metadata("n", math.NaN()), "metadata"},
		{"metadata.form", "whose metadata panics when written", reading().Metadata("p", panicky{}), "metadata"},
		{"deprecated.since", "deprecated since no version", reading().Deprecated(contract.Deprecation{Note: "Use another."}),
			"deprecated"},
		{"metadata.form", "whose metadata holds an integer of 70 bits", reading().Metadata("n",
			json.Number("590295810358705651712345")), "metadata"},
		{"metadata.form", "whose metadata has a name twice", reading().Metadata("r", json.RawMessage(`{"a":1,"a":2}`)), "metadata"},
		{"metadata.form", "whose metadata is as deep as the whole document may be", reading().Metadata("d",
			json.RawMessage(strings.Repeat("[", 63)+strings.Repeat("]", 63))), "document"},
		{"metadata.form", "whose input schema is as deep as the whole document may be", reading().InputSchema(deepSchema(64)),
			"document"},
		{"deprecated.replacedBy", "replaced by an invalid name", reading().Deprecated(contract.Deprecation{Since: "1.0.0",
			ReplacedBy: "notes read\n"}), "deprecated"},
		{"alias.form", "whose alias has a blank", reading().Aliases("notes read"), "aliases"},
		{"alias.duplicate", "with an alias listed twice", reading().Aliases("notes.get").Aliases("notes.get"), "aliases"},
		{"risk.unknown", "of a risk beyond forbidden", reading().Risk(42), "risk"},
		{"risk.unknown", "whose risk is set to undeclared", reading().Risk(0), "risk"},
		{"risk.unknown", "of an unknown risk that never asks and is declared autonomous",
			reading().Risk(42).ConfirmNever("No need.").Autonomous(true), "risk"},
		{"risk.floor", "whose risk is below the floor of its effect", writing().Effect(risk.HighRiskWrite).Risk(risk.Medium), "risk"},
		{"effect.unknown", "of an unknown effect", reading().Effect(42), "effect"},
		{"effect.missing", "that declares neither risk nor effect", complete(contract.New("notes.read", note)), "effect"},
		{"effect.missing", "that is high and declares no effect",
			complete(contract.New("notes.read", note)).Risk(risk.High).Permissions("a"), "effect"},
		{"trust.unknown", "of an unknown trust", reading().Trust(42), "contentTrust"},
		{"sanitize.unknown", "of an unknown sanitizing", reading().Sanitize(42), "sanitize"},
		{"delimit.unknown", "of an unknown delimiting", reading().Delimit(42), "delimit"},
		{"reads.unknown", "that reads an unknown kind of data", reading().Reads(42), "reads"},
		{"reads.public", "that reads only public data and private data", reading().Reads(contract.PublicData, contract.PrivateData),
			"reads"},
		{"reads.public", "that reads only public data and whose content is sensitive",
			reading().Trust(trust.Sensitive).Reads(contract.PublicData), "reads"},
		{"reads.trusted", "that reads untrusted data and whose content is trusted",
			reading().Trust(trust.Trusted).Reads(contract.UntrustedData), "reads"},
		{"security.range", "of a security level over 10", writing().SecurityLevel(11), "securityLevel"},
		{"security.permissions", "at security level 4 without permissions", reading().SecurityLevel(4), "securityLevel"},
		{"security.verification", "at security level 8 that never asks", writing().SecurityLevel(8).ConfirmNever("No need."),
			"securityLevel"},
		{"security.verification", "at security level 8 that sometimes asks", writing().SecurityLevel(8).ConfirmWhen(never),
			"securityLevel"},
		{"confirmation.unknown", "that gives a reason not to ask and does not declare never", tagged[reasonAloneInput](),
			"confirmation"},
		{"confirmation.critical", "that is critical and never asks", writing().Effect(risk.PaidOperation).ConfirmNever("It is cheap."),
			"confirmation"},
		{"confirmation.critical", "that is critical and sometimes asks", writing().Effect(risk.Destructive).ConfirmWhen(never),
			"confirmation"},
		{"confirmation.critical", "that is critical and leaves it to its server", writing().Effect(risk.Destructive).From(upstream),
			"confirmation"},
		{"confirmation.upstream", "that leaves it to its server and is not wrapped", writing().From(upstream), "confirmation"},
		{"confirmation.reason", "that is high and never asks, without a reason", writing().Effect(risk.HighRiskWrite).ConfirmNever(" "),
			"confirmation"},
		{"confirmation.reason", "that always asks and gives a reason not to ask", tagged[reasonToAskInput](), "confirmationReason"},
		{"confirmation.when", "that sometimes asks and has no function", writing().ConfirmWhen(nil), "confirmation"},
		{"autonomous.contradiction", "that asks and is declared autonomous", writing().ConfirmAlways().Autonomous(true), "autonomous"},
		{"autonomous.contradiction", "that never asks and is declared not autonomous", reading().Autonomous(false), "autonomous"},
		{"stepUp.empty", "whose step-up demands nothing", writing().StepUp(contract.StepUp{When: "always"}), "stepUp"},
		{"stepUp.acr", "whose step-up demands a hidden class", writing().StepUp(contract.StepUp{ACR: "mfa\u200b"}), "stepUp/acr"},
		{"stepUp.acr", "whose step-up demands two classes", writing().StepUp(contract.StepUp{ACR: "silver gold"}), "stepUp/acr"},
		{"stepUp.acr", "whose step-up demands a class that ends the quotes", writing().StepUp(contract.StepUp{ACR: `mfa",scope="all`}),
			"stepUp/acr"},
		{"stepUp.acr", "whose step-up demands a class with a backslash", writing().StepUp(contract.StepUp{ACR: `mfa\`}), "stepUp/acr"},
		{"stepUp.acr", "whose step-up demands a class that ends the line",
			writing().StepUp(contract.StepUp{ACR: "mfa\r\nSet-Cookie:a=b"}), "stepUp/acr"},
		{"stepUp.acr", "whose step-up demands a class in letters beyond ASCII", writing().StepUp(contract.StepUp{ACR: "stärker"}),
			"stepUp/acr"},
		{"stepUp.acr", "whose step-up demands a class that is not UTF-8", writing().StepUp(contract.StepUp{ACR: "mfa\xff"}),
			"stepUp/acr"},
		{"permissions.missing", "that writes without permissions", complete(contract.New("notes.write",
			note)).Effect(risk.LowRiskWrite), "permissions"},
		{"permissions.missing", "that needs no permissions, for no reason", reading().NoPermissions(" "), "permissions"},
		{"permissions.form", "with an empty permission", writing().Permissions(""), "permissions"},
		{"permissions.form", "with a permission of two words", writing().Permissions("notes write"), "permissions"},
		{"permissions.form", "with a permission of an invisible character", writing().Permissions("notes:\u200bread"), "permissions"},
		{"permissions.form", "with a permission of another script", writing().Permissions("notes:r\u0435ad"), "permissions"},
		{"permissions.form", "with a permission of a C1 control", writing().Permissions("notes:\u0085read"), "permissions"},
		{"permissions.form", "with a permission that is not UTF-8", writing().Permissions("notes:\xff"), "permissions"},
		{"permissions.form", "with a permission listed twice", writing().Permissions("notes:write"), "permissions"},
		{"permissions.contradiction", "with permissions and a reason for none", writing().NoPermissions("Anybody may."), "permissions"},
		{"question.nil", "whose question has no function", writing().ConfirmAlways().Question(nil), "question"},
		{"question.unused", "with a sentence that is never shown", writing().Question(wordOf), "question"},
		{"confirmTyping.function", "that is confirmed by typing and has no function", writing().ConfirmAlways().ConfirmTyping(nil),
			"typedConfirmation"},
		{"confirmTyping.unasked", "that is confirmed by typing and never asks", writing().ConfirmTyping(wordOf), "typedConfirmation"},
		{"authorize.function", "that authorizes by its arguments and has no function", writing().Authorize(nil), "objectAuthorization"},
		{"discoverWith.contradiction", "discovered with a permission that it does not need", writing().DiscoverWith("notes:read"),
			"discoverWith"},
		{"forbidden.listed", "that is forbidden and has an alias", writing().Risk(risk.Forbidden).Aliases("notes.old"), "aliases"},
		{"forbidden.listed", "that is forbidden and can be discovered", writing().Risk(risk.Forbidden).DiscoverWith("notes:write"),
			"discoverWith"},
		{"restricted.expose", "that is restricted and exposes nothing", writing().Risk(risk.Restricted), "outputSchema"},
		{"restricted.expose", "that is restricted and returns text",
			complete(contract.New("notes.read", handler[noteInput, string])).Risk(risk.Restricted).Permissions("a"), "outputSchema"},
		{"restricted.expose", "that is restricted and replaces what it publishes",
			complete(contract.New("notes.read",
				handler[noteInput, exposedWord])).Risk(risk.Restricted).Permissions("a").OutputSchema(json.RawMessage(`{"type":"object"}`)),
			"outputSchema"},
		{"sideEffects.readOnly", "that only reads and has a side effect",
			reading().SideEffects(contract.SideEffect{Description: "It is logged."}), "sideEffects"},
		{"sideEffects.description", "whose side effect has no description",
			writing().SideEffects(contract.SideEffect{Reach: contract.Internal}), "sideEffects/0"},
		{"sideEffects.unknown", "whose side effect has an unknown reach",
			writing().SideEffects(contract.SideEffect{Description: "A note.", Reach: 9}), "sideEffects/0"},
		{"sideEffects.unknown", "whose side effect has an unknown undo",
			writing().SideEffects(contract.SideEffect{Description: "A note.", Undo: 9}), "sideEffects/0"},
		{"idempotency.mode", "of an undeclared idempotency", writing().Idempotency(contract.Idempotency{}), "idempotency"},
		{"idempotency.mode", "with a retention and no idempotency", tagged[unknownModeInput](), "idempotency"},
		{"idempotency.unmanaged", "that is native and has a retention",
			writing().Idempotency(contract.Idempotency{Mode: idempotency.Native, Retention: time.Second}), "idempotency"},
		{"idempotency.unmanaged", "that is not idempotent and has key fields",
			writing().Idempotency(contract.Idempotency{Mode: idempotency.None, KeyFields: []string{"text"}}), "idempotency"},
		{"idempotency.unmanaged", "that is native and has a tagged key",
			keyed().Idempotency(contract.Idempotency{Mode: idempotency.Native}), "idempotency"},
		{"idempotency.unmanaged", "that is not idempotent and has a tagged key", keyed(), "idempotency"},
		{"idempotency.atomic", "that is keyed and atomic", writing().Idempotency(contract.Idempotency{Mode: idempotency.Keyed,
			Atomic: true}), "idempotency"},
		{"idempotency.atomic", "that is atomic and has ReplayUntil", writing().ReplayUntil(func(noteInput, noteOutput) time.Time {
			return time.Time{}
		}).Idempotency(contract.Idempotency{Mode: idempotency.Managed, Atomic: true}), "idempotency"},
		{"idempotency.atomic", "that is atomic and may have an effect when it fails", writing().Failures(
			contract.Fatal("half_done", "A half is done.").EffectPossible()).Idempotency(contract.Idempotency{
			Mode: idempotency.Managed, Atomic: true}), "idempotency"},
		{"idempotency.atomic", "that is atomic and asks for an input", asking().Idempotency(contract.Idempotency{
			Mode: idempotency.Managed, Atomic: true}), "idempotency"},
		{"idempotency.key", "whose key field is not in the input", writing().Idempotency(contract.Idempotency{Mode: idempotency.Managed,
			KeyFields: []string{"Text"}}), "idempotency"},
		{"idempotency.key", "with a client key and key fields", writing().Idempotency(contract.Idempotency{Mode: idempotency.Managed,
			ClientKey: true, KeyFields: []string{"text"}}), "idempotency"},
		{"idempotency.key", "with a required client key and key fields", writing().Idempotency(contract.Idempotency{
			Mode: idempotency.Managed, KeyRequired: true, KeyFields: []string{"text"}}), "idempotency"},
		{"idempotency.key", "with a required client key and a tagged key", keyed().Idempotency(contract.Idempotency{
			Mode: idempotency.Managed, KeyRequired: true}), "idempotency"},
		{"idempotency.unmanaged", "that is native and requires a client key", writing().Idempotency(contract.Idempotency{
			Mode: idempotency.Native, KeyRequired: true}), "idempotency"},
		{"idempotency.unmanaged", "that is not idempotent and requires a client key", writing().Idempotency(contract.Idempotency{
			Mode: idempotency.None, KeyRequired: true}), "idempotency"},
		{"idempotency.mode", "that requires a client key and has no mode", writing().Idempotency(contract.Idempotency{
			KeyRequired: true}), "idempotency"},
		{"idempotency.retention", "with a required client key and a retention for other keys", writing().Idempotency(
			contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true, ArgumentsRetention: time.Minute}), "idempotency"},
		{"reconcile.nil", "that reconciles by no function", writing().Idempotency(byText).Reconcile(nil, contract.Reconciling{}),
			"reconcile"},
		{"reconcile.quiet", "that is quiet for less than no time", writing().Idempotency(byText).Reconcile(findsOut,
			contract.Reconciling{Quiet: -time.Second}), "reconcile"},
		{"reconcile.quiet", "that is quiet for no whole seconds", writing().Idempotency(byText).Reconcile(findsOut,
			contract.Reconciling{Quiet: 1500 * time.Millisecond}), "reconcile"},
		{"reconcile.key", "that reconciles and is not idempotent", writing().Reconcile(findsOut, contract.Reconciling{}),
			"reconcile"},
		{"reconcile.key", "that reconciles and declares no idempotency", writing().Idempotency(contract.Idempotency{
			Mode: idempotency.None}).Reconcile(findsOut, contract.Reconciling{}), "reconcile"},
		{"reconcile.key", "that reconciles and is native", writing().Idempotency(contract.Idempotency{
			Mode: idempotency.Native}).Reconcile(findsOut, contract.Reconciling{}), "reconcile"},
		{"reconcile.key", "that reconciles and is keyed", writing().Idempotency(contract.Idempotency{
			Mode: idempotency.Keyed}).Reconcile(findsOut, contract.Reconciling{}), "reconcile"},
		{"reconcile.key", "that reconciles and is keyed by a required key", writing().Idempotency(contract.Idempotency{
			Mode: idempotency.Keyed, KeyRequired: true}).Reconcile(findsOut, contract.Reconciling{}), "reconcile"},
		{"reconcile.key", "that reconciles and is atomic", writing().Idempotency(contract.Idempotency{
			Mode: idempotency.Managed, KeyFields: []string{"text"}, Atomic: true}).Reconcile(findsOut, contract.Reconciling{}),
			"reconcile"},
		{"reconcile.key", "that reconciles by all arguments", writing().Idempotency(managed).Reconcile(findsOut,
			contract.Reconciling{}), "reconcile"},
		{"reconcile.key", "that reconciles by a key that the client may leave out", writing().Idempotency(contract.Idempotency{
			Mode: idempotency.Managed, ClientKey: true}).Reconcile(findsOut, contract.Reconciling{}), "reconcile"},
		{"failure.reserved", "that reconciles and declares that an unknown outcome is final", writing().Idempotency(byText).Reconcile(
			findsOut, contract.Reconciling{}).Failures(contract.Fatal(contract.CodeOutcomeUnknown, "Nobody knows.").EffectPossible()),
			"failureModes/0"},
		{"failure.reserved", "that reconciles and declares an unknown outcome without an effect", writing().Idempotency(byText).
			Reconcile(findsOut, contract.Reconciling{}).Failures(contract.Retryable(contract.CodeOutcomeUnknown, "Nobody knows.")),
			"failureModes/0"},
		{"idempotency.key", "with a client key and a tagged key", keyed().Idempotency(contract.Idempotency{Mode: idempotency.Managed,
			ClientKey: true}), "idempotency"},
		{"idempotency.key", "that is keyed and has key fields", writing().Idempotency(contract.Idempotency{Mode: idempotency.Keyed,
			KeyFields: []string{"text"}}), "idempotency"},
		{"idempotency.key", "that is keyed and has a tagged key", keyed().Idempotency(contract.Idempotency{Mode: idempotency.Keyed}),
			"idempotency"},
		{"idempotency.retention", "that is keyed and kept for less than no time",
			writing().Idempotency(contract.Idempotency{Mode: idempotency.Keyed, Retention: -time.Second}), "idempotency"},
		{"idempotency.retention", "kept for less than no time", writing().Idempotency(contract.Idempotency{Mode: idempotency.Managed,
			Retention: -time.Second}), "idempotency"},
		{"idempotency.retention", "kept for no whole seconds", writing().Idempotency(contract.Idempotency{Mode: idempotency.Managed,
			Retention: math.MaxInt64}), "idempotency"},
		{"idempotency.retention", "kept for less than no time if all arguments are the key",
			writing().Idempotency(contract.Idempotency{Mode: idempotency.Managed, ArgumentsRetention: -time.Second}), "idempotency"},
		{"idempotency.retention", "kept for no whole seconds if all arguments are the key",
			writing().Idempotency(contract.Idempotency{Mode: idempotency.Managed, ArgumentsRetention: time.Millisecond}), "idempotency"},
		{"idempotency.retention", "kept longer if the key is a guess", writing().Idempotency(contract.Idempotency{
			Mode: idempotency.Managed, ArgumentsRetention: 25 * time.Hour}), "idempotency"},
		{"idempotency.retention", "with key fields and a retention for other keys", writing().Idempotency(contract.Idempotency{
			Mode: idempotency.Managed, KeyFields: []string{"text"}, ArgumentsRetention: time.Minute}), "idempotency"},
		{"idempotency.retention", "with a tagged key and a retention for other keys", keyed().Idempotency(contract.Idempotency{
			Mode: idempotency.Managed, ArgumentsRetention: time.Minute}), "idempotency"},
		{"idempotency.retention", "that is keyed and has a retention for other keys", writing().Idempotency(contract.Idempotency{
			Mode: idempotency.Keyed, ArgumentsRetention: time.Minute}), "idempotency"},
		{"idempotency.unmanaged", "that is native and has a retention for a guessed key",
			writing().Idempotency(contract.Idempotency{Mode: idempotency.Native, ArgumentsRetention: time.Second}), "idempotency"},
		{"idempotency.replayWhile", "that checks a replay and is not managed", writing().ReplayWhile(always), "idempotency"},
		{"idempotency.replayWhile", "that checks a replay by no function", writing().Idempotency(managed).ReplayWhile(nil),
			"idempotency"},
		{"idempotency.replayUntil", "that bounds a replay and is not managed", writing().ReplayUntil(tomorrow), "idempotency"},
		{"idempotency.replayUntil", "that bounds a replay by no function", writing().Idempotency(managed).ReplayUntil(nil),
			"idempotency"},
		{"dryRun.function", "whose dry run has no function", writing().DryRun(dryrun.Clause[noteInput]{}), "dryRun"},
		{"precheck.nil", "that is checked by no function", writing().Precheck(nil), "precheck"},
		{"asks.number", "that never asks its client", writing().Asks(0), "Asks"},
		{"asks.number", "that asks its client without end", writing().Asks(11), "Asks"},
		{"asks.form", "that asks with the field of a confirmation", writing().Asks(1, struct {
			Confirm bool `json:"confirm"`
		}{}), "Asks confirm"},
		{"asks.wrapped", "that is wrapped and asks by itself", wrappedWriting().Asks(1), "Asks"},
		{"resolve.nil", "that resolves by no function", writing().Resolve(contract.Least{}, nil), "resolve"},
		{"resolve.least", "whose least risk is above its own", writing().Resolve(contract.Least{Risk: risk.High}, asDeclared),
			"resolves"},
		{"resolve.least", "whose least risk is no risk", writing().Resolve(contract.Least{Risk: 42}, asDeclared), "resolves"},
		{"resolve.least", "whose least effect is above its own",
			writing().Resolve(contract.Least{Effect: risk.Destructive}, asDeclared), "resolves"},
		{"resolve.least", "whose least risk is below its effect",
			grave().Resolve(contract.Least{Risk: risk.Medium}, asDeclared), "resolves"},
		{"resolve.least", "whose least is critical and asks no person",
			grave().Resolve(contract.Least{Confirmation: contract.ConfirmationNever}, asDeclared), "resolves"},
		{"resolve.least", "whose least asks more than the tool",
			writing().Resolve(contract.Least{Confirmation: contract.ConfirmationAlways}, asDeclared), "resolves"},
		{"resolve.least", "whose least asks about some calls",
			grave().Resolve(contract.Least{Confirmation: contract.ConfirmationWhen}, asDeclared), "resolves"},
		{"resolve.least", "whose least verifies nothing at security level 8", grave().SecurityLevel(8).Resolve(contract.Least{
			Effect: risk.ReadOnly, Risk: risk.Low, Confirmation: contract.ConfirmationNever}, asDeclared), "resolves"},
		{"resolve.least", "whose least has a permission of its own",
			writing().Resolve(contract.Least{Permissions: []string{"notes:write", "notes:root"}}, asDeclared), "resolves"},
		{"resolve.least", "whose least needs no permission at medium",
			writing().Resolve(contract.Least{Permissions: []string{}}, asDeclared), "resolves"},
		{"autonomous.contradiction", "that denies autonomy and whose least asks no person", grave().Autonomous(false).
			Resolve(contract.Least{Effect: risk.ReadOnly, Risk: risk.Low, Confirmation: contract.ConfirmationNever}, asDeclared),
			"autonomous"},
		{"auditEvent.form", "whose audit event has a line break", writing().AuditEvent("note\nwritten"), "auditEvent"},
		{"auditEvent.form", "whose audit event is empty", writing().AuditEvent(""), "auditEvent"},
		{"failure.nil", "with a nil failure", writing().Failures(nil), "failureModes/0"},
		{"failure.code", "with a code in capitals", writing().Failures(contract.Fatal("NOTE_GONE", "The note is gone.")),
			"failureModes/0"},
		{"failure.code", "with a code of 129 bytes", writing().Failures(contract.Fatal(strings.Repeat("x", 129), "The note is gone.")),
			"failureModes/0"},
		{"failure.class", "with a failure of no class", tagged[noClassInput](), "failureModes/0"},
		{"failure.description", "with a failure of no description", writing().Failures(gone, contract.Retryable("note_locked", "")),
			"failureModes/1"},
		{"failure.duplicate", "with a code declared twice", writing().Failures(gone).Failures(contract.Retryable("note_gone",
			"Not yet written.")), "failureModes/1"},
		{"failure.reserved", "with a reserved code of another class", writing().Failures(contract.Fatal(contract.CodeInvalidInput,
			"The text is no text.")), "failureModes/0"},
		{"failure.rerun", "whose other errors are retryable though the call would be refused",
			writing().Idempotency(managed).OtherErrors(contract.ClassRetryable), "otherErrors"},
		{"failure.rerun", "that is keyed, and whose other errors are retryable",
			writing().Idempotency(contract.Idempotency{Mode: idempotency.Keyed}).OtherErrors(contract.ClassRetryable), "otherErrors"},
		{"limit.range", "with no calls", writing().RateLimit(0, time.Minute), "rateLimit"},
		{"limit.range", "with calls given back in half a second", writing().RateLimit(1, time.Second/2), "rateLimit"},
		{"limit.range", "with no calls of all together", writing().RateLimit(1, time.Minute).TotalRateLimit(0, time.Minute),
			"totalRateLimit"},
		{"limit.range", "with calls of all together given back in a second and a half", writing().TotalRateLimit(1, 3*time.Second/2),
			"totalRateLimit"},
		{"limit.range", "with a budget of no failures", writing().RetryBudget(0, time.Minute), "retryBudget"},
		{"limit.range", "with a budget of fewer than no failures", writing().RetryBudget(-1, time.Minute), "retryBudget"},
		{"limit.range", "with a budget for no time", writing().RetryBudget(1, 0), "retryBudget"},
		{"limit.range", "with a budget for half a second", writing().RetryBudget(1, time.Second/2), "retryBudget"},
		{"limit.total", "with fewer calls of all together than of one", writing().RateLimit(20, time.Minute).TotalRateLimit(19,
			time.Minute), "totalRateLimit"},
		{"limit.total", "with as many calls of all together as of one, in more time", writing().RateLimit(20,
			time.Minute).TotalRateLimit(20, time.Hour), "totalRateLimit"},
		{"limit.range", "with a timeout of no time", writing().Timeout(0), "timeoutMs"},
		{"limit.range", "with a timeout of a microsecond", writing().Timeout(time.Microsecond), "timeoutMs"},
		{"limit.range", "with room for no call", writing().MaxConcurrent(0), "maxConcurrent"},
		{"limit.range", "with results of no bytes", writing().MaxResultBytes(0), "maxResultBytes"},
		{"limit.range", "with arguments of less than no bytes", writing().MaxArgumentBytes(-1), "maxArgumentBytes"},
		{"limit.range", "with a step-up of a negative age", writing().StepUp(contract.StepUp{MaxAge: -time.Second}), "stepUp"},
		{"limit.range", "with a step-up of an age that is no whole seconds", writing().StepUp(contract.StepUp{MaxAge: math.MaxInt64}),
			"stepUp"},
		{"limit.range", "with results of more than 1 GiB", writing().MaxResultBytes(1<<30 + 1), "maxResultBytes"},
		{"limit.range", "with arguments of as much as an int64 holds", writing().MaxArgumentBytes(math.MaxInt64), "maxArgumentBytes"},
		{"text.form", "whose title hides text in tag characters", reading().Title("Notes\U000e0041"), "title"},
		{"text.form", "whose description drives a terminal", reading().Description("Reads.\x1b[2J"), "description"},
		{"text.form", "whose description is not UTF-8", reading().Description("Reads.\xff"), "description"},
		{"text.form", "whose category is reordered", reading().Category("\u202email"), "category"},
		{"text.form", "whose metadata has an invisible key", reading().Metadata("te\u200bam", 1), "metadata"},
		{"text.form", "whose metadata has a key that is not UTF-8", reading().Metadata("\xff", 1).Metadata("f", func() {}), "metadata"},
		{"text.form", "whose metadata hides text deep within", reading().Metadata("a", []any{map[string]any{"b": "x\u2060y"}}),
			"metadata"},
		{"text.form", "whose deprecation hides text", reading().Deprecated(contract.Deprecation{Since: "1.0.0", Note: "Gone.\u200b"}),
			"deprecated/note"},
		{"text.form", "whose reason not to ask hides text", reading().ConfirmNever("No\u00ad need."), "confirmationReason"},
		{"text.form", "whose step-up hides text", writing().StepUp(contract.StepUp{When: "always\u200b", ACR: "mfa"}), "stepUp/when"},
		{"text.form", "whose reason for no permissions hides text", reading().NoPermissions("Anybody\u2066 may."), "noPermissions"},
		{"text.form", "whose second side effect hides text", writing().SideEffects(contract.SideEffect{Description: "One."},
			contract.SideEffect{Description: "A\u200bnother."}), "sideEffects/1/description"},
		{"text.form", "whose side effect hides what a repetition does", writing().SideEffects(contract.SideEffect{Description: "One.",
			OnRepeat: "A\u200bnother."}), "sideEffects/0/onRepeat"},
		{"text.form", "whose side effect hides what it affects", writing().SideEffects(contract.SideEffect{Description: "One.",
			Affects: "\x07"}), "sideEffects/0/affects"},
		{"text.form", "whose second failure hides text", writing().Failures(gone, contract.Fatal("note_lost", "Lost.\ufeff")),
			"failureModes/1/description"},
		{"uncheckedPatterns.risk", "at high that leaves a pattern unchecked",
			writing().Effect(risk.HighRiskWrite).UncheckedPatterns().InputSchema(
				closed(`{"type":"object","properties":{"text":{"pattern":"(?=a)"}}}`)), "inputSchema"},
		{"lenient.unknown", "of an unknown leniency", reading().Lenient(0), "lenient"},
		{"lenient.risk", "at high that is lenient", writing().Effect(risk.HighRiskWrite).Lenient(contract.NullAsAbsent), "lenient"},
		{"tag.stray", "whose embedded struct has marker fields", readingOf[strayEmbeddedInput](), "contract_test.markedInput"},
		{"tag.stray", "whose items have marker fields, read from tags", tagged[strayNestedInput](), "contract_test.markedInput"},
		{"tag.stray", "whose input hides marker fields from JSON", readingOf[strayUnwrittenInput](), "contract_test.strayEffect"},
		{"tag.stray", "whose result has marker fields", returning[strayFailureOutput](), "contract_test.strayFailureOutput"},
		{"tag.stray", "whose result's content has marker fields", returning[contract.Reply[strayFailureOutput]](),
			"contract_test.strayFailureOutput"},
		{"name.missing", "whose tags have no name", tagged[namelessInput](), "name"},
		{"name.missing", "whose tag has an empty name", tagged[emptyNameInput](), "name"},
		{"tag.marker", "whose marker field has a name", tagged[namedMarkerInput](), "contract_test.namedMarkerInput.F"},
		{"tag.syntax", "whose tag has a key twice", tagged[brokenTagInput](), "contract_test.brokenTagInput._"},
		{"tag.key", "whose tag has an unknown key", tagged[unknownKeyInput](), "contract_test.unknownKeyInput._"},
		{"tag.value", "whose tag has an effect that is none", tagged[badEffectInput](), "contract_test.badEffectInput._ effect"},
		{"tag.value", "whose tag has a list of permissions with a hole", tagged[badPermissionsInput](),
			"contract_test.badPermissionsInput._ permissions"},
		{"tag.value", "whose tag has a value that is none", tagged[badValueInput](), "contract_test.badValueInput._ timeout"},
		{"tag.duplicate", "whose tags declare a clause twice", tagged[declaredTwiceInput](),
			"contract_test.declaredTwiceInput._ version"},
		{"field.tag", "with a field tag of no meaning",
			complete(contract.New("notes.read", handler[unknownFieldTagInput, noteOutput])).Effect(risk.ReadOnly),
			"contract_test.unknownFieldTagInput.Text"},
	}...)
}

type keyedInput struct {
	Key string `json:"key" contract:"idempotency-key"`
}

func keyed() *contract.Builder[keyedInput, noteOutput] {
	return complete(contract.New("notes.write",
		handler[keyedInput, noteOutput])).Effect(risk.LowRiskWrite).Permissions("notes:write")
}

func never(noteInput) bool { return false }

func always(context.Context, noteInput, noteOutput) (bool, error) { return true, nil }

func tomorrow(noteInput, noteOutput) time.Time { return time.Now().Add(24 * time.Hour) }

// panicky panics in each of its methods.
type panicky struct{}

func (panicky) JSONSchema() *jsonschema.Schema { panic("no schema") }

func (panicky) JSONSchemaExtend(*jsonschema.Schema) { panic("no schema") }

func (*panicky) UnmarshalJSON([]byte) error { panic("not read") }

func (panicky) MarshalJSON() ([]byte, error) { panic("not plain") }

func wrappedWriting() *noteBuilder {
	b := writing()
	bound.SetWritten(b, bound.Written{})
	return b
}

func TestBuild_ReportsEachBrokenRuleAlone(t *testing.T) {
	t.Parallel()
	for _, c := range brokenRules() {
		t.Run("a contract "+c.contract+" breaks "+c.rule, func(t *testing.T) {
			t.Parallel()
			tool, err := c.builder.Build()
			require.Nil(t, tool)
			all := contract.DeclarationErrors(err)
			require.Len(t, all, 1, "%v", err)
			e := all[0]
			assert.Equal(t, c.rule, e.Rule)
			assert.Equal(t, c.clause, e.Where)
			assert.NotEmpty(t, e.Message)
			assert.NotEmpty(t, e.Remedy)
			if c.rule != "name.missing" {
				assert.NotEmpty(t, e.Tool)
			}
		})
	}
}

func TestRules_AreUniqueAndEachIsBroken(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, r := range contract.BuildRules() {
		assert.False(t, known[r.ID], "%s stands twice", r.ID)
		known[r.ID] = true
		assert.NotEmpty(t, r.Summary, r.ID)
	}
	broken := map[string]bool{}
	for _, c := range brokenRules() {
		assert.True(t, known[c.rule], "%s is not in BuildRules", c.rule)
		broken[c.rule] = true
	}
	for _, r := range contract.BuildRules() {
		assert.True(t, broken[r.ID], "no contract breaks %s", r.ID)
	}
}

func TestRules_BelongToTheCaller(t *testing.T) {
	t.Parallel()
	first := contract.BuildRules()
	want := first[0]
	first[0] = contract.BuildRule{ID: "changed"}
	assert.Equal(t, want, contract.BuildRules()[0])
}

type manyMistakesInput struct {
	Count int    `json:"count" jsonschema:"minimum=none"`
	Text  string `json:"text" jsonschema:"maximum=3" contract:"expose"`
}

func manyMistakes() *contract.Builder[manyMistakesInput, []string] {
	return contract.New[manyMistakesInput, []string]("Lists All", nil).
		From(contract.Base{TypeSchemas: []contract.TypeSchema{{}}}).
		Version("one").
		Aliases("Lists All", "x y").
		Risk(42).Effect(42).Trust(42).SecurityLevel(42).
		Permissions("", "a", "a").DiscoverWith("b").
		SideEffects(contract.SideEffect{Reach: 7}).
		Idempotency(contract.Idempotency{Mode: 42}).
		Failures(nil, contract.Fatal("", "")).
		RateLimit(-1, 0).RetryBudget(-1, 0).Timeout(-1).MaxConcurrent(-1).MaxResultBytes(-1).MaxArgumentBytes(-1).
		Resolve(contract.Least{}, nil).ReplayUntil(nil).ReplayWhile(nil)
}

func TestBuild_ReportsAllMistakesAtOnceInTheSameOrder(t *testing.T) {
	t.Parallel()
	want := []string{
		"schema.typeSchema", "handler.nil", "name.form", "description.missing", "version.form", "alias.form", "alias.form",
		"security.range", "risk.unknown", "effect.unknown", "trust.unknown",
		"permissions.form", "permissions.form", "discoverWith.contradiction",
		"sideEffects.description", "sideEffects.unknown", "idempotency.replayWhile", "idempotency.replayUntil", "idempotency.mode",
		"limit.range", "limit.range", "limit.range", "limit.range", "limit.range", "limit.range", "resolve.nil",
		"failure.nil", "failure.code", "failure.description", "field.tag",
		"schema.tag.value", "schema.tag.applies", "schema.root",
	}
	for range 20 {
		require.Equal(t, want, mistakes(t, manyMistakes()))
	}
}

func TestBuild_ReportsTheSameMistakesAgain(t *testing.T) {
	t.Parallel()
	b := manyMistakes()
	_, first := b.Build()
	_, second := b.Build()
	require.Error(t, first)
	assert.Equal(t, first.Error(), second.Error())
}

func TestMustBuild_PanicsWithTheErrorOfBuild(t *testing.T) {
	t.Parallel()
	for _, c := range brokenRules() {
		b, ok := c.builder.(*noteBuilder)
		if !ok {
			continue
		}
		_, err := b.Build()
		want := err.Error() + "\nrules: https://github.com/toolcontract/toolcontract/blob/main/docs/rules.md"
		assert.PanicsWithError(t, want, func() { b.MustBuild() }, c.rule)
	}
}

func TestBuild_DoesNotPanicOnAnyType(t *testing.T) {
	t.Parallel()
	type loop *loop
	type list []list
	for name, b := range map[string]buildable{
		"an interface":          complete(contract.New("a.b", handler[any, any])).Effect(risk.ReadOnly),
		"an error":              complete(contract.New("a.b", handler[error, error])).Effect(risk.ReadOnly),
		"a channel":             complete(contract.New("a.b", handler[chan int, chan int])).Effect(risk.ReadOnly),
		"a function":            complete(contract.New("a.b", handler[func(), func()])).Effect(risk.ReadOnly),
		"a pointer to a struct": complete(contract.New("a.b", handler[*noteInput, *noteOutput])).Effect(risk.ReadOnly),
		"a pointer to itself":   complete(contract.New("a.b", handler[loop, loop])).Effect(risk.ReadOnly),
		"a list of itself":      complete(contract.New("a.b", handler[list, list])).Effect(risk.ReadOnly),
		"a map with keys of a structure": complete(contract.New("a.b",
			handler[map[noteInput]int, map[noteInput]int])).Effect(risk.ReadOnly),
		"a number":            complete(contract.New("a.b", handler[int, complex128])).Effect(risk.ReadOnly),
		"what panics":         complete(contract.New("a.b", handler[panicky, panicky])).Effect(risk.ReadOnly),
		"a field that panics": complete(contract.New("a.b", handler[innerTags[panicky], innerTags[panicky]])).Effect(risk.ReadOnly),
		"an array":            complete(contract.New("a.b", handler[[2]int, [2]int])).Effect(risk.ReadOnly),
		"a context":           complete(contract.New("a.b", handler[context.Context, context.Context])).Effect(risk.ReadOnly),
	} {
		t.Run(name+" is neither arguments nor a result", func(t *testing.T) {
			t.Parallel()
			for _, rule := range mistakes(t, b) {
				assert.Regexp(t, `^schema\.`, rule)
			}
		})
	}
}

func TestBuild_AcceptsEverythingThatNoRuleForbids(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]buildable{
		"a flat name that is declared as one": complete(contract.New("read",
			note)).Effect(risk.ReadOnly).FlatName(),
		"a name of 128 characters": complete(contract.New("n."+strings.Repeat("x", 126),
			note)).Effect(risk.ReadOnly),
		"a version with a prerelease":          reading().Version("2.0.0-rc.1+build"),
		"a text in other scripts, with emoji":  reading().Title("名前 עברית").Description("Reads.\n\tÉté 👩‍👩‍👧."),
		"sizes of 1 GiB":                       reading().MaxResultBytes(1 << 30).MaxArgumentBytes(1 << 30),
		"a permission of every printable sign": writing().Permissions("a!\"#$%&'()*+-./:;<=>?@[]^_`{|}~"),
		"a replacement": reading().Deprecated(contract.Deprecation{Since: "1.0.0",
			ReplacedBy: "notes.get"}),
		"marker fields of an input that holds itself":      tagged[recursiveMarkedInput](),
		"marker fields of an input that is the result too": contract.New("", handler[recursiveMarkedInput, recursiveMarkedInput]),
		"a flat alias":                      reading().Aliases("read_note"),
		"no trust":                          complete(contract.New("notes.read", note)).Effect(risk.ReadOnly),
		"a critical risk without an effect": complete(contract.New("notes.drop", note)).Risk(risk.Critical).Permissions("a"),
		"security level 8 with a step-up that never asks": writing().SecurityLevel(8).StepUp(contract.StepUp{ACR: "mfa"}).
			ConfirmNever("The step-up does."),
		"a step-up to a class that is a URL, of any age there is": writing().
			StepUp(contract.StepUp{ACR: "https://id.example/~acr/[2]?a='b'", MaxAge: math.MaxInt64 - math.MaxInt64%time.Second}),
		"calls of all together that are those of one": writing().RateLimit(20, time.Minute).TotalRateLimit(40,
			2*time.Minute).TotalRateLimit(20, time.Minute),
		"calls of all together that refill sooner, and fewer at once": writing().RateLimit(100, time.Hour).TotalRateLimit(50,
			time.Second),
		"calls of all together that refill later, and more at once": writing().RateLimit(10, time.Second).TotalRateLimit(1000,
			time.Hour),
		"calls of all together, and the guard's own of one": writing().TotalRateLimit(1, time.Hour),
		"a high tool that never asks, for a reason": writing().Effect(risk.HighRiskWrite).
			ConfirmNever("It is undone by one click."),
		"a critical tool that declares always": writing().Effect(risk.Destructive).ConfirmAlways().Autonomous(false),
		"a low tool without permissions":       reading(),
		"a writing tool with a reason for none": complete(contract.New("notes.write", note)).Effect(risk.LowRiskWrite).
			NoPermissions("Anybody may."),
		"a restricted tool that returns nothing": complete(contract.New("keys.use", handler[noteInput, struct{}])).
			Risk(risk.Restricted).Permissions("a"),
		"no idempotency, said":             writing().Idempotency(contract.Idempotency{Mode: idempotency.None}),
		"a reserved code of its own class": writing().Failures(contract.Fatal(contract.CodePolicyViolation, "The policy forbids it.")),
		"the generic failures": writing().Failures(contract.Retryable(contract.CodeToolRetry, "a"),
			contract.Fatal(contract.CodeToolFatal, "b")),
		"a forbidden tool that is never found": writing().Risk(risk.Forbidden),
		"trust that is sensitive":              reading().Trust(trust.Sensitive),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := b.Build()
			assert.NoError(t, err)
		})
	}
}

var upstream = contract.Base{Confirmation: contract.ConfirmationUpstream}
