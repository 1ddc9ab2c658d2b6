package zoo

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
)

// An Entry is one lie and its honest twin.
type Entry struct {
	// Name is unique, in words joined by underscores.
	Name string
	// Rule is the rule that the lie breaks. At least one technique must report
	// it.
	Rule string
	// Lie describes in one sentence how the handler differs from the contract.
	Lie string
	// Source is the public thread in which the lie was found, such as
	// "owner/name#7". Empty: the entry is made up.
	Source string
	// NeedsDB means that the tools use [Env.DB].
	NeedsDB bool
	// Lying and Honest create the tools, each time with fresh state.
	Lying, Honest func(Env) Subject
}

// A Subject has what a technique needs to judge a tool.
type Subject struct {
	// Tool is the tool to judge.
	Tool *contract.Tool
	// Beside are other tools with the same state, for sequences of calls.
	Beside []*contract.Tool
	// Cases are calls of Tool and of the tools beside it, in an order in which
	// they can be made.
	Cases []Case
	// State returns a comparable value for the state in memory and in the
	// database. Nil: there is no such state.
	State func() any
}

// Tools returns all tools of s, starting with the one to judge.
func (s Subject) Tools() []*contract.Tool {
	return slices.Concat([]*contract.Tool{s.Tool}, s.Beside)
}

// CasesOf returns the cases of the tool to judge.
func (s Subject) CasesOf() []Case {
	return slices.DeleteFunc(slices.Clone(s.Cases), func(c Case) bool { return c.Tool != s.Tool.Name() })
}

// A Case is one call with valid arguments.
type Case struct {
	// Tool is the name of the tool.
	Tool string
	// Input is encoded as JSON.
	Input any
	// As makes the call. It has all permissions.
	As contract.Principal
}

// The rules that the entries break.
const (
	RuleReadOnlyEffect        = "readonly.effect"
	RuleIdempotentSecond      = "idempotent.secondEffect"
	RuleIdempotentAnswer      = "idempotent.secondAnswer"
	RuleIdempotentRanTwice    = "idempotent.ranTwice"
	RuleDryRunEffect          = "dryrun.effect"
	RuleDryRunPreview         = "dryrun.previewDiffers"
	RuleReachExternal         = "reach.external"
	RuleFailureUndeclared     = "failure.undeclared"
	RuleFailureNeverReturned  = "failure.neverReturned"
	RuleOutputInvalid         = "output.invalid"
	RuleLeak                  = "secret.leak"
	RuleInvalidReachedHandler = "invalid.reachedHandler"
	RuleResolveHigher         = "resolve.higher"
	RuleResolveLower          = "resolve.lower"
	RuleDeadlineIgnored       = "deadline.ignored"
	RuleSize                  = "output.size"
	RuleControlCharacters     = "output.controlCharacters"
	RulePanic                 = "handler.panic"
	RuleOtherTenant           = "sequence.otherTenant"
	RuleDeleted               = "sequence.deleted"
	RuleReconcileUntrue       = "reconcile.untrue"
)

// Rules returns the rules, in the order of the constants.
func Rules() []string {
	return []string{
		RuleReadOnlyEffect, RuleIdempotentSecond, RuleIdempotentAnswer, RuleIdempotentRanTwice, RuleDryRunEffect, RuleDryRunPreview,
		RuleReachExternal, RuleFailureUndeclared, RuleFailureNeverReturned, RuleOutputInvalid, RuleLeak, RuleInvalidReachedHandler,
		RuleResolveHigher, RuleResolveLower, RuleDeadlineIgnored, RuleSize, RuleControlCharacters, RulePanic, RuleOtherTenant,
		RuleDeleted, RuleReconcileUntrue,
	}
}

// All returns the entries, always in the same order.
func All() []Entry {
	return slices.Concat(
		readOnly(), idempotent(), dryRuns(), reach(), failures(), outputs(), leaks(), inputs(), limits(), sequences(),
		reconciled(),
	)
}

// Anna and Ben call the tools. They belong to different tenants.
var (
	permissions = []string{"notes:use"}

	Anna = contract.Principal{Subject: "anna", Tenant: "acme", Permissions: permissions}
	Ben  = contract.Principal{Subject: "ben", Tenant: "globex", Permissions: permissions}
)
