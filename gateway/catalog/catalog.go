package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A Catalog knows the facts about the tools of many servers. Make one with
// [New]. It is safe for concurrent use.
type Catalog struct {
	options    Options
	sources    []Source // sorted by name
	busy       map[string]chan struct{}
	refreshing chan struct{} // a lock that can be waited for with a context
	state      savedState
	stateInfo  fs.FileInfo // of the state file; nil: no file
	current    atomic.Pointer[Cycle]
}

// The rules of an [Error] in the sources.
const (
	fileOptions = "options"

	ruleSourceName   = "source.name"   // a source whose name is not formed well
	ruleSourceLister = "source.lister" // a source without a lister
	ruleSourceTwice  = "source.twice"  // two sources of one name
)

// New returns a catalogue of servers. It reads the state file, if there is one,
// but lists nothing; see [Catalog.Refresh]. The error joins an [*Error] for
// every mistake in the sources and the files.
func New(sources []Source, opts Options) (*Catalog, error) {
	c := &Catalog{
		options: opts.effective(), busy: map[string]chan struct{}{}, refreshing: make(chan struct{}, 1),
		sources: slices.SortedFunc(slices.Values(sources), func(a, b Source) int { return cmp.Compare(a.Name, b.Name) }),
	}
	var errs []error
	bad := func(rule, where, message, remedy string) {
		errs = append(errs, &Error{File: fileOptions, Rule: rule, Where: where, Message: message, Remedy: remedy})
	}
	for i, s := range sources {
		where := strictjson.PointerIndex("/sources", i)
		switch {
		case !isServerName(s.Name):
			bad(ruleSourceName, where, "the name of the source is not formed well", serverNameRemedy)
		case c.busy[s.Name] != nil:
			bad(ruleSourceTwice, where, "the name of the source stands twice", "give each source a name of its own")
		case s.Lister == nil:
			bad(ruleSourceLister, where, "the source has no lister", "set Lister, such as to a client.Client")
		}
		c.busy[s.Name] = make(chan struct{}, 1)
	}
	errs = append(errs, c.unknownServers()...)
	if c.options.StateFile != "" {
		var err error
		c.state, c.stateInfo, err = readStateFile(c.options.StateFile)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return c, nil
}

// unknownServers reports overrides of servers that are not sources. A veto must
// not be ignored silently.
func (c *Catalog) unknownServers() []error {
	var errs []error
	names := slices.Sorted(maps.Keys(c.busy))
	for _, name := range slices.Sorted(maps.Keys(c.options.Overrides.Servers)) {
		if c.busy[name] != nil {
			continue
		}
		errs = append(errs, &Error{
			File: fileOverrides, Rule: ruleOverridesServer, Where: strictjson.Pointer("/servers", name),
			Message: "is not the name of a source of the catalogue",
			Remedy:  didYouMean(enum.Closest(name, names), "remove it, or add the source"),
		})
	}
	return errs
}

// Refresh lists all servers concurrently, compares their tools with what was
// seen before, saves the state, and returns the result.
//
// A server that cannot be listed is reported in [Cycle.Servers] and changes
// nothing for the others. The error comes from the state file or the context.
// Then the catalogue keeps the previous cycle. Concurrent calls wait for each
// other.
func (c *Catalog) Refresh(ctx context.Context) (Cycle, error) {
	select {
	case c.refreshing <- struct{}{}:
	case <-ctx.Done():
		return Cycle{}, ctx.Err()
	}
	defer func() { <-c.refreshing }()
	lists := c.listAll(ctx)
	if err := ctx.Err(); err != nil {
		return Cycle{}, err
	}
	r := newRefresh(c, c.Cycle())
	for i, source := range c.sources {
		r.server(source, lists[i])
	}
	cycle, state := r.finish()
	if c.options.StateFile != "" {
		if err := c.save(state); err != nil {
			return Cycle{}, err
		}
	}
	c.state = state
	c.current.Store(&cycle)
	return cycle, nil
}

// save writes the state file, unless the file is not the one that this
// catalogue last read or wrote. A missing file is written again.
func (c *Catalog) save(s savedState) error {
	path := c.options.StateFile
	info, err := stateFileInfo(path)
	if err != nil {
		return err
	}
	if info != nil && !isSameFile(info, c.stateInfo) {
		return &Error{
			File: fileState, Rule: ruleStateShared, Message: "another process has written the file since this one read it",
			Remedy: "end the other process, and start this one again",
		}
	}
	err = s.WriteFile(path)
	written, errInfo := stateFileInfo(path) // after an error it may be either file
	c.stateInfo = written
	return errors.Join(err, errInfo)
}

// Cycle returns the result of the last successful [Catalog.Refresh].
func (c *Catalog) Cycle() Cycle {
	if current := c.current.Load(); current != nil {
		return *current
	}
	return Cycle{}
}

// A list is the result of listing one source.
type list struct {
	client.Listing

	problem *Problem // nil: all tools were listed
}

// listAll lists all sources concurrently. It waits at most the list timeout,
// whether or not a lister respects the context.
func (c *Catalog) listAll(ctx context.Context) []list {
	ctx, cancel := context.WithTimeout(ctx, c.options.ListTimeout)
	defer cancel()
	lists := make([]list, len(c.sources))
	answers := make([]chan list, len(c.sources))
	for i, source := range c.sources {
		answers[i] = make(chan list, 1)
		busy := c.busy[source.Name]
		select {
		case busy <- struct{}{}:
		default: // the call of an earlier cycle has not returned
			answers[i] <- list{problem: &Problem{Rule: ruleListTime, Message: "the server has not answered since an earlier cycle",
				Remedy: "restart the server"}}
			continue
		}
		go func() {
			answer := listOne(ctx, source, c.options.MaxTools)
			<-busy // before the answer, because the next cycle may start at once
			answers[i] <- answer
		}()
	}
	for i := range c.sources {
		select {
		case lists[i] = <-answers[i]:
		case <-ctx.Done():
			select {
			case lists[i] = <-answers[i]: // both were ready
			default:
				lists[i].problem = timeProblem()
			}
		}
	}
	return lists
}

// The rules of a [Problem] with a server, in addition to those of
// [client.ListError].
const (
	ruleListTime     = "list.time"     // a server that has not listed its tools in time
	ruleListFailed   = "list.failed"   // a server that cannot be listed
	ruleListTooMany  = "list.tools"    // a server that lists too many tools; none of them counts
	ruleListUnnamed  = "list.unnamed"  // tools without a name that can be read
	ruleListMemory   = "list.memory"   // a server that has listed too many tools over time
	ruleListNameless = "list.name"     // a tool for which no name is free
	ruleOverrideTool = "override.tool" // an override of a tool that its server does not list
)

func timeProblem() *Problem {
	return &Problem{Rule: ruleListTime, Message: "the server has not listed its tools in time",
		Remedy: "check the server, or set a longer ListTimeout"}
}

// listOne lists one source.
func listOne(ctx context.Context, source Source, maxTools int) (l list) {
	defer func() {
		if len(l.Tools) > maxTools {
			l = list{problem: &Problem{
				Rule: ruleListTooMany, Message: fmt.Sprintf("the server lists more than %d tools; none of them counts", maxTools),
				Remedy: "raise MaxTools, or split the server",
			}}
		}
	}()
	var err error
	func() {
		defer contain.Recover(&err)
		l.Listing, err = source.Lister.ListTools(ctx)
	}()
	if err == nil {
		return l
	}
	l = list{problem: &Problem{Rule: ruleListFailed, Message: "the server cannot be listed", Remedy: "check that it runs and that " +
		"its address and credentials are right"}}
	var bound *client.ListError
	switch {
	case errors.As(err, &bound):
		l.problem = &Problem{Rule: bound.Rule, Message: bound.Message, Remedy: bound.Remedy}
	case errors.Is(err, context.DeadlineExceeded):
		l.problem = timeProblem()
	}
	l.problem.Err = err
	return l
}

// overrideProblems reports overrides of tools that a server does not list.
// renamed maps old names of tools to current ones.
func overrideProblems(o ServerOverrides, listed map[string]bool, renamed map[string]string) []Problem {
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(o.Tools)) {
		if listed[name] {
			continue
		}
		remedy := "remove it, unless the tool comes later"
		if now, ok := renamed[name]; ok {
			remedy = `write it for "` + now + `", which declares that this is its old name`
		} else if near := enum.Closest(name, slices.Sorted(maps.Keys(listed))); near != "" {
			remedy = `did you mean "` + near + `"?`
		}
		problems = append(problems, Problem{
			Rule: ruleOverrideTool, Where: strictjson.Pointer("/tools", name),
			Message: "the operator's file overrides a tool that the server " +
				"does not list", Remedy: remedy,
		})
	}
	return problems
}
