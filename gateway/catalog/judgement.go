package catalog

import (
	"cmp"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// A judgement decides the effective facts of one tool.
type judgement struct {
	*refresh

	entry    *Entry
	tool     *parsedTool
	old      seenTool
	wasSeen  bool
	former   []seenTool // of a new tool: what is remembered under its old names
	own      bool       // the source is the operator's own
	override Override
	// wanted are the facts without the memory, and effective those that count.
	wanted, effective *layer
	unvetoed          *layer // effective without a veto
	flags             map[string]Flag
	hasClass          bool // something declared the class of reversibility, or all that it follows from
}

func (j *judgement) judge() {
	e, t := j.entry, j.tool
	j.flags = map[string]Flag{}
	declared := t.declared.complete()
	facts := t.declared.clone()
	for _, advice := range j.options.Advice {
		if o, ok := advice.of(e.Server, e.Tool); ok {
			facts.tighten(o.facts(fromAdvice))
		}
	}
	override, _ := j.options.Overrides.of(e.Server, e.Tool)
	j.override = override
	veto := override.Veto || j.isVetoedByAlias()
	override.Veto = false
	decided := j.decide(facts, override.facts(fromOperator))
	j.wanted = facts.complete()
	j.recall(facts, decided)
	j.unvetoed = facts.complete()
	j.hasClass = j.hasClass || facts.has(factReversibility) || isClassDeclared(j.unvetoed.doc)
	j.effective = j.unvetoed
	if veto {
		facts.take(factRisk, contract.Document{Risk: risk.Forbidden}, fromOperator)
		j.effective = facts.complete()
		j.flags[factRisk] = Veto
	}
	j.fill(declared)
	j.status(veto)
	j.compare()
}

// isVetoedByAlias reports whether the operator has forbidden the tool under an
// old name that it declares.
func (j *judgement) isVetoedByAlias() bool {
	tools := j.options.Overrides.Servers[j.entry.Server].Tools
	return slices.ContainsFunc(j.tool.declared.doc.Aliases, func(alias string) bool { return tools[alias].Veto })
}

// decide applies the operator's facts over the others. It returns the facts
// that the operator has decided: those that the file sets, and those that
// follow from them.
func (j *judgement) decide(facts, operator *layer) map[string]bool {
	decided := map[string]bool{}
	for _, kind := range factKinds {
		if operator.has(kind.name) {
			facts.take(kind.name, operator.doc, fromOperator)
			decided[kind.name] = true
		}
	}
	if decided[factEffect] && !decided[factRisk] {
		facts.clear(factRisk) // it follows from the effect
		decided[factRisk] = true
	}
	if decided[factEffect] && !decided[factReversibility] {
		facts.clear(factReversibility) // it follows from the effect and the side effects
		decided[factReversibility] = true
	}
	if decided[factRisk] && !facts.has(factConfirmation) {
		decided[factConfirmation] = true // it follows from the risk
	}
	return decided
}

// recall compares the facts with those of the last cycle or, for a new tool,
// with those of each old name. A weaker fact that the operator has not decided
// is a downgrade. The strictest of all counts.
func (j *judgement) recall(facts *layer, decided map[string]bool) {
	if !j.wasSeen {
		return
	}
	j.recallOf(j.old, facts, decided, j.wanted.doc)
	for _, old := range j.former[min(1, len(j.former)):] {
		j.recallOf(old, facts, decided, facts.complete().doc)
	}
}

// recallOf compares one remembered tool with the facts so far.
func (j *judgement) recallOf(old seenTool, facts *layer, decided map[string]bool, now contract.Document) {
	memory := j.remembered(old)
	weaker := weakerFacts(memory.complete().doc, now)
	for _, kind := range factKinds {
		if !kind.remembered || decided[kind.name] || !weaker[kind.name] {
			continue
		}
		j.flags[kind.name] = Downgrade
		facts.take(kind.name, memory.doc, fromMemory)
	}
	// A lower class may have followed from a fact that was just replaced.
	if !decided[factReversibility] && facts.complete().doc.Reversibility < old.Reversibility {
		j.flags[factReversibility] = Downgrade
		facts.take(factReversibility, memory.doc, fromMemory)
	}
	j.hasClass = j.hasClass || old.Reversibility != 0
}

// isClassDeclared reports whether the class follows from the effect and from
// what the side effects declare, so that publishing it cannot lower it.
func isClassDeclared(d contract.Document) bool {
	least := contract.Document{Effect: d.Effect, SideEffects: d.SideEffects, Reversibility: risk.Unchanging}
	return least.Effective().Reversibility == d.Reversibility
}

// remembered returns the facts of a remembered tool. Side effects are not
// remembered, so the current ones decide what its class was derived from.
func (j *judgement) remembered(old seenTool) *layer {
	memory := old.facts()
	now := j.tool.declared.doc
	memory.doc.SideEffects = now.SideEffects
	if !memory.has(factReversibility) {
		memory.doc.Reversibility = now.Reversibility
	}
	return memory
}

// fill writes the facts and the two contracts of the entry.
func (j *judgement) fill(declared *layer) {
	e, t := j.entry, j.tool
	e.Declared = t.document(declared)
	e.Definition = t.definition
	e.Definition.Name = e.Name
	e.Effective = t.document(j.effective)
	e.Effective.Resolves = nil  // a gateway does not know which arguments weaken a call
	e.Effective.Reconcile = nil // nor can it ask what became of a call
	e.Declared.Name, e.Effective.Name = e.Name, e.Name
	o := j.override
	e.Effective.Title = cmp.Or(o.Title, e.Effective.Title)
	e.Effective.Description = cmp.Or(o.Description, e.Effective.Description)
	if o.InputSchema != nil {
		e.Effective.InputSchema = o.InputSchema
	}
	if o.RateLimit != nil {
		e.Effective.RateLimit = o.RateLimit
	}
	e.Effective.Timeout = cmp.Or(o.Timeout, e.Effective.Timeout)
	e.Effective.AuditEvent = cmp.Or(o.AuditEvent, e.Effective.AuditEvent)
	e.Effective.ConfirmationReason, e.Effective.NoPermissions = j.reasons()
	e.Definition.Title, e.Definition.Description = e.Effective.Title, e.Effective.Description
	e.Definition.InputSchema = e.Effective.InputSchema
	for _, kind := range factKinds {
		e.Facts = append(e.Facts, Fact{
			Name: kind.name, Declared: kind.text(declared.doc), DeclaredBy: declared.origin[kind.name],
			Effective: kind.text(j.effective.doc), Origin: j.effective.origin[kind.name], Flag: j.flags[kind.name],
		})
	}
}

// reasons returns the reasons that a contract must give for having no
// confirmation and no permissions.
func (j *judgement) reasons() (noConfirmation, noPermissions string) {
	doc := j.effective.doc
	if doc.Confirmation == contract.ConfirmationNever && doc.Risk.AtLeast(risk.High) {
		noConfirmation = cmp.Or(j.tool.rest.ConfirmationReason, "The server declares that it asks no person.")
		if j.effective.origin[factConfirmation] == fromOperator {
			noConfirmation = j.override.Reason
		}
	}
	if j.override.Permissions != nil && len(j.override.Permissions) == 0 {
		noPermissions = j.override.Reason
	}
	return noConfirmation, noPermissions
}

// The rules of a [Problem] that quarantines a tool.
const (
	ruleDowngrade = "fact.downgrade" // a fact that is weaker than in an earlier cycle
	rulePin       = "tool.pin"       // a definition that is not the one that the operator's file pins
	ruleRedefined = "tool.redefined" // a definition that has changed and was not accepted

	ruleRestricted = "tool.restricted" // a tool whose results a gateway cannot restrict
)

// status decides whether the tool is served.
func (j *judgement) status(veto bool) {
	e := j.entry
	e.Status = Served
	for _, kind := range factKinds {
		if j.flags[kind.name] != Downgrade {
			continue
		}
		j.problem(ruleDowngrade, kind.name, "the fact is weaker than in an earlier cycle", `review the server, then set "`+kind.name+
			`" of the tool in the operator's file`)
		e.Status = Quarantined
	}
	switch pinned := j.override.Digest; {
	case pinned != "" && pinned != e.Digest:
		j.problem(rulePin, "digest", "the definition is not the one that the operator's file pins",
			"review the server, then write the new digest")
		e.Status = Quarantined
	case !j.isAccepted():
		j.problem(ruleRedefined, "digest", "the definition has changed since it was accepted or first seen",
			`review the change, then write "digest": "`+e.Digest+`" for the tool in the operator's file, or pass this digest to Accept`)
		e.Status = Quarantined
	}
	if j.tool.unusable {
		e.Status = Quarantined
	}
	if j.effective.doc.Risk == risk.Restricted {
		j.problem(ruleRestricted, factRisk, "a gateway cannot restrict the results of a tool",
			"if the server does, set another risk in the operator's file")
		e.Status = Quarantined
	}
	if veto {
		e.Status = Vetoed
	}
}

// isAccepted reports whether the definition may be served: it is the first one
// seen, or the operator has accepted it or accepts any of the server's.
func (j *judgement) isAccepted() bool {
	return !j.wasSeen || j.own || j.entry.Digest == j.old.Digest || j.entry.Digest == j.override.Digest
}

// compare reports the changes since the last cycle.
func (j *judgement) compare() {
	if !j.wasSeen {
		return
	}
	if listed := cmp.Or(j.old.Listed, j.old.Digest); listed != j.entry.Digest {
		j.change(*j.entry, Change{Kind: changeRedefined, From: listed, To: j.entry.Digest, Diff: j.diff()})
	}
	was := j.remembered(j.old).complete().doc
	weaker, stricter := weakerFacts(was, j.wanted.doc), weakerFacts(j.wanted.doc, was)
	for _, kind := range factKinds {
		if !kind.remembered && kind.name != factVersion {
			continue
		}
		from := kind.text(was)
		to := kind.text(j.wanted.doc)
		change := changeOther
		switch {
		case from == to:
			continue
		case !kind.remembered:
		case weaker[kind.name], j.flags[kind.name] == Downgrade:
			change = changeWeaker
		case stricter[kind.name]:
			change = changeStricter
		case kind.name == factReversibility: // it follows from another fact
			continue
		}
		flag := j.flags[kind.name]
		reported, wasReported := j.old.Weaker[kind.name]
		switch {
		case flag == Veto:
			flag = ""
		case flag == Downgrade && wasReported && reported == to:
			continue // already reported
		}
		j.change(*j.entry, Change{Kind: change, Fact: kind.name, From: from, To: to, Flag: flag})
	}
}

// memory returns what to remember about the tool.
func (j *judgement) memory() seenTool {
	d := j.unvetoed.doc
	s := seenTool{
		Server: j.entry.Server, Tool: j.entry.Tool, Name: j.entry.Name, Digest: j.entry.Digest, Definition: j.tool.kept,
		Risk: d.Risk, Effect: d.Effect, Reversibility: d.Reversibility, ContentTrust: d.ContentTrust, Confirmation: d.Confirmation,
		DryRun: d.DryRun, Idempotency: modeOf(d), Version: d.Version,
	}
	if !j.hasClass {
		s.Reversibility = 0
	}
	if !j.isAccepted() {
		s.Digest, s.Definition, s.Listed = j.old.Digest, j.old.Definition, j.entry.Digest
	}
	for _, kind := range factKinds {
		if j.flags[kind.name] == Downgrade {
			if s.Weaker == nil {
				s.Weaker = map[string]string{}
			}
			s.Weaker[kind.name] = kind.text(j.wanted.doc)
		}
	}
	return s
}

func (j *judgement) problem(rule, where, message, remedy string) {
	j.entry.Problems = append(j.entry.Problems, Problem{Rule: rule, Where: where, Message: message, Remedy: remedy})
}
