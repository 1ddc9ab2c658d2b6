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
// SDK calls nothing when a tool is added, so each list and each call looks.
func (b *binding) adopt(ctx context.Context, tools map[string]*mcp.Tool) {
	if b.wrapper == nil {
		return
	}
	for _, t := range tools {
		if b.isStranger(t) {
			b.adoptStrangers(ctx, tools)
			return
		}
	}
}

// adoptCalled looks at the tool of a name, or at all if a tool may get the name
// only by its contract.
func (b *binding) adoptCalled(ctx context.Context, name string, tools map[string]*mcp.Tool) {
	if b.wrapper == nil {
		return
	}
	if t := tools[name]; t == nil || b.isStranger(t) {
		b.adopt(ctx, tools)
	}
}

// isStranger reports whether a registered tool needs a contract that it does
// not have, and was not refused before.
func (b *binding) isStranger(t *mcp.Tool) bool {
	w := b.now()
	if r := w.listed[t.Name]; r != nil && r.tool == t {
		return false
	}
	if r := w.called[t.Name]; r != nil && r.tool == t || b.wrapper.Excepts(t.Name) {
		return false
	}
	found, _ := b.refused.Load(t.Name)
	why, ok := found.(refused)
	return !ok || why.tool != t
}

// A refused is a later tool that gets no contract.
type refused struct {
	tool       *mcp.Tool
	definition string
}

// refuse remembers that a tool has no contract. It reports whether the tool is
// another one than the last that was refused under its name.
func (b *binding) refuse(t *mcp.Tool) (first bool) {
	definition, err := json.Marshal(t)
	if err != nil {
		definition = nil
	}
	before, _ := b.refused.Swap(t.Name, refused{t, string(definition)})
	was, ok := before.(refused)
	return !ok || err != nil || was.definition != string(definition)
}

func (b *binding) adoptStrangers(ctx context.Context, tools map[string]*mcp.Tool) {
	b.joining.Lock()
	defer b.joining.Unlock()
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		t := tools[name]
		if !b.isStranger(t) { // another call may have wrapped it
			continue
		}
		if err := b.adoptOne(ctx, t, tools); err != nil {
			if first := b.refuse(t); first && (!b.wrapper.Leaves(t.Name) || b.now().table.Claims(t.Name)) {
				adapter.LogRefused(ctx, t.Name, err)
			}
		}
	}
}

// adoptOne needs joining.
func (b *binding) adoptOne(ctx context.Context, t *mcp.Tool, tools map[string]*mcp.Tool) error {
	wrapped := wrapTool(b.wrapper, t)
	if wrapped.Err != nil {
		return wrapped.Err
	}
	old := b.now()
	if err := checkHeaders(wrapped.Contract.Document()); err != nil {
		return err
	}
	again := old.listed[t.Name]
	if again != nil && !again.adopted || again == nil && old.table.Claims(t.Name) {
		return taken(t.Name, t.Name)
	}
	if again != nil {
		if err := b.wrapper.CheckAgain(again.entry.Tool(), wrapped.Contract); err != nil {
			return err
		}
	}
	table, err := old.table.With(wrapped.Contract)
	if err != nil {
		return err
	}
	for name, of := range table.Claimed() {
		if of == wrapped.Contract.Name() && name != t.Name && (old.table.Claims(name) && again == nil || tools[name] != nil) {
			return taken(name, t.Name)
		}
	}
	next := newWorld(table)
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
	b.world.Store(next)
	b.wrapper.LogGuesses(ctx, wrapped)
	return nil
}
