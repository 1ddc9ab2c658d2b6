package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A turn makes one cycle from the lists of the servers and the memory.
type turn struct {
	options Options
	before  Cycle
	cycle   Cycle
	seen    map[toolKey]seenTool
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
	t := &turn{options: c.options, before: before, seen: map[toolKey]seenTool{}, known: map[string]int{},
		names: newRegistry(c.sources), cycles: c.state.Cycle + 1}
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
	s.Problems = append(s.Problems, overrideProblems(t.options.Overrides.Servers[source.Name], listed, renamed)...)
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
				problem.Where = strictjson.PointerIndex("/tools", i)
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
		problems = append(problems, Problem{Rule: ruleListUnnamed, Message: fmt.Sprintf("%d tools cannot be read", skipped),
			Remedy: "correct the server"})
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
		if t.known[source.Name] >= memoryFactor*t.options.MaxTools {
			return Entry{}, &Problem{Rule: ruleListMemory, Message: "the server has listed too many tools over time; new ones " +
				"are left out", Remedy: "check the server; then delete its tools from the state"}
		}
		var free bool
		if name, free = t.names.name(source, tool.name); !free {
			return Entry{}, &Problem{Rule: ruleListNameless, Message: "no name is free for a tool, which is left out",
				Remedy: "set another name for the source"}
		}
		t.known[source.Name]++
	}
	e := Entry{Name: name, Server: source.Name, Tool: tool.name, Digest: tool.digest, Problems: tool.problems}
	j := &judgement{turn: t, entry: &e, tool: tool, old: old, wasSeen: wasSeen}
	if !wasSeen {
		if j.former = t.formerly(source.Name, tool); len(j.former) > 0 {
			j.old, j.wasSeen = j.former[0], true
		}
	}
	j.judge()
	switch {
	case wasSeen && old.Gone:
		t.change(e, changeReturned, "", "", "", "")
	case !wasSeen && isKnown:
		t.change(e, changeAdded, "", "", "", "")
	}
	t.seen[key] = j.memory()
	return e, nil
}

// formerly returns what is remembered of a new tool under each old name that it
// declares, so that a renamed tool cannot become weaker.
func (t *turn) formerly(server string, tool *listed) (former []seenTool) {
	for _, alias := range tool.declared.doc.Aliases {
		if old, ok := t.seen[toolKey{server, alias}]; ok {
			former = append(former, old)
		}
	}
	return former
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
		t.change(Entry{Name: s.Name, Server: server}, changeRemoved, "", "", "", "")
	}
}

func (t *turn) change(e Entry, kind, fact, from, to string, flag Flag) {
	t.cycle.Changes = append(t.cycle.Changes, Change{Tool: e.Name, Server: e.Server, Kind: kind, Fact: fact, From: from, To: to,
		Flag: flag})
}

// finish returns the cycle and the new memory.
func (t *turn) finish() (Cycle, savedState) {
	slices.SortFunc(t.cycle.Entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(t.cycle.Changes, func(a, b Change) int { return cmp.Compare(a.Tool, b.Tool) })
	t.cycle.Time = time.Now()
	state := savedState{Format: stateFormat, Cycle: t.cycles, Tools: []seenTool{}}
	for _, s := range t.seen {
		state.Tools = append(state.Tools, s)
	}
	state.sort()
	return t.cycle, state
}
