package adapter

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
)

// Rules are the clauses of tools that an adapter wraps all at once. The zero
// value declares none: each tool then has only what its hints imply.
//
// A clause counts in this order: Declare of the tool's rule, Base of the tool's
// rule, Base of all tools, and last the tool's hints.
type Rules struct {
	// Base has the clauses of all tools, such as the version.
	Base contract.Base
	// Tools has the rules of single tools, by the name under which a tool is
	// registered.
	Tools map[string]Rule
	// AllowUncontracted leaves a tool whose contract cannot be built as it is.
	AllowUncontracted bool
}

// A Rule has the clauses of one tool. The zero value declares none.
type Rule struct {
	// Base has the clauses of the tool.
	Base contract.Base
	// Declare adds what a Base cannot hold, such as a dry run or a resolution.
	// It can run more than once for one tool. Nil: nothing is added.
	Declare func(b *WrappedBuilder)
	// Uncontracted leaves the tool as it is, without a contract.
	Uncontracted bool
	// Later means that the tool may be added after the server got its
	// contracts. Otherwise it is an error if the server does not have it.
	Later bool
}

// Wrap builds the contract of one tool by its rule, and by its hints where the
// rules declare nothing. start starts the contract, as the adapter's Wrap does;
// it can run more than once. The naming is that of the server, for the report.
//
// An effect that the rules do not declare follows from the hints, as the
// protocol defines their defaults: readOnlyHint true means read-only. Otherwise
// destructiveHint false means external-publication, or high-risk-write if
// openWorldHint is false too. Any other tool counts as destructive, also
// without hints. If a write has idempotentHint true, its idempotency is native.
// No hint raises the trust.
//
// If callers may not see the tool, or if it has aliases, its input schema loses
// x-mcp-header. Callers could not know which headers to send, and the SDK's
// answer to a missing one would show the tool.
func (r Rules) Wrap(d Definition, n contract.Naming, start func() *WrappedBuilder) WrappedTool {
	wrapped := WrappedTool{Name: d.Name}
	rule := r.Tools[d.Name]
	if rule.Uncontracted {
		return wrapped
	}
	var inputSchema json.RawMessage // nil: that of the tool
	build := func() {
		b := start()
		if inputSchema != nil {
			b.InputSchema(inputSchema)
		}
		if rule.Declare != nil {
			rule.Declare(b)
		}
		wrapped.Contract, wrapped.Err = b.From(rule.Base).From(r.Base).From(baseOf(wrapped.Guesses)).Build()
	}
	build()
	if lacksEffect(wrapped.Err) {
		wrapped.Guesses = []Guess{guessEffect(d.Annotations)}
		build()
	}
	if guess, ok := guessIdempotency(d.Annotations, wrapped.Contract); ok {
		wrapped.Guesses = append(wrapped.Guesses, guess)
		build()
	}
	if wrapped.Contract != nil && hasHeaders(d.InputSchema) && mayNotHaveHeaders(wrapped.Contract.Document()) {
		inputSchema = schema.WithoutKeyword(d.InputSchema, "x-mcp-header")
		build()
	}
	if wrapped.Contract != nil {
		wrapped.Changes = changes(d, wrapped.Contract, n)
	}
	return wrapped
}

// Leaves reports whether a tool without a contract stays as it is.
func (r Rules) Leaves(name string) bool { return r.AllowUncontracted || r.Tools[name].Uncontracted }
