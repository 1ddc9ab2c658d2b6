package guard

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/engine"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/trifecta"
	"github.com/toolcontract/toolcontract/risk"
)

// Protect puts tools under the guard. The error joins a
// [contract.DeclarationError] for every tool that cannot be protected: a nil
// tool, a name or alias used twice, a tool that needs a principal if the guard
// has no [WithPrincipal], or an atomic tool if the store is not a
// [store.Transactor]. It also joins one for every clause that [WithAuditOnly]
// must not name, and for every tool that [WithTrifectaConfirmation] refuses.
//
// A guard with [WithOperations] adds its own tool. Another tool with that name is
// an error; the guard's own, as [Toolset.Tools] returns it, is not.
func (g *Guard) Protect(tools ...*contract.Tool) (*Toolset, error) {
	if g.operations != nil && !slices.ContainsFunc(tools, g.isOwn) {
		tools = append(slices.Clip(tools), g.operations)
	}
	return g.protect(nil, tools)
}

// With returns a toolset of the tools of s and the given ones. A given tool
// replaces one of the same name. If their contracts are equal, the two share
// their concurrency slots. The error is that of [Guard.Protect]. The receiver
// does not change.
func (s *Toolset) With(tools ...*contract.Tool) (*Toolset, error) {
	return s.guard.protect(s.set, tools)
}

// protect protects tools, and keeps those of old with other names. A nil old
// has none.
func (g *Guard) protect(old *engine.Set, tools []*contract.Tool) (*Toolset, error) {
	whole, err := g.part(old, tools)
	if err != nil {
		return nil, err
	}
	g.warnOfAuditOnly(whole.set)
	g.warnOfStdio(whole.set)
	return whole, nil
}

// part is protect for tools that a server adds to others, so that a warning
// about them all would be wrong.
func (g *Guard) part(old *engine.Set, tools []*contract.Tool) (*Toolset, error) {
	s := g.engine.NewSet(old)
	var errs []error
	bad := func(rule, tool, clause, message, remedy string) {
		errs = append(errs, &contract.DeclarationError{Rule: rule, Tool: tool, Where: clause, Message: message, Remedy: remedy})
	}
	for _, declared := range tools {
		if declared == nil {
			bad("protect.nil", "", "", "the tool is nil", "pass what Build returned")
			continue
		}
		own := g.isOwn(declared)
		if own {
			declared = g.operations // its handler too is the guard's
		}
		t := g.newTool(declared, g.session != nil && *g.session != risk.Chain{})
		switch {
		case own:
			t.Audience = facts.OfRecorded()
		case g.takes(t.Doc.Name):
			bad("protect.duplicate", t.Doc.Name, "name", "the name is that of the guard's own tool, "+g.operations.Name(), ownRemedy)
			continue
		}
		if s.Has(t.Doc.Name) {
			bad("protect.duplicate", t.Doc.Name, "name", "another tool has the name", "rename one")
			continue
		}
		g.checkAuditOnly(t, func(clause, message, remedy string) { bad("protect.auditOnly", t.Doc.Name, clause, message, remedy) })
		g.checkPrincipal(t, bad)
		if t.IsAtomic() && !g.ledger.HasTransactions() {
			bad("protect.atomic", t.Doc.Name, "idempotency", "the tool is atomic, but the store of the guard cannot commit what its "+
				"handler writes", "pass guard.WithStore with the store of sqlstore.Open, or remove Atomic")
		}
		s.Add(t)
	}
	if old != nil {
		s.Keep(old)
	}
	for _, t := range s.Tools() {
		for _, alias := range t.Doc.Aliases {
			switch {
			case g.takes(alias):
				bad("protect.duplicate", t.Doc.Name, "aliases", "the alias "+alias+" is the name of the guard's own tool", ownRemedy)
			case !s.AddAlias(t, alias):
				bad("protect.duplicate", t.Doc.Name, "aliases", "another tool has the name or the alias "+alias, "rename one")
			}
		}
	}
	g.checkTrifecta(s, bad)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	s.Sort()
	return g.toolset(s), nil
}

// ownRemedy is the remedy for a tool with the name of the guard's own.
const ownRemedy = "rename it, or give the guard's tool another name with guard.WithOperations"

// takes reports whether a name is that of the guard's own tool, or can be listed
// in the same form.
func (g *Guard) takes(name string) bool {
	return g.operations != nil && contract.Underscore.Listed(g.operations.Name()) == contract.Underscore.Listed(name)
}

// isOwn reports whether a tool is that of [WithOperations], of this guard or of
// one with the same options.
func (g *Guard) isOwn(t *contract.Tool) bool {
	return t != nil && g.takes(t.Name()) && g.operations.Digest() == t.Digest()
}

// checkPrincipal reports a tool that needs a principal if the guard has no
// source of one.
func (g *Guard) checkPrincipal(t *facts.ProtectedTool, bad func(rule, tool, clause, message, remedy string)) {
	if (t.Doc.NeedsPrincipal() || t.HasPreview) && g.principal == nil {
		bad("protect.principal", t.Doc.Name, "permissions", "the tool needs a principal, but the guard has no WithPrincipal",
			"pass guard.WithPrincipal to guard.New; over MCP with LocalUser (stdio) or Bearer (HTTP) of the adapter, such as mcpgo.Bearer")
	}
}

// checkAuditOnly reports the clauses of a tool that cannot be left to the audit
// log.
func (g *Guard) checkAuditOnly(t *facts.ProtectedTool, bad func(clause, message, remedy string)) {
	d := &t.Doc
	has := map[string]bool{
		facts.ClauseConfirmation: t.Asks, facts.ClauseDryRun: t.RequiresDryRun, facts.ClausePermissions: len(d.Permissions) > 0,
		facts.ClauseObject: d.ObjectAuthorization, facts.ClauseRateLimit: true, facts.ClauseStepUp: d.StepUp != nil,
	}
	for _, alias := range d.Aliases {
		if g.auditOnly[alias] != nil {
			bad("aliases", "WithAuditOnly names the tool by its alias "+alias, "name it "+d.Name)
		}
	}
	waives := d.Resolves != nil && d.Resolves.Confirmation == contract.ConfirmationNever
	demanded := map[string]bool{
		facts.ClausePermissions:  d.SecurityLevel.NeedsPermissions(),
		facts.ClauseConfirmation: d.SecurityLevel.NeedsVerification() && (d.StepUp == nil || t.AuditOnly[facts.ClauseStepUp]),
		facts.ClauseStepUp:       d.SecurityLevel.NeedsVerification() && (d.Confirmation != contract.ConfirmationAlways || waives),
	}
	for _, clause := range facts.AuditableClauses() {
		switch {
		case !t.AuditOnly[clause]:
		case d.Risk.AtLeast(risk.Critical):
			bad(clause, "WithAuditOnly names the clause of a tool at "+d.Risk.String()+" risk", "remove it from WithAuditOnly: from "+
				"critical up every clause is enforced")
		case !has[clause]:
			bad(clause, "WithAuditOnly names a clause that the tool does not have", "remove it from WithAuditOnly")
		case demanded[clause]:
			bad(clause, fmt.Sprintf("WithAuditOnly names a clause that security level %d demands", d.SecurityLevel),
				"remove it from WithAuditOnly, or lower the level")
		}
	}
}

// warnOfStdio logs the tools whose contracts promise more than a server over
// stdio can keep.
func (g *Guard) warnOfStdio(s *engine.Set) {
	if !s.OnlyLocal() {
		return
	}
	var repeated, waiting, previewed, stepUp []string
	for _, t := range s.Tools() {
		if t.Doc.Idempotency != nil && t.Doc.Idempotency.Mode == idempotency.Managed {
			repeated = append(repeated, t.Doc.Name)
		}
		if t.Asks && g.people.Approver != nil {
			waiting = append(waiting, t.Doc.Name)
		}
		if t.RequiresDryRun {
			previewed = append(previewed, t.Doc.Name)
		}
		if t.Doc.StepUp != nil && !t.AuditOnly[facts.ClauseStepUp] && g.people.StepUpPage == nil {
			stepUp = append(stepUp, t.Doc.Name)
		}
	}
	for _, lost := range []struct {
		message string
		tools   []string
	}{
		{"a call that is repeated in the next session over stdio runs again, because the results are", repeated},
		{"an approval does not count in the next session over stdio, because the questions are", waiting},
		{"a dry run does not count in the next session over stdio, because its record is", previewed},
	} {
		if len(lost.tools) > 0 && g.ledger.IsLocal() && g.lines.IsFirst("", lost.message) {
			g.lines.Logger().Warn("toolcontract: "+lost.message+" in the memory of this process", "tools", lost.tools,
				"remedy", "pass -state FILE if the program has the flag, or else guard.WithStore and guard.WithSealingKeys to guard.New, "+
					"such as those of package sqlitefile")
		}
	}
	if len(stepUp) > 0 && g.lines.IsFirst("", "localStepUp") {
		g.lines.Logger().Warn("toolcontract: calls are refused, because a user over stdio cannot authenticate again",
			"tools", stepUp, "remedy", "serve these tools over HTTP")
	}
}

// warnOfAuditOnly logs each tool that [WithAuditOnly] names and the guard's
// first toolset with tools lacks. It is not an error, because a later toolset
// may have the tool.
func (g *Guard) warnOfAuditOnly(s *engine.Set) {
	tools := s.Tools()
	lines := g.lines
	if len(g.auditOnly) == 0 || len(tools) == 0 || !lines.IsFirst("", "auditOnly") {
		return
	}
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Doc.Name
	}
	for _, tool := range slices.Sorted(maps.Keys(g.auditOnly)) {
		if !s.Has(tool) {
			lines.Logger().Warn("toolcontract: guard.WithAuditOnly has no effect, because the guard has no tool of this name",
				"tool", tool, "remedy", "name a tool of the server"+enum.DidYouMean(tool, names))
		}
	}
}

// checkTrifecta reports the tools of s that send data without asking a person,
// if [WithTrifectaConfirmation] demands it and others of s make that a leak.
func (g *Guard) checkTrifecta(s *engine.Set, bad func(rule, tool, clause, message, remedy string)) {
	if !g.trifecta {
		return
	}
	var tools []trifecta.Subject
	for _, t := range s.Tools() {
		d := t.Doc
		if t.AuditOnly[facts.ClauseConfirmation] {
			d.Confirmation = contract.ConfirmationNever
		}
		tools = append(tools, trifecta.Subject{Contract: d})
	}
	report := trifecta.Find(tools...)
	for _, sender := range report.Unconfirmed() {
		bad("protect.trifecta", sender.Tool, "confirmation",
			"the tool sends data out and runs without a person, and other tools bring it untrusted and private data: "+report.String(),
			"declare ConfirmAlways, without WithAuditOnly, and without a Least of Resolve that asks no person; "+
				"guard.WithTrifectaConfirmation explains what counts")
	}
}
