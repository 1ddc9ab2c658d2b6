package contracttest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/risk"
)

// An aisvsTool is one tool as its server declares it.
type aisvsTool struct {
	subject
	// effective has the value that applies for what the contract leaves out.
	effective contract.Document
	// members are those of the contract's JSON.
	members map[string]json.RawMessage
}

func newAISVSTool(doc contract.Document) *aisvsTool {
	t := &aisvsTool{subject: subject{doc: doc}, effective: doc.Effective()}
	t.inputSchema, t.outputSchema = enforceable(doc.InputSchema, schema.Input), enforceable(doc.OutputSchema, schema.Output)
	t.inputRoot, t.input = members("inputSchema", t.inputSchema)
	if raw, err := json.Marshal(doc); err == nil { // else an enum has no text, and nothing counts as declared
		_ = json.Unmarshal(raw, &t.members)
	}
	return t
}

// enforceable returns a schema, or nil if there is none or a guard refuses it.
func enforceable(raw json.RawMessage, direction schema.Direction) *tree.Document {
	s, problems := schema.Compile(raw, schema.CompileOptions{Lenient: true, Direction: direction})
	if len(problems) > 0 {
		return nil
	}
	return s.Document()
}

// aisvsJudges are the judges that the table of requirements names. Each returns
// a verdict about one tool, with the clauses that support it or what is
// missing. They judge only what a contract declares; a default counts only if
// no guard can disable it.
var aisvsJudges = map[string]func(*aisvsTool) (verdict, text string){
	"contract":      func(*aisvsTool) (string, string) { return aisvsMet, "a contract" },
	"timeout":       func(t *aisvsTool) (string, string) { return t.declares("timeoutMs") },
	"permissions":   func(t *aisvsTool) (string, string) { return t.declares("permissions") },
	"trust":         func(t *aisvsTool) (string, string) { return t.declares("contentTrust") },
	"rates":         judgeRates,
	"sizes":         judgeSizes,
	"approval":      func(t *aisvsTool) (string, string) { return t.approval(risk.High) },
	"classEnforced": func(t *aisvsTool) (string, string) { return t.approval(0) },
	"asking":        judgeAsking,
	"shown":         judgeShown,
	"class":         judgeClass,
	"output":        judgeOutputSchema,
	"closed":        judgeClosed,
	"exact":         judgeExact,
	"privileges":    judgePrivileges,
	"objects":       judgeObjects,
	"discovery":     judgeDiscovery,
	"served":        func(*aisvsTool) (string, string) { return aisvsOutside, "contracts do not show how a server is served" },
}

// notInSummary are the judges of clauses that a summary leaves out.
var notInSummary = []string{"timeout", "rates", "sizes", "exact", "privileges", "objects", "discovery"}

const onlySummary = "the list shows only a summary of the contract"

func (t *aisvsTool) judge(name string) (verdict, text string) {
	switch {
	case t.doc.Format == 0:
		return aisvsUnmet, "no contract"
	case t.doc.Format != contract.Format:
		return aisvsUnmet, fmt.Sprintf("its contract has format %d", t.doc.Format)
	case t.isSummary() && slices.Contains(notInSummary, name):
		return aisvsUnmet, onlySummary
	}
	return aisvsJudges[name](t)
}

// isSummary reports whether the contract lacks the failures that every guard
// adds.
func (t *aisvsTool) isSummary() bool { return len(t.doc.FailureModes) == 0 }

// declares requires a member of the contract.
func (t *aisvsTool) declares(member string) (verdict, text string) {
	value, declared := t.members[member]
	if !declared {
		return aisvsUnmet, "declares no " + member
	}
	return aisvsMet, member + " " + strings.NewReplacer(`"`, "", "[", "", "]", "", ",", ", ").Replace(string(value))
}

// judgeRates accepts the guard's default too, because it cannot be disabled.
func judgeRates(t *aisvsTool) (verdict, text string) {
	if t.doc.RateLimit == nil {
		return aisvsMet, "the guard's default rateLimit"
	}
	return t.declares("rateLimit")
}

func judgeSizes(t *aisvsTool) (verdict, text string) {
	return aisvsMet, fmt.Sprintf("maxArgumentBytes %d, maxResultBytes %d", t.effective.MaxArgumentBytes, t.effective.MaxResultBytes)
}

func judgeAsking(t *aisvsTool) (verdict, text string) {
	verdict, text = t.declares("confirmation")
	if t.doc.Confirmation == contract.ConfirmationUpstream {
		verdict = aisvsDeclared
	}
	return verdict, text
}

// approval judges whether a person approves each call that is irreversible or
// has at least risk from. If from is zero, only irreversible calls matter.
func (t *aisvsTool) approval(from risk.Level) (verdict, text string) {
	class, level := t.effective.Reversibility, t.effective.Risk
	what := fmt.Sprintf("reversibility %s", class)
	risky := from != 0 && level.AtLeast(from)
	if from != 0 {
		what = fmt.Sprintf("risk %s, %s", level, what)
	}
	switch asks := t.doc.Confirmation; {
	case !risky && class != risk.Irreversible:
		return aisvsMet, what
	case asks == contract.ConfirmationUpstream:
		return aisvsDeclared, what + ", confirmation upstream"
	case asks != contract.ConfirmationAlways:
		return aisvsUnmet, fmt.Sprintf("%s, but confirmation %s", what, asks)
	case t.effective.Resolves == nil || t.effective.Resolves.Confirmation == contract.ConfirmationAlways:
		return aisvsMet, what + ", confirmation always"
	case class == risk.Irreversible && t.isSummary():
		return aisvsUnmet, onlySummary
	// Without a question, the guard runs no call at high risk, and so no
	// destructive one. Only a side effect can still be irreversible.
	case class == risk.Irreversible && (len(t.doc.SideEffects) == 0 || slices.ContainsFunc(t.doc.SideEffects,
		func(e contract.SideEffect) bool { return e.Undo != contract.Reversible })):
		return aisvsUnmet, what + ", but resolves allows some irreversible calls without a question"
	case risky && level == risk.Restricted: // resolving does not lower it
		return aisvsUnmet, what + ", but resolves allows some calls without a question"
	}
	return aisvsMet, what + ", confirmation always; resolves excepts calls below"
}

func judgeClass(t *aisvsTool) (verdict, text string) {
	if class := t.doc.Reversibility; class.IsValid() && class != t.effective.Reversibility {
		return aisvsUnmet, fmt.Sprintf("reversibility %s, but its other clauses say %s", class, t.effective.Reversibility)
	}
	return t.declares("reversibility")
}

func judgeOutputSchema(t *aisvsTool) (verdict, text string) {
	if t.outputSchema == nil {
		return aisvsUnmet, "declares no outputSchema that a guard enforces"
	}
	return aisvsMet, "outputSchema"
}

// judgeClosed requires a schema that a guard enforces in full: it restricts
// every value, and lets no unnamed member pass.
func judgeClosed(t *aisvsTool) (verdict, text string) {
	if t.inputSchema == nil {
		return aisvsUnmet, "declares no inputSchema that a guard enforces"
	}
	var open []string
	report := func(where, _ string) {
		if strings.HasPrefix(where, t.inputRoot.path) {
			open = append(open, where)
		}
	}
	judgeOpenInput(&t.subject, report)
	judgeUntypedInput(&t.subject, report)
	judgeKeywords(&t.subject, report)
	if len(open) > 0 {
		slices.Sort(open)
		return aisvsUnmet, "accepts unchecked values in " + strings.Join(slices.Compact(open), ", ")
	}
	return aisvsMet, "inputSchema without unnamed members"
}

// judgeExact requires that the schemas alone decide.
func judgeExact(t *aisvsTool) (verdict, text string) {
	if len(t.doc.Lenient) > 0 {
		return aisvsUnmet, "lenient accepts other forms than its inputSchema"
	}
	verdict, text = aisvsMet, "no lenient forms"
	judgePatterns(&t.subject, func(where, message string) { verdict, text = aisvsUnmet, message+" in "+where })
	return verdict, text
}

func judgePrivileges(t *aisvsTool) (verdict, text string) {
	if t.doc.NoPermissions != "" {
		return aisvsMet, "noPermissions with its reason"
	}
	return t.declares("permissions")
}

func judgeObjects(t *aisvsTool) (verdict, text string) {
	if named, closed := t.arguments(); closed && len(named) == 0 {
		return aisvsMet, "no arguments"
	}
	return t.declares("objectAuthorization")
}

// judgeDiscovery requires that only callers with all permissions see a tool.
func judgeDiscovery(t *aisvsTool) (verdict, text string) {
	switch {
	case len(t.doc.Permissions) == 0:
		return aisvsMet, "no permissions are needed"
	case len(t.effective.DiscoverWith) < len(t.doc.Permissions):
		return aisvsUnmet, "discoverWith lists it for callers without some permissions"
	}
	return t.declares("permissions")
}

// arguments returns the schemas of the arguments that the handler gets, by
// name, and whether no other argument passes.
func (t *aisvsTool) arguments() (named map[string]member, closed bool) {
	named = map[string]member{}
	root := t.inputRoot.withKeyword("properties")
	if root == nil {
		root = t.inputRoot.withKeyword("additionalProperties")
	}
	if root == nil || !root.Child("additionalProperties", "").IsFalse() || root.Has("patternProperties") {
		return named, false
	}
	for _, property := range root.Below("properties") {
		named[property.Step().Name] = memberAt(t.inputRoot.path+property.Pointer(), property)
	}
	if t.doc.DryRun == dryrun.Supported || t.doc.DryRun == dryrun.Required {
		delete(named, "dryRun") // a guard removes both
		delete(named, "dryRunToken")
	}
	return named, true
}
