package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A refresh builds one cycle from the servers' lists and the memory.
type refresh struct {
	options Options
	before  Cycle
	cycle   Cycle
	seen    map[toolKey]seenTool
	// remembered counts the remembered tools of each server. A new tool is a
	// change only if its server has some.
	remembered map[string]int
	names      *registry
	cycles     int64
}

// A toolKey identifies a tool by its server and the name it has there.
type toolKey struct{ server, tool string }

// memoryFactor bounds how many tools of one server are remembered: this many
// times MaxTools. Otherwise a server that lists new tools in each cycle would
// fill the memory.
const memoryFactor = 10

func newRefresh(c *Catalog, before Cycle) *refresh {
	r := &refresh{options: c.options, before: before, seen: map[toolKey]seenTool{}, remembered: map[string]int{},
		names: newRegistry(c.sources), cycles: c.state.Cycle + 1}
	for _, s := range c.state.Tools {
		r.seen[toolKey{s.Server, s.Tool}] = s
		r.remembered[s.Server]++
		r.names.take(s.Name)
	}
	r.cycle = Cycle{Number: r.cycles, Entries: []Entry{}, Servers: []Server{}}
	return r
}

// server adds a server's tools.
func (r *refresh) server(source Source, l list) {
	s := Server{Name: source.Name}
	if l.problem != nil {
		s.Stale, s.Problems = true, []Problem{*l.problem}
		for _, e := range r.before.Entries {
			if e.Server == source.Name {
				r.cycle.Entries = append(r.cycle.Entries, e)
				s.Tools++
			}
		}
		r.cycle.Servers = append(r.cycle.Servers, s)
		return
	}
	wasListed := r.remembered[source.Name] > 0
	tools, problems := readTools(l)
	s.Problems = problems
	listed, renamed := map[string]bool{}, map[string]string{}
	for _, tool := range tools {
		listed[tool.name] = true
		for _, alias := range tool.declared.doc.Aliases {
			renamed[alias] = tool.name
		}
		e, problem := r.tool(source, tool, wasListed)
		if problem != nil {
			s.Problems = append(s.Problems, *problem)
			continue
		}
		r.cycle.Entries = append(r.cycle.Entries, e)
		s.Tools++
	}
	r.markRemoved(source.Name, listed)
	s.Problems = append(s.Problems, overrideProblems(r.options.Overrides.Servers[source.Name], listed, renamed)...)
	r.cycle.Servers = append(r.cycle.Servers, s)
}

// maxToolProblems bounds the problems with unreadable tools that are reported
// for one server.
const maxToolProblems = 20

// readTools reads the tools of a list, sorted by name. A name that appears
// twice with the same definition counts once, because a list may change while
// it is being paged.
func readTools(l list) (tools []*parsedTool, problems []Problem) {
	byName := map[string]*parsedTool{}
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

// tool returns the entry of a tool. A problem means that it has none.
func (r *refresh) tool(source Source, tool *parsedTool, wasListed bool) (Entry, *Problem) {
	key := toolKey{source.Name, tool.name}
	old, wasSeen := r.seen[key]
	name := old.Name
	if !wasSeen {
		if r.remembered[source.Name] >= memoryFactor*r.options.MaxTools {
			return Entry{}, &Problem{Rule: ruleListMemory, Message: "the server has listed too many tools over time; new ones " +
				"are left out", Remedy: "check the server; then delete its tools from the state"}
		}
		var free bool
		if name, free = r.names.name(source, tool.name); !free {
			return Entry{}, &Problem{Rule: ruleListNameless, Message: "no name is free for a tool, which is left out",
				Remedy: "set another name for the source"}
		}
		r.remembered[source.Name]++
	}
	e := Entry{Name: name, Server: source.Name, Tool: tool.name, Digest: tool.digest, Problems: tool.problems}
	j := &judgement{refresh: r, entry: &e, tool: tool, old: old, wasSeen: wasSeen, own: source.Own}
	if !wasSeen {
		if j.former = r.memoriesOf(source.Name, tool); len(j.former) > 0 {
			j.old, j.wasSeen = j.former[0], true
		}
	}
	j.judge()
	switch {
	case wasSeen && old.Gone:
		r.change(e, Change{Kind: changeReturned})
	case !wasSeen && wasListed:
		r.change(e, Change{Kind: changeAdded})
	}
	r.seen[key] = j.memory()
	return e, nil
}

// memoriesOf returns what is remembered under each old name that a new tool
// declares, so that a renamed tool cannot become weaker.
func (r *refresh) memoriesOf(server string, tool *parsedTool) (former []seenTool) {
	for _, alias := range tool.declared.doc.Aliases {
		if old, ok := r.seen[toolKey{server, alias}]; ok {
			former = append(former, old)
		}
	}
	return former
}

// markRemoved records the tools that a server no longer lists.
func (r *refresh) markRemoved(server string, listed map[string]bool) {
	for _, key := range slices.SortedFunc(maps.Keys(r.seen), func(a, b toolKey) int {
		return cmp.Or(cmp.Compare(a.server, b.server), cmp.Compare(a.tool, b.tool))
	}) {
		s := r.seen[key]
		if key.server != server || listed[key.tool] || s.Gone {
			continue
		}
		s.Gone = true
		r.seen[key] = s
		r.change(Entry{Name: s.Name, Server: server}, Change{Kind: changeRemoved})
	}
}

func (r *refresh) change(e Entry, c Change) {
	c.Tool, c.Server = e.Name, e.Server
	r.cycle.Changes = append(r.cycle.Changes, c)
}

// finish returns the cycle and the new memory.
func (r *refresh) finish() (Cycle, savedState) {
	slices.SortFunc(r.cycle.Entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(r.cycle.Changes, func(a, b Change) int { return cmp.Compare(a.Tool, b.Tool) })
	r.cycle.Time = time.Now()
	state := savedState{Format: stateFormat, Cycle: r.cycles, Tools: []seenTool{}}
	for _, s := range r.seen {
		state.Tools = append(state.Tools, s)
	}
	state.sort()
	left := map[string]int{}
	for _, s := range r.cycle.Servers {
		left[s.Name] = maxKeptInAll / len(r.cycle.Servers)
	}
	for i, s := range state.Tools {
		if left[s.Server] -= len(s.Definition); left[s.Server] < 0 {
			state.Tools[i].Definition = nil
		}
	}
	return r.cycle, state
}
