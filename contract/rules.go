package contract

import "slices"

// A Rule is one of the rules that Build holds a contract to.
type Rule struct {
	// ID is stable: a [DeclarationError] carries it.
	ID string
	// Summary says what the rule demands.
	Summary string
}

const (
	ruleBaseNil            = "base.nil"
	ruleHandlerNil         = "handler.nil"
	ruleBindDefinition     = "bind.definition"
	ruleBindCapability     = "bind.capability"
	ruleBindVersion        = "bind.version"
	ruleBindSecurityLevel  = "bind.securityLevel"
	ruleBindParameter      = "bind.parameter"
	ruleBindReturn         = "bind.return"
	ruleNameMissing        = "name.missing"
	ruleNameForm           = "name.form"
	ruleNameFlat           = "name.flat"
	ruleDescriptionMissing = "description.missing"
	ruleVersionMissing     = "version.missing"
	ruleVersionForm        = "version.form"
	ruleMetadataForm       = "metadata.form"
	ruleDeprecatedSince    = "deprecated.since"
	ruleDeprecatedBy       = "deprecated.replacedBy"
	ruleAliasForm          = "alias.form"
	ruleAliasDuplicate     = "alias.duplicate"
	ruleRiskUnknown        = "risk.unknown"
	ruleRiskFloor          = "risk.floor"
	ruleEffectUnknown      = "effect.unknown"
	ruleEffectMissing      = "effect.missing"
	ruleTrustUnknown       = "trust.unknown"
	ruleSecurityRange      = "security.range"
	ruleSecurityPerms      = "security.permissions"
	ruleSecurityVerify     = "security.verification"
	ruleConfirmUnknown     = "confirmation.unknown"
	ruleConfirmCritical    = "confirmation.critical"
	ruleConfirmReason      = "confirmation.reason"
	ruleConfirmWhen        = "confirmation.when"
	ruleAutonomous         = "autonomous.contradiction"
	ruleStepUpEmpty        = "stepUp.empty"
	ruleStepUpACR          = "stepUp.acr"
	rulePermsMissing       = "permissions.missing"
	rulePermsForm          = "permissions.form"
	rulePermsContradiction = "permissions.contradiction"
	ruleDiscover           = "discoverWith.contradiction"
	ruleForbiddenListed    = "forbidden.listed"
	ruleRestrictedExpose   = "restricted.expose"
	ruleEffectsReadOnly    = "sideEffects.readOnly"
	ruleEffectsDescription = "sideEffects.description"
	ruleEffectsUnknown     = "sideEffects.unknown"
	ruleIdemMode           = "idempotency.mode"
	ruleIdemUnmanaged      = "idempotency.unmanaged"
	ruleIdemKey            = "idempotency.key"
	ruleIdemRetention      = "idempotency.retention"
	ruleReplayUntil        = "idempotency.replayUntil"
	ruleDryRunFunction     = "dryRun.function"
	ruleDryRunInput        = "dryRun.input"
	ruleDryRunOutput       = "dryRun.output"
	ruleDryRunData         = "dryRun.data"
	ruleResolveNil         = "resolve.nil"
	ruleAuditEvent         = "auditEvent.form"
	ruleFailureNil         = "failure.nil"
	ruleFailureCode        = "failure.code"
	ruleFailureClass       = "failure.class"
	ruleFailureDescription = "failure.description"
	ruleFailureDuplicate   = "failure.duplicate"
	ruleFailureReserved    = "failure.reserved"
	ruleLimitRange         = "limit.range"
	ruleLimitTotal         = "limit.total"
	ruleTextForm           = "text.form"
	ruleTagNone            = "tag.none"
	ruleTagUnread          = "tag.unread"
	ruleTagMarker          = "tag.marker"
	ruleTagSyntax          = "tag.syntax"
	ruleTagKey             = "tag.key"
	ruleTagValue           = "tag.value"
	ruleTagDuplicate       = "tag.duplicate"
	ruleTagStray           = "tag.stray"
	ruleFieldTag           = "field.tag"
)

// ruleTable is never written to; Rules hands out copies.
var ruleTable = []Rule{
	{ruleBaseNil, "From takes a Base."},
	{ruleHandlerNil, "A tool has a handler."},
	{ruleBindDefinition, "Bind takes a definition that is valid."},
	{ruleBindCapability, "Bind names a capability of its definition."},
	{ruleBindVersion, "A bound tool has its definition's version."},
	{ruleBindSecurityLevel, "A bound tool's security level is not below its definition's."},
	{ruleBindParameter, "A bound tool's input has the definition's parameters, of their types, as required as they are."},
	{ruleBindReturn, "A bound tool's result has what the definition declares of the return value."},
	{ruleNameMissing, "A tool has a name."},
	{ruleNameForm, "A name is 1 to 128 of A-Z a-z 0-9 _ . - and has no empty part."},
	{ruleNameFlat, "A name is domain.verb unless FlatName allows a flat one."},
	{ruleDescriptionMissing, "A tool has a description."},
	{ruleVersionMissing, "A contract has a version."},
	{ruleVersionForm, "A version is SemVer 2.0.0, such as 1.0.0."},
	{ruleMetadataForm, "Metadata can be written as JSON, with integers of at most 64 bits."},
	{ruleDeprecatedSince, "A deprecation names the version since which it holds."},
	{ruleDeprecatedBy, "A deprecated tool's replacement is formed as a name."},
	{ruleAliasForm, "An alias is formed as a name."},
	{ruleAliasDuplicate, "An alias is said once."},
	{ruleRiskUnknown, "A risk is one of the levels."},
	{ruleRiskFloor, "A risk is not below the floor of the effect."},
	{ruleEffectUnknown, "An effect is one of the effects."},
	{ruleEffectMissing, "A tool below critical declares its effect."},
	{ruleTrustUnknown, "A content trust is one of the levels."},
	{ruleSecurityRange, "A security level is 0 to 10."},
	{ruleSecurityPerms, "From security level 4 up permissions are declared."},
	{ruleSecurityVerify, "From security level 8 up a tool asks or demands a step-up."},
	{ruleConfirmUnknown, "A confirmation is never, when or always."},
	{ruleConfirmCritical, "A critical tool always asks."},
	{ruleConfirmReason, "A tool at high or above that never asks says why."},
	{ruleConfirmWhen, "Confirmation when has its function, from ConfirmWhen."},
	{ruleAutonomous, "An assertion of autonomous agrees with risk and confirmation."},
	{ruleStepUpEmpty, "A step-up demands an age or an ACR."},
	{ruleStepUpACR, "An ACR is printable ASCII without blanks, quotes and backslashes: it is written into a challenge (RFC 9470)."},
	{rulePermsMissing, "A tool above low declares permissions, or why it needs none."},
	{rulePermsForm, "A permission is a word of printable ASCII without commas, said once."},
	{rulePermsContradiction, "A tool has permissions or a reason for none, not both."},
	{ruleDiscover, "DiscoverWith lists some of the permissions."},
	{ruleForbiddenListed, "A forbidden tool is never listed: no aliases, no discoverWith."},
	{ruleRestrictedExpose, "A restricted tool returns a struct with exposed fields, and publishes no schema but its own."},
	{ruleEffectsReadOnly, "A read-only tool has no side effects."},
	{ruleEffectsDescription, "A side effect has a description."},
	{ruleEffectsUnknown, "Reach and undo are among their values."},
	{ruleIdemMode, "Idempotency is none, native or managed."},
	{ruleIdemUnmanaged, "Keys, retention and onUnknown belong to managed idempotency."},
	{ruleIdemKey, "A key field is a direct field of the input; a client key excludes key fields."},
	{ruleIdemRetention, "A retention is positive."},
	{ruleReplayUntil, "ReplayUntil belongs to managed idempotency and has a function."},
	{ruleDryRunFunction, "A dry run has its own function."},
	{ruleDryRunInput, "The input of a tool with a dry run has no member dryRun or dryRunToken, and a schema whose root bounds each member by itself."},
	{ruleDryRunOutput, "A tool with a dry run returns a struct or a map, without a member dryRun."},
	{ruleDryRunData, "The data of a preview is a plain struct, without the members that every preview has."},
	{ruleResolveNil, "Resolve has a function."},
	{ruleAuditEvent, "An audit event is 1 to 128 of A-Z a-z 0-9 _ . -."},
	{ruleFailureNil, "A failure is not nil."},
	{ruleFailureCode, "A failure's code is lower-case words joined by underscores."},
	{ruleFailureClass, "A failure is retryable or fatal."},
	{ruleFailureDescription, "A failure has a description."},
	{ruleFailureDuplicate, "A code is declared once."},
	{ruleFailureReserved, "A reserved code keeps its class."},
	{ruleLimitRange, "A limit is positive, a size at most 1 GiB; a timeout is whole milliseconds, the time of a rate whole seconds."},
	{ruleLimitTotal, "A rate limit for all callers together is not below that of one."},
	{ruleTextForm, "A text for people and models is UTF-8 that nothing hides in: trust.Sanitize leaves it as it is."},
	{ruleTagNone, "FromTags reads an input type with marker fields."},
	{ruleTagUnread, "An input type with marker fields is given to FromTags."},
	{ruleTagMarker, "A marker field is blank."},
	{ruleTagSyntax, "A struct tag is a list of key:\"value\" pairs."},
	{ruleTagKey, "A key of a marker tag is known."},
	{ruleTagValue, "A value of a marker tag can be read."},
	{ruleTagDuplicate, "A clause is said once."},
	{ruleTagStray, "Marker fields are direct fields of the input type."},
	{ruleFieldTag, "A contract field tag is sensitive, secret, review, expose or idempotency-key, where it applies."},
}

// Rules returns the rules of Build on clauses and tags, in the order in which
// a contract is read. Mistakes in types and schemas carry rule IDs that begin
// with "schema.".
func Rules() []Rule { return slices.Clone(ruleTable) }
