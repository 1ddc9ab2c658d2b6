package gosdk

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
)

// adopt wraps the tools that were added after WrapAll, by the same rules. The
// SDK has no hook for added tools, so each list and each call looks for them.
func (b *binding) adopt(ctx context.Context, tools map[string]*mcp.Tool) {
	if b.wrapper == nil {
		return
	}
	for _, t := range tools {
		if b.isStranger(t) {
			b.adoptStrangers(ctx)
			return
		}
	}
}

// called returns the table for a call of one name, and those of the registered
// tools that decide where the call goes. It is adopt for that name, and looks
// at all tools if no tool serves the name, because a contract may give it to
// one of them.
func (b *binding) called(ctx context.Context, session *mcp.ServerSession, name string) (*table, map[string]*mcp.Tool, error) {
	t := b.table()
	r, names := t.called[name], []string{name}
	if r != nil {
		names = append(names, r.under)
		if of := t.called[r.of]; of != nil {
			names = append(names, of.under)
		}
	}
	tools, err := registeredTools(ctx, session, names...)
	if err != nil || b.wrapper == nil {
		return t, tools, err
	}
	if is := tools[name]; is != nil && !b.isStranger(is) || is == nil && r != nil && t.isServed(r, tools) {
		return t, tools, nil
	}
	if tools, err = registeredTools(ctx, session); err != nil {
		return nil, nil, err
	}
	b.adopt(ctx, tools)
	return b.table(), tools, nil
}

// isStranger reports whether a registered tool lacks a contract that it needs
// and was not refused before.
func (b *binding) isStranger(t *mcp.Tool) bool {
	current := b.table()
	if r := current.listed[t.Name]; r != nil && r.tool == t {
		return false
	}
	if r := current.called[t.Name]; r != nil && r.tool == t || b.wrapper.Excepts(t.Name) {
		return false
	}
	last, _ := b.refusals.Load(t.Name)
	r, ok := last.(refusal)
	return !ok || r.tool != t
}

// A refusal remembers a tool that was added later and gets no contract.
type refusal struct {
	tool       *mcp.Tool
	definition string
}

// refuse remembers that a tool gets no contract. It reports whether the
// definition differs from the last one refused under that name.
func (b *binding) refuse(t *mcp.Tool) (first bool) {
	definition, err := json.Marshal(t)
	if err != nil {
		definition = nil
	}
	before, _ := b.refusals.Swap(t.Name, refusal{t, string(definition)})
	last, ok := before.(refusal)
	return !ok || err != nil || last.definition != string(definition)
}

func (b *binding) adoptStrangers(ctx context.Context) {
	b.updates.Lock()
	defer b.updates.Unlock()
	state, err := inspect(b.server) // Replace may have removed it, and another call may have wrapped it
	if err != nil {
		return // the next request tries again
	}
	for _, name := range slices.Sorted(maps.Keys(state.tools)) {
		t := state.tools[name]
		if !b.isStranger(t) {
			continue
		}
		if err := b.adoptOne(ctx, t, state.tools); err != nil {
			if first := b.refuse(t); first && (!b.wrapper.Leaves(t.Name) || b.table().Claims(t.Name)) {
				adapter.LogRefused(ctx, t.Name, err)
			}
		}
	}
}

// adoptOne needs updates locked.
func (b *binding) adoptOne(ctx context.Context, t *mcp.Tool, tools map[string]*mcp.Tool) error {
	wrapped := wrapTool(b.wrapper, t)
	if wrapped.Err != nil {
		return wrapped.Err
	}
	old := b.table()
	if err := checkHeaders(wrapped.Contract.Document()); err != nil {
		return err
	}
	again := old.listed[t.Name]
	if again != nil && !again.adopted || again == nil && old.Claims(t.Name) {
		return taken(t.Name, t.Name)
	}
	before := b.removed[t.Name]
	if again != nil {
		before = again.entry.Tool()
	}
	if before != nil {
		if err := b.wrapper.CheckAgain(before, wrapped.Contract); err != nil {
			return err
		}
	}
	table, err := old.With(wrapped.Contract)
	if err != nil {
		return err
	}
	for name, of := range table.Claimed() {
		if of == wrapped.Contract.Name() && name != t.Name && (old.Claims(name) && again == nil || tools[name] != nil) {
			return taken(name, t.Name)
		}
	}
	next := tableOf(table)
	for _, e := range table.Entries() {
		if r := old.called[e.Name()]; r != nil && r.entry == e && e.Tool().Name() != wrapped.Contract.Name() {
			next.put(r)
			continue
		}
		adopted, err := newAdopted(e, t)
		if err != nil {
			return err
		}
		if dropsHeaders(e, t) { // the SDK reads t while it serves
			return headerError(t.Name)
		}
		next.put(adopted)
	}
	b.current.Store(next)
	b.wrapper.LogGuesses(ctx, wrapped)
	return nil
}
