package verify

import (
	"encoding/json"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/contract/verify/internal/draw"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// The kinds of inputs, in the order in which failures shrink to them.
const (
	drawnInput = iota
	drawnAgain
	exampleInput
	mixedInput
	brokenInput
	inputKinds
)

// draw draws a call of a tool.
func (s *fuzzSession) draw(r *rapid.T, t *fuzzedTool) Step {
	step := Step{Tool: t.doc.Name}
	if caller := rapid.IntRange(0, len(s.callers)-1).Draw(r, "caller"); caller > 0 {
		step.As = s.callers[caller]
	}
	value := s.drawInput(r, t, &step)
	if !step.Invalid {
		value = s.link(r, t, &step, value)
		step.Preview = t.doc.DryRun == dryrun.Required || t.doc.DryRun != dryrun.Undeclared && rapid.Bool().Draw(r, "preview")
		step.Repeat = rapid.Bool().Draw(r, "repeat")
	}
	step.Input = string(value.JSON)
	if i := t.doc.Idempotency; i != nil && i.ClientKey && (i.Mode == idempotency.Keyed || len(i.KeyFields) == 0) {
		step.Key = rapid.SampledFrom([]string{"", "key-1", "key-2"}).Draw(r, "key")
	}
	return step
}

// drawInput draws arguments. They break the input schema if step.Invalid.
func (s *fuzzSession) drawInput(r *rapid.T, t *fuzzedTool, step *Step) draw.Value {
	kind := rapid.IntRange(0, inputKinds-1).Draw(r, "kind")
	example := func() draw.Value { return rapid.SampledFrom(t.examples).Draw(r, "example") }
	switch {
	case t.draw == nil:
		return example()
	case kind == brokenInput:
		broken := t.draw.Broken().Draw(r, "broken")
		step.Invalid = true
		return broken.Value
	case kind == exampleInput && len(t.examples) > 0:
		return example()
	case kind == mixedInput && len(t.examples) > 0:
		return s.mixed(r, t, example(), t.draw.Valid().Draw(r, "input"))
	default:
		return t.draw.Valid().Draw(r, "input")
	}
}

// mixed returns drawn arguments with some members of an example.
func (s *fuzzSession) mixed(r *rapid.T, t *fuzzedTool, example, drawn draw.Value) draw.Value {
	from, _ := example.Tree.(map[string]any)
	into, _ := drawn.Tree.(map[string]any)
	into = maps.Clone(into)
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if rapid.Bool().Draw(r, "keep") {
			into[name] = from[name]
		}
	}
	if value, ok := s.read(t, into); ok {
		return value
	}
	return drawn
}

// read returns a tree as arguments, if the tool accepts it.
func (s *fuzzSession) read(t *fuzzedTool, tree any) (draw.Value, bool) {
	raw, err := strictjson.Marshal(tree)
	if err != nil || !accepts(s.trials[t.doc.Name].tool, raw) {
		return draw.Value{}, false
	}
	return draw.Value{Tree: tree, JSON: json.RawMessage(raw)}, true
}

// link replaces members of the arguments by values of earlier results.
func (s *fuzzSession) link(r *rapid.T, t *fuzzedTool, step *Step, value draw.Value) draw.Value {
	for _, at := range leaves(value.Tree) {
		known := s.known(t.doc.Name, at)
		if len(known) == 0 {
			continue
		}
		i := rapid.IntRange(0, len(known)).Draw(r, "link")
		if i == len(known) {
			continue // as it was drawn
		}
		if linked, ok := s.read(t, draw.Replaced(value.Tree, at, known[i].value)); ok {
			value = linked
			if step.From == nil {
				step.From = map[string]Source{}
			}
			step.From[at] = known[i].source
		}
	}
	return value
}

// leaves returns the JSON Pointers of the texts and numbers of a tree, sorted.
func leaves(tree any) []string {
	var all []string
	var walk func(at string, tree any)
	walk = func(at string, tree any) {
		switch tree := tree.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(tree)) {
				walk(jsonptr.Append(at, name), tree[name])
			}
		case []any:
			for i, item := range tree {
				walk(jsonptr.AppendIndex(at, i), item)
			}
		case string, int64, uint64:
			all = append(all, at)
		}
	}
	walk("", tree)
	return all
}
