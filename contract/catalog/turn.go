package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/risk"
)

// A turn makes one cycle from the lists of the servers and the memory.
type turn struct {
	config *config
	before Cycle
	cycle  Cycle
	seen   map[toolKey]Seen
	// known are the servers of which something is remembered. Their new tools
	// are changes.
	known  map[string]int
	names  *registry
	cycles int64
}

// A toolKey identifies a tool by its server and its name there.
type toolKey struct{ server, tool string }

// memoryFactor bounds the tools of one server that are remembered: this many
// times the most tools that the server may list. Otherwise a server that lists
// other tools in each cycle would fill the memory.
const memoryFactor = 10

func newTurn(c *Catalog, before Cycle) *turn {
	t := &turn{config: &c.config, before: before, seen: map[toolKey]Seen{}, known: map[string]int{}, names: newRegistry(c.sources), cycles: c.state.Cycle + 1}
	for _, s := range c.state.Tools {
		t.seen[toolKey{s.Server, s.Tool}] = s
		t.known[s.Server]++
		t.names.take(s.Name)
	}
	t.cycle = Cycle{Number: t.cycles, Entries: []Entry{}, Servers: []Server{}}
	return t
}

// server adds the tools of a server.
func (t *turn) server(source Source, l list) {
	s := Server{Name: source.Name}
	if l.problem != nil {
		s.Stale, s.Problems = true, []Problem{*l.problem}
		for _, e := range t.before.Entries {
			if e.Server == source.Name {
				t.cycle.Entries = append(t.cycle.Entries, e)
				s.Tools++
			}
		}
		t.cycle.Servers = append(t.cycle.Servers, s)
		return
	}
	isKnown := t.known[source.Name] > 0
	tools, problems := readTools(l)
	s.Problems = problems
	listed, renamed := map[string]bool{}, map[string]string{}
	for _, tool := range tools {
		listed[tool.name] = true
		for _, alias := range tool.declared.doc.Aliases {
			renamed[alias] = tool.name
		}
		e, problem := t.tool(source, tool, isKnown)
		if problem != nil {
			s.Problems = append(s.Problems, *problem)
			continue
		}
		t.cycle.Entries = append(t.cycle.Entries, e)
		s.Tools++
	}
	t.removed(source.Name, listed)
	s.Problems = append(s.Problems, overrideProblems(t.config.overrides.Servers[source.Name], listed, renamed)...)
	t.cycle.Servers = append(t.cycle.Servers, s)
}

// maxToolProblems bounds the problems with unreadable tools that are reported
// for one server.
const maxToolProblems = 20

// readTools reads the tools of a list, sorted by name. A name that stands twice
// with one definition counts once, because a list may change while it is paged.
func readTools(l list) (tools []*listed, problems []Problem) {
	byName := map[string]*listed{}
	skipped := 0
	for i, raw := range l.Tools {
		tool, problem := readTool(raw)
		if problem != nil {
			if skipped++; skipped <= maxToolProblems {
				problem.Where = jsonptr.AppendIndex("/tools", i)
				problem.Remedy = "correct the server; the tool is left out"
				problems = append(problems, *problem)
			}
			continue
		}
		first := byName[tool.name]
		switch {
		case first == nil:
			byName[tool.name] = tool
		case first.digest != tool.digest && !first.unusable:
			first.unusable = true
			first.problem(ruleToolTwice, "", "the server lists two tools of this name", "correct the server")
		}
	}
	if skipped > maxToolProblems {
		problems = append(problems, Problem{Rule: ruleListUnnamed, Message: fmt.Sprintf("%d tools cannot be read", skipped), Remedy: "correct the server"})
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		tools = append(tools, byName[name])
	}
	return tools, problems
}

// tool returns the entry of a tool. The problem means that it has none.
func (t *turn) tool(source Source, tool *listed, isKnown bool) (Entry, *Problem) {
	key := toolKey{source.Name, tool.name}
	old, wasSeen := t.seen[key]
	name := old.Name
	if !wasSeen {
		if t.known[source.Name] >= memoryFactor*t.config.maxTools {
			return Entry{}, &Problem{Rule: ruleListMemory, Message: "the server has listed too many tools over time; new ones are left out", Remedy: "check the server; then delete its tools from the state"}
		}
		var free bool
		if name, free = t.names.name(source, tool.name); !free {
			return Entry{}, &Problem{Rule: ruleListNameless, Message: "no name is free for a tool, which is left out", Remedy: "set another name for the source"}
		}
		t.known[source.Name]++
	}
	e := Entry{Name: name, Server: source.Name, Tool: tool.name, Digest: tool.digest, Problems: tool.problems}
	j := &judgement{turn: t, entry: &e, tool: tool, old: old, wasSeen: wasSeen}
	if !wasSeen {
		j.old, j.wasSeen = t.formerly(source.Name, tool)
	}
	j.judge()
	switch {
	case wasSeen && old.Gone:
		t.change(e, Returned, "", "", "", "")
	case !wasSeen && isKnown:
		t.change(e, Added, "", "", "", "")
	}
	t.seen[key] = j.memory()
	return e, nil
}

// formerly returns what is remembered of a new tool under an old name that it
// declares, so that a renamed tool cannot become weaker.
func (t *turn) formerly(server string, tool *listed) (Seen, bool) {
	for _, alias := range tool.declared.doc.Aliases {
		if old, ok := t.seen[toolKey{server, alias}]; ok {
			return old, true
		}
	}
	return Seen{}, false
}

// removed notes the tools that a server lists no more.
func (t *turn) removed(server string, listed map[string]bool) {
	for _, key := range slices.SortedFunc(maps.Keys(t.seen), func(a, b toolKey) int {
		return cmp.Or(cmp.Compare(a.server, b.server), cmp.Compare(a.tool, b.tool))
	}) {
		s := t.seen[key]
		if key.server != server || listed[key.tool] || s.Gone {
			continue
		}
		s.Gone = true
		t.seen[key] = s
		t.change(Entry{Name: s.Name, Server: server}, Removed, "", "", "", "")
	}
}

func (t *turn) change(e Entry, kind ChangeKind, fact, from, to string, flag Flag) {
	t.cycle.Changes = append(t.cycle.Changes, Change{Tool: e.Name, Server: e.Server, Kind: kind, Fact: fact, From: from, To: to, Flag: flag})
}

// finish returns the cycle and the new memory.
func (t *turn) finish() (Cycle, State) {
	slices.SortFunc(t.cycle.Entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(t.cycle.Changes, func(a, b Change) int { return cmp.Compare(a.Tool, b.Tool) })
	t.cycle.Time = t.config.now()
	state := State{Format: StateFormat, Cycle: t.cycles, Tools: []Seen{}}
	for _, s := range t.seen {
		state.Tools = append(state.Tools, s)
	}
	state.sort()
	return t.cycle, state
}

// A judgement finds the effective facts of one tool.
type judgement struct {
	*turn

	entry    *Entry
	tool     *listed
	old      Seen
	wasSeen  bool
	override Override
	// wanted are the facts without the memory, and counting those that count.
	wanted, counting *layer
	unvetoed         *layer // counting without a veto
	flags            map[string]Flag
}

func (j *judgement) judge() {
	e, t := j.entry, j.tool
	j.flags = map[string]Flag{}
	declared := t.declared.complete()
	facts := t.declared.clone()
	for _, advice := range j.config.advice {
		if o, ok := advice.of(e.Server, e.Tool); ok {
			facts.tighten(o.facts(FromAdvice))
		}
	}
	override, _ := j.config.overrides.of(e.Server, e.Tool)
	j.override = override
	veto := override.Veto || j.isVetoedByAlias()
	override.Veto = false
	decided := j.decide(facts, override.facts(FromOperator))
	j.wanted = facts.complete()
	j.recall(facts, decided)
	j.unvetoed = facts.complete()
	j.counting = j.unvetoed
	if veto {
		facts.take(FactRisk, contract.Document{Risk: risk.Forbidden}, FromOperator)
		j.counting = facts.complete()
		j.flags[FactRisk] = Veto
	}
	j.fill(declared)
	j.status(veto)
	j.compare()
}

// isVetoedByAlias reports whether the operator has forbidden the tool by an old
// name that it declares.
func (j *judgement) isVetoedByAlias() bool {
	tools := j.config.overrides.Servers[j.entry.Server].Tools
	return slices.ContainsFunc(j.tool.declared.doc.Aliases, func(alias string) bool { return tools[alias].Veto })
}

// decide puts the operator's facts over the others. It returns the facts that
// the operator has decided: those that the file sets, and those that follow
// from them.
func (j *judgement) decide(facts, operator *layer) map[string]bool {
	decided := map[string]bool{}
	for _, kind := range factKinds {
		if operator.has(kind.name) {
			facts.take(kind.name, operator.doc, FromOperator)
			decided[kind.name] = true
		}
	}
	if decided[FactEffect] && !decided[FactRisk] {
		facts.clear(FactRisk) // it follows from the effect
		decided[FactRisk] = true
	}
	if decided[FactRisk] && !facts.has(FactConfirmation) {
		decided[FactConfirmation] = true // it follows from the risk
	}
	return decided
}

// recall compares the facts with those of the last cycle. A weaker one that the
// operator has not decided is a downgrade.
func (j *judgement) recall(facts *layer, decided map[string]bool) {
	if !j.wasSeen {
		return
	}
	memory := j.old.facts()
	was := memory.complete().doc
	for _, kind := range factKinds {
		if kind.isWeaker == nil || decided[kind.name] || !kind.isWeaker(j.wanted.doc, was) {
			continue
		}
		j.flags[kind.name] = Downgrade
		if j.config.response != Report {
			facts.take(kind.name, memory.doc, FromMemory)
		}
	}
}

// fill writes the facts and the two contracts of the entry.
func (j *judgement) fill(declared *layer) {
	e, t := j.entry, j.tool
	e.Declared = t.document(declared)
	e.Definition = t.definition
	e.Definition.Name = e.Name
	e.Effective = t.document(j.counting)
	e.Declared.Name, e.Effective.Name = e.Name, e.Name
	o := j.override
	e.Effective.Title, e.Effective.Description = cmp.Or(o.Title, e.Effective.Title), cmp.Or(o.Description, e.Effective.Description)
	if o.InputSchema != nil {
		e.Effective.InputSchema = o.InputSchema
	}
	if o.RateLimit != nil {
		e.Effective.RateLimit = o.RateLimit
	}
	e.Effective.TimeoutMs = cmp.Or(o.TimeoutMs, e.Effective.TimeoutMs)
	e.Effective.AuditEvent = cmp.Or(o.AuditEvent, e.Effective.AuditEvent)
	e.Effective.ConfirmationReason, e.Effective.NoPermissions = j.reasons()
	e.Definition.Title, e.Definition.Description, e.Definition.InputSchema = e.Effective.Title, e.Effective.Description, e.Effective.InputSchema
	for _, kind := range factKinds {
		e.Facts = append(e.Facts, Fact{
			Name: kind.name, Declared: kind.text(declared.doc), DeclaredBy: declared.origin[kind.name],
			Effective: kind.text(j.counting.doc), Origin: j.counting.origin[kind.name], Flag: j.flags[kind.name],
		})
	}
}

// reasons returns the reasons for no confirmation and for no permissions, which
// a contract must have.
func (j *judgement) reasons() (noConfirmation, noPermissions string) {
	doc := j.counting.doc
	if doc.Confirmation == contract.ConfirmationNever && doc.Risk.AtLeast(risk.High) {
		noConfirmation = cmp.Or(j.tool.rest.ConfirmationReason, "The server declares that it asks no person.")
		if j.counting.origin[FactConfirmation] == FromOperator {
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
	ruleDowngrade = "fact.downgrade"
	rulePin       = "tool.pin"

	ruleRestricted = "tool.restricted"
)

// status decides whether the tool is served.
func (j *judgement) status(veto bool) {
	e := j.entry
	e.Status = Served
	for _, kind := range factKinds {
		if j.flags[kind.name] != Downgrade {
			continue
		}
		j.problem(ruleDowngrade, kind.name, "the fact is weaker than in an earlier cycle", `review the server, then set "`+kind.name+`" of the tool in the operator's file`)
		if j.config.response == Quarantine {
			e.Status = Quarantined
		}
	}
	if pinned := j.override.Digest; pinned != "" && pinned != e.Digest {
		j.problem(rulePin, "digest", "the definition is not the one that the operator's file pins", "review the server, then write the new digest")
		e.Status = Quarantined
	}
	if j.tool.unusable {
		e.Status = Quarantined
	}
	if j.counting.doc.Risk == risk.Restricted {
		j.problem(ruleRestricted, FactRisk, "a gateway cannot restrict the results of a tool", "if the server does, set another risk in the operator's file")
		e.Status = Quarantined
	}
	if veto {
		e.Status = Vetoed
	}
}

// compare reports the changes since the last cycle.
func (j *judgement) compare() {
	if !j.wasSeen {
		return
	}
	if j.old.Digest != j.entry.Digest {
		j.change(*j.entry, Redefined, "", j.old.Digest, j.entry.Digest, "")
	}
	was := j.old.facts().complete().doc
	for _, kind := range factKinds {
		if kind.isWeaker == nil && kind.name != FactVersion {
			continue
		}
		from, to := kind.text(was), kind.text(j.wanted.doc)
		change := Other
		switch {
		case from == to:
			continue
		case kind.isWeaker == nil:
		case kind.isWeaker(j.wanted.doc, was):
			change = Weaker
		case kind.isWeaker(was, j.wanted.doc):
			change = Stricter
		}
		flag := j.flags[kind.name]
		if flag == Veto {
			flag = ""
		}
		j.change(*j.entry, change, kind.name, from, to, flag)
	}
}

// memory returns what is remembered of the tool.
func (j *judgement) memory() Seen {
	d := j.unvetoed.doc
	return Seen{
		Server: j.entry.Server, Tool: j.entry.Tool, Name: j.entry.Name, Digest: j.entry.Digest,
		Risk: d.Risk, Effect: d.Effect, ContentTrust: d.ContentTrust, Confirmation: d.Confirmation, DryRun: d.DryRun,
		Idempotency: modeOf(d), Version: d.Version,
	}
}

func (j *judgement) problem(rule, where, message, remedy string) {
	j.entry.Problems = append(j.entry.Problems, Problem{Rule: rule, Where: where, Message: message, Remedy: remedy})
}
