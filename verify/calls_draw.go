package verify

import (
	"maps"
	"slices"
	"strconv"

	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
)

// The kinds of inputs, in the order in which failures shrink towards them.
const (
	drawnInput = iota
	drawnAgain
	exampleInput
	mixedInput
	brokenInput
	inputKinds
)

// draw draws a call of a tool.
func (s *session) draw(from observe.Source, t *plannedTool) Step {
	step := Step{Tool: t.doc.Name}
	if caller := from.Uint(uint64(len(s.callers) - 1)); caller > 0 {
		step.As = s.callers[caller]
	}
	value := s.drawInput(from, t, &step)
	if !step.Invalid {
		value = s.link(from, t, &step, value)
		step.Preview = t.doc.DryRun == dryrun.Required || t.doc.DryRun != 0 && coin(from)
		step.Repeat = coin(from)
	}
	step.Input = string(value.JSON)
	if i := t.doc.Idempotency; i != nil && i.ClientKey && (i.Mode == idempotency.Keyed || len(i.KeyFields) == 0) {
		step.Key = pick(from, []string{"", "key-1", "key-2"})
	}
	return step
}

func coin(from observe.Source) bool { return from.Uint(1) == 1 }

// pick draws one element of a list.
func pick[T any](from observe.Source, list []T) T { return list[from.Uint(uint64(len(list)-1))] }

// drawInput draws arguments. They break the input schema if step.Invalid is
// set.
func (s *session) drawInput(from observe.Source, t *plannedTool, step *Step) observe.Value {
	kind := from.Uint(inputKinds - 1)
	switch {
	case t.draw == nil:
		return pick(from, t.examples)
	case kind == brokenInput:
		step.Invalid = true
		return t.draw.Broken(from).Value
	case kind == exampleInput && len(t.examples) > 0:
		return pick(from, t.examples)
	case kind == mixedInput && len(t.examples) > 0:
		return s.mix(from, t, pick(from, t.examples), t.draw.Valid(from))
	default:
		return t.draw.Valid(from)
	}
}

// mix returns drawn arguments with some members taken from an example.
func (s *session) mix(from observe.Source, t *plannedTool, example, drawn observe.Value) observe.Value {
	given, _ := example.Tree.(map[string]any)
	into, _ := drawn.Tree.(map[string]any)
	into = maps.Clone(into)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if coin(from) {
			into[name] = given[name]
		}
	}
	if value, ok := s.read(t, into); ok {
		return value
	}
	return drawn
}

// read returns a tree as arguments, if the tool accepts it.
func (s *session) read(t *plannedTool, tree any) (observe.Value, bool) {
	raw, err := observe.Marshal(tree)
	if err != nil || !accepts(s.harnesses[t.doc.Name].tool, raw) {
		return observe.Value{}, false
	}
	return observe.Value{Tree: tree, JSON: raw}, true
}

// link replaces members of the arguments with values from earlier results.
func (s *session) link(from observe.Source, t *plannedTool, step *Step, value observe.Value) observe.Value {
	for _, at := range leaves(value.Tree) {
		known := s.candidates(t.doc.Name, at)
		if len(known) == 0 {
			continue
		}
		i := from.Uint(uint64(len(known)))
		if i == uint64(len(known)) {
			continue // keep what was drawn
		}
		if linked, ok := s.read(t, replaceAt(value.Tree, at, known[i].value)); ok {
			value = linked
			if step.From == nil {
				step.From = map[string]Source{}
			}
			step.From[at] = known[i].source
		}
	}
	return value
}

// leaves returns the JSON Pointers of a tree's strings and numbers, sorted.
func leaves(tree any) []string {
	var all []string
	var walk func(at string, tree any)
	walk = func(at string, tree any) {
		switch tree := tree.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(tree)) {
				walk(appendToken(at, name), tree[name])
			}
		case []any:
			for i, item := range tree {
				walk(appendToken(at, strconv.Itoa(i)), item)
			}
		case string, int64, uint64:
			all = append(all, at)
		}
	}
	walk("", tree)
	return all
}
