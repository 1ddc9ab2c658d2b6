package contracttest

// MaxTokens is what a tool may cost a model in tools/list, as [mcpgo.Tokens] estimates it with the whole contract in
// _meta, before the rule cost.tokens finds it too much.
const MaxTokens = 2000

// maxNameLength is the length of name that every host takes, in characters.
const maxNameLength = 64

const (
	ruleToolsNone    = "tools.none"
	ruleToolNil      = "tool.nil"
	ruleAcceptReason = "accept.reason"
	ruleAcceptStale  = "accept.stale"
)

// ruleTable is never written to; Rules hands out copies.
var ruleTable = []Rule{
	{ruleToolsNone, Error, "", "There are tools to inspect.", "pass the tools that Build returned", nil},
	{ruleToolNil, Error, "", "A tool is not nil.", "pass what Build returned", nil},
	{ruleAcceptReason, Error, "", "Who accepts a finding says why.", "give Accept a reason", nil},
	{ruleAcceptStale, Error, "", "What is accepted is still found.", "remove the acceptance", nil},
	{"serve.refused", Error, "", "A tool can be listed by mcpgo.", "do what the finding says", judgeServed},

	{"name.duplicate", Error, "name", "No two tools have one name.", "rename one, or leave one out", judgeDuplicate},
	{"name.length", Error, "name", "A name has at most 64 characters: Claude Desktop and claude.ai drop the whole server for a longer one, and the Claude directory refuses it.", "shorten the name and keep the old one with Aliases", judgeLength},
	{"name.dots", Info, "name", "A name has no dots where it is listed: Claude Desktop and claude.ai drop the whole server for one, Copilot CLI and Codex fail at the first prompt.", "serve with mcpgo.WithNames(mcpgo.Underscore) where such hosts are to call", judgeDots},
	{"name.collision", Warning, "name", "Names stay apart where dots are written as underscores.", "rename one, or never serve with mcpgo.Underscore", judgeCollision},
	{"name.domain", Warning, "name", "A name is domain.verb.", "rename the tool and keep the old name with Aliases", judgeDomain},
	{"alias.shadow", Error, "aliases", "An alias is no other tool's name or alias.", "remove the alias from one of them", judgeShadow},
	{"title.missing", Warning, "title", "A tool has a title: the Claude directory refuses a server with one that has none.", "say Title", judgeTitle},
	{"deprecated.future", Error, "deprecated", "A deprecation holds since the contract's version or an earlier one.", "name the version that deprecated the tool, or raise the contract's", judgeDeprecatedFuture},
	{"deprecated.successor", Warning, "deprecated", "A deprecated tool names what to use instead.", "set ReplacedBy, or say in Note that there is nothing", judgeSuccessor},
	{"deprecated.replacement", Error, "deprecated", "The replacement of a deprecated tool is another tool that is not deprecated itself.", "name the tool to use now", judgeReplacement},

	{"hints.explicit", Warning, "sideEffects", "The hints follow from what is said: tool directories demand readOnlyHint, destructiveHint and openWorldHint that are true of the tool.", "say Reach and Undo of every side effect", judgeHints},
	{"effect.verb", Info, "effect", "A tool whose name says that it changes something is not read-only.", "declare the effect, or rename the tool", judgeVerb},
	{"risk.external", Warning, "risk", "What leaves the system and cannot be taken back is critical.", "declare the effect external-publication, paid-operation or destructive", judgeExternal},
	{"trust.undeclared", Error, "contentTrust", "The trust in what a tool returns is declared. Undeclared, it is kept as prompt-injection-prone.", "say Trust; trust.PromptInjectionProne where strangers write what is returned", judgeTrust},
	{"permissions.undeclared", Info, "permissions", "A tool that changes nothing needs permissions too, or says why it does not.", "say Permissions, or NoPermissions with the reason", judgePermissions},
	{"confirmation.waived", Info, "confirmation", "A person is asked before a tool at high runs.", "remove ConfirmNever, or say ConfirmWhen", judgeWaived},
	{"stepUp.critical", Info, "stepUp", "A critical tool can demand a fresh authentication.", "say StepUp", judgeStepUp},

	{"sideEffects.missing", Error, "sideEffects", "A write says what it changes. Undeclared, it counts as one external and irreversible effect.", "say SideEffects", judgeSideEffects},
	{"sideEffects.onRepeat", Warning, "sideEffects", "A write that is not idempotent says what a repetition does.", "set OnRepeat, or declare Idempotency", judgeOnRepeat},
	{"idempotency.none", Info, "idempotency", "A write is idempotent where it can be.", "declare native or managed Idempotency", judgeIdempotency},
	{"dryRun.bulk", Warning, "dryRun", "A critical tool that takes a list can be tried first.", "say DryRun, or bound the list to one item", judgeBulk},
	{"dryRun.critical", Info, "dryRun", "A critical tool can be tried first.", "say DryRun", judgeDryRun},
	{"failures.missing", Warning, "failureModes", "A write declares how it fails by itself; an undeclared error reaches callers as internal_error.", "declare Failures with codes of the tool's own", judgeFailures},
	{"timeout.missing", Warning, "timeoutMs", "A tool that changes something outside the system has a timeout.", "say Timeout", judgeTimeout},

	{"input.undocumented", Warning, "inputSchema", "Every input field has a description.", "describe it in its jsonschema tag, or in the schema", judgeUndocumented},
	{"input.untyped", Warning, "inputSchema", "Every input field says what it takes.", "give the field a type, and an object its members", judgeUntypedInput},
	{"output.untyped", Info, "outputSchema", "What a tool returns has a schema.", "return a struct in place of text", judgeOutput},
	{"output.blob", Warning, "outputSchema", "Every output field says what it holds.", "give the field a type, and an object its members", judgeUntypedOutput},
	{"cost.tokens", Warning, "", "A tool costs a model at most 2000 tokens in tools/list, as mcpgo.Tokens estimates.", "shorten its texts, split the tool, or serve with mcpgo.WithTier(mcpgo.Summary)", judgeCost},
}
