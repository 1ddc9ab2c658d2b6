package adapter

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/listing"
	"github.com/toolcontract/toolcontract/internal/schema"
)

// A Wrapper wraps the tools of a server by rules. A nil Wrapper leaves every
// tool as it is. It is safe for concurrent use.
type Wrapper struct {
	rules  wrap.Rules
	naming contract.Naming
	typed  map[string]bool // names of tools that already have a contract
	// checkAgain is the function of that name, in a field so that a server that
	// wraps nothing doesn't link the comparison of contracts.
	checkAgain func(old, next *contract.Tool) error

	guessed sync.Map // of tool name to the guesses already reported or logged
}

// NewWrapper returns a server's wrapper. The tools of c already have contracts
// and replace the server's tools of the same names.
func NewWrapper(rules wrap.Rules, c Config) *Wrapper {
	rules.Tools = maps.Clone(rules.Tools)
	rules.Options = slices.Clone(rules.Options)
	w := &Wrapper{rules: rules, naming: c.Naming, typed: map[string]bool{}, checkAgain: checkAgain}
	for _, t := range c.Tools {
		if t != nil {
			w.typed[t.Name()], w.typed[w.naming.Listed(t.Name())] = true, true
		}
	}
	return w
}

// Replaces reports whether a tool with a contract replaces the server's tool of
// this name, which is then not wrapped.
func (w *Wrapper) Replaces(name string) bool { return w.typed[name] }

// Wrap builds the contract of one tool from its rule, and from its hints where
// the rules are silent. start starts the contract with options, as the
// adapter's Wrap does.
//
// An effect that the rules do not declare follows from the hints, as the
// protocol defines their defaults: readOnlyHint true means read-only. Otherwise
// destructiveHint false means high-risk-write, with a side effect that is
// reversible, and external unless openWorldHint is false. Any other tool counts
// as destructive, even without hints. If a write has idempotentHint true, its
// idempotency is native. No hint raises the trust.
//
// If callers may not see the tool, or if it has aliases, its input schema loses
// x-mcp-header. Callers could not know which headers to send, and the SDK's
// answer to a missing one would reveal the tool.
func (w *Wrapper) Wrap(d Definition, start func(opts []wrap.Option) *wrap.Builder) wrap.Tool {
	wrapped := wrap.Tool{Name: d.Name}
	rule := w.rules.Tools[d.Name]
	if rule.Uncontracted {
		return wrapped
	}
	opts := slices.Concat(w.rules.Options, rule.Options)
	b := start(opts)
	bound.PassReported(b, !w.rules.MaskErrors && !rule.MaskErrors)
	if rule.Declare != nil {
		rule.Declare(b)
	}
	b.From(rule.Base).From(w.rules.Base)
	guesses := guessClauses(b, d)
	wrapped.Contract, wrapped.Err = b.Build()
	if wrapped.Contract != nil {
		wrapped.Changes = changes(d, wrapped.Contract, w.naming, answersConfirmation(opts))
	}
	for _, g := range guesses {
		wrapped.Guesses = append(wrapped.Guesses, g.Guess)
	}
	return wrapped
}

// guessClauses declares the clauses that follow from a tool's hints, and
// returns them. It also removes headers that the contract may not have. Until
// then it builds without the schemas, which take most of the time.
func guessClauses(b *wrap.Builder, d Definition) []guess {
	bound.OnlyClauses(b, true)
	defer bound.OnlyClauses(b, false)
	built, err := b.Build()
	var guesses []guess
	declare := func(g guess) {
		guesses = append(guesses, g)
		var base contract.Base
		g.add(&base)
		built, err = b.From(base).Build()
	}
	if lacksEffect(err) {
		if written := bound.WrittenOf(b); written != nil {
			written.EffectGuessed = true
		}
		declare(guessEffect(d.Annotations))
		if added, ok := guessSideEffect(d.Annotations); ok && !declaresSideEffects(built) {
			declare(added)
		}
	}
	if g, ok := guessIdempotency(d.Annotations, built); ok {
		declare(g)
	}
	if built != nil && listing.HasHeaders(d.InputSchema) && mayNotHaveHeaders(built.Document()) {
		b.InputSchema(schema.WithoutKeyword(d.InputSchema, "x-mcp-header"))
	}
	return guesses
}

// mayNotHaveHeaders reports whether someone can call the tool without having
// seen its schema: by an alias, or without a permission. An SDK compares the
// headers before the guard knows about the call.
func mayNotHaveHeaders(doc contract.Document) bool {
	return len(doc.Aliases) > 0 || doc.NeedsPrincipal()
}

// Excepts reports whether the rule of a tool leaves it without a contract.
func (w *Wrapper) Excepts(name string) bool { return w == nil || w.rules.Tools[name].Uncontracted }

// Leaves reports whether a tool without a contract stays as it is.
func (w *Wrapper) Leaves(name string) bool { return w.Excepts(name) || w.rules.AllowUncontracted }

// Check sorts a report and returns its errors: rules without a tool, which are
// usually misspelt, and, unless the rules allow them, tools whose contracts
// cannot be built. The error joins a [contract.DeclarationError] for each of
// them.
func (w *Wrapper) Check(r *wrap.Report) error {
	slices.SortStableFunc(r.Tools, func(a, b wrap.Tool) int { return cmp.Compare(a.Name, b.Name) })
	known := map[string]bool{}
	for _, t := range r.Tools {
		known[t.Name] = true
		w.guessed.Store(t.Name, t.Guesses)
	}
	names := slices.Sorted(maps.Keys(known))
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(w.rules.Tools)) {
		if !known[name] && !w.rules.Tools[name].Later {
			errs = append(errs, &contract.DeclarationError{
				Rule: "wrap.unknown", Tool: name, Where: "Tools", Message: "the server has no tool of this name without a contract",
				Remedy: "correct the name" + enum.DidYouMean(name, names) + ", or set Later if the tool is added later",
			})
		}
	}
	if !w.rules.AllowUncontracted {
		for _, t := range r.Tools {
			errs = append(errs, t.Err)
		}
	}
	return errors.Join(errs...)
}

// Note adds the mistakes of a registration to the tools in the report that they
// concern.
func (w *Wrapper) Note(r *wrap.Report, err error) {
	for _, e := range contract.DeclarationErrors(err) {
		for i := range r.Tools {
			if t := &r.Tools[i]; t.Name == e.Tool {
				t.Err = errors.Join(t.Err, e)
			}
		}
	}
}
