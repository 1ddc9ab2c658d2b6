package contracttest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/risk"
)

// An aisvsTool is one tool as its server declares it.
type aisvsTool struct {
	subject
	// effective has the value that applies for what the contract leaves out.
	effective contract.Document
	// members are those of the contract's JSON.
	members map[string]json.RawMessage
	// unfit is the reason why nothing of the contract counts. Empty: it counts.
	unfit string
}

func newAISVSTool(doc contract.Document) *aisvsTool {
	t := &aisvsTool{subject: subject{doc: doc}, effective: doc.Effective()}
	t.inputSchema, t.outputSchema = enforceable(doc.InputSchema, schema.Input), enforceable(doc.OutputSchema, schema.Output)
	t.inputRoot, _ = members("inputSchema", t.inputSchema)
	raw, err := json.Marshal(doc)
	if err == nil { // else an enum has no text, and nothing counts as declared
		_ = json.Unmarshal(raw, &t.members)
	}
	_, err = contract.Base{
		Timeout: doc.Timeout, MaxArgumentBytes: doc.MaxArgumentBytes, MaxResultBytes: doc.MaxResultBytes,
		Permissions: doc.Permissions, NoPermissions: doc.NoPermissions, DiscoverWith: doc.DiscoverWith,
	}.Document("tool")
	switch rate := doc.RateLimit; {
	case doc.Format != contract.Format:
		t.unfit = fmt.Sprintf("no contract of format %d", contract.Format)
	case err != nil || rate != nil && !rate.Admits(contract.RateLimit{Calls: 1, Per: rate.Per}):
		t.unfit = "Build refuses the limits or permissions of its contract"
	}
	return t
}

// aisvsJudges are the judges that the table of requirements names. Each returns
// a verdict about one tool, with the clauses that support it or what is
// missing. They judge only what a contract declares; a default counts only if
// no guard can disable it.
var aisvsJudges = map[string]func(*aisvsTool) (verdict, text string){
	"contract":      func(*aisvsTool) (string, string) { return aisvsMet, "a contract" },
	"timeout":       declared("", "timeoutMs"),
	"permissions":   declared("", "permissions"),
	"privileges":    declared("", "permissions", "noPermissions"),
	"trust":         declared("", "contentTrust"),
	"rates":         declared("the guard's default rateLimit", "rateLimit"),
	"sizes":         judgeSizes,
	"approval":      func(t *aisvsTool) (string, string) { return t.approval(risk.High) },
	"classEnforced": func(t *aisvsTool) (string, string) { return t.approval(0) },
	"asking":        judgeAsking,
	"shown":         judgeShown,
	"class":         judgeClass,
	"output":        func(t *aisvsTool) (string, string) { return judgeSchema("outputSchema", t.outputSchema) },
	"closed":        func(t *aisvsTool) (string, string) { return judgeSchema("inputSchema", t.inputSchema) },
	"exact":         judgeExact,
	"objects":       judgeObjects,
	"discovery":     judgeDiscovery,
	"served":        func(*aisvsTool) (string, string) { return aisvsOutside, "" }, // contracts do not show it
}

// notInSummary are the judges of clauses that a summary leaves out.
var notInSummary = []string{"timeout", "rates", "sizes", "exact", "privileges", "objects", "discovery"}

func (t *aisvsTool) judge(name string) (verdict, text string) {
	switch {
	case t.unfit != "":
		return aisvsUnmet, t.unfit
	// A summary lacks the failures that a guard adds to each contract.
	case len(t.doc.FailureModes) == 0 && slices.Contains(notInSummary, name):
		return aisvsUnmet, "the list shows only a summary of the contract"
	}
	return aisvsJudges[name](t)
}

// declared returns a judge that requires one of some members of the contract,
// unless there is an excuse.
func declared(excuse string, members ...string) func(*aisvsTool) (verdict, text string) {
	return func(t *aisvsTool) (verdict, text string) {
		for _, member := range members {
			if value, ok := t.members[member]; ok {
				return aisvsMet, member + " " + strings.NewReplacer(`"`, "", "[", "", "]", "", ",", ", ").Replace(string(value))
			}
		}
		if excuse != "" {
			return aisvsMet, excuse
		}
		return aisvsUnmet, "declares no " + members[0]
	}
}

func judgeSizes(t *aisvsTool) (verdict, text string) {
	return aisvsMet, fmt.Sprintf("maxArgumentBytes %d, maxResultBytes %d", t.effective.MaxArgumentBytes, t.effective.MaxResultBytes)
}

func judgeAsking(t *aisvsTool) (verdict, text string) {
	verdict, text = declared("", "confirmation")(t)
	if t.doc.Confirmation == contract.ConfirmationUpstream {
		verdict = aisvsDeclared
	}
	return verdict, text
}

// approval judges whether a person approves each call that is irreversible or
// has at least risk from. If from is zero, only irreversible calls matter.
func (t *aisvsTool) approval(from risk.Level) (verdict, text string) {
	class, level := t.effective.Reversibility, t.effective.Risk
	what := fmt.Sprintf("risk %s, reversibility %s", level, class)
	risky := from != 0 && level.AtLeast(from)
	switch asks := t.doc.Confirmation; {
	case !risky && class != risk.Irreversible:
		return aisvsMet, what
	case asks == contract.ConfirmationUpstream:
		return aisvsDeclared, what + ", confirmation upstream"
	case asks != contract.ConfirmationAlways:
		return aisvsUnmet, fmt.Sprintf("%s, but confirmation %s", what, asks)
	case t.effective.Resolves == nil || t.effective.Resolves.Confirmation == contract.ConfirmationAlways:
		return aisvsMet, what + ", confirmation always"
	// Without a question, the guard runs no call at high risk, and so no
	// destructive one. Only a side effect can still be irreversible. A resolution
	// does not lower the risk from restricted.
	case risky && level == risk.Restricted, class == risk.Irreversible && (len(t.doc.SideEffects) == 0 ||
		slices.ContainsFunc(t.doc.SideEffects, func(e contract.SideEffect) bool { return e.Undo != contract.Reversible })):
		return aisvsUnmet, what + ", but resolves may allow some of these calls without a question"
	}
	return aisvsMet, what + ", confirmation always; resolves excepts calls below"
}

func judgeClass(t *aisvsTool) (verdict, text string) {
	if class := t.doc.Reversibility; class.IsValid() && class != t.effective.Reversibility {
		return aisvsUnmet, fmt.Sprintf("reversibility %s, but its other clauses say %s", class, t.effective.Reversibility)
	}
	return declared("", "reversibility")(t)
}

func judgeObjects(t *aisvsTool) (verdict, text string) {
	if named, closed := t.arguments(); closed && len(named) == 0 {
		return aisvsMet, "no arguments"
	}
	return declared("", "objectAuthorization")(t)
}

// judgeDiscovery requires that only callers with all permissions see a tool.
func judgeDiscovery(t *aisvsTool) (verdict, text string) {
	if len(t.effective.DiscoverWith) < len(t.doc.Permissions) {
		return aisvsUnmet, "discoverWith lists it for callers without some permissions"
	}
	return declared("no permissions are needed", "permissions")(t)
}
