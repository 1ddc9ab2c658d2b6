package contract_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type noteInput struct {
	Text string `json:"text"`
	Copy string `json:"copy,omitempty"`
}

type noteOutput struct {
	ID string `json:"id"`
}

func note(context.Context, noteInput) (noteOutput, error) { return noteOutput{}, nil }

type noteBuilder = contract.Builder[noteInput, noteOutput]

// reading and writing return contracts that break no rule. A test adds only the
// clauses that it checks.
func reading() *noteBuilder {
	return complete(contract.New("notes.read", note)).Effect(risk.ReadOnly)
}

func writing() *noteBuilder {
	return complete(contract.New("notes.write", note)).Effect(risk.LowRiskWrite).Permissions("notes:write")
}

// asking is writing with a handler that may ask for an input, as an adapter
// declares it.
func asking() *noteBuilder {
	b := writing()
	bound.AllowRounds(b, 1)
	return b
}

func complete[In, Out any](b *contract.Builder[In, Out]) *contract.Builder[In, Out] {
	return b.Description("Keeps a note.").Version("1.0.0").Trust(trust.Trusted)
}

// handler does nothing.
func handler[In, Out any](context.Context, In) (Out, error) {
	var out Out
	return out, nil
}

// tagged returns a contract whose clauses are declared by the tags of its
// input, except those that New would declare too.
func tagged[In any]() *contract.Builder[In, noteOutput] {
	return contract.New("", handler[In, noteOutput])
}

// buildable is a builder for any input and output types.
type buildable interface {
	Build() (*contract.Tool, error)
}

func build(t *testing.T, b buildable) *contract.Tool {
	t.Helper()
	tool, err := b.Build()
	require.NoError(t, err)
	return tool
}

// mistakes returns the rule IDs that b's Build reports.
func mistakes(t *testing.T, b buildable) []string {
	t.Helper()
	tool, err := b.Build()
	require.NotEmpty(t, contract.DeclarationErrors(err))
	require.Nil(t, tool)
	var rules []string
	for _, e := range contract.DeclarationErrors(err) {
		rules = append(rules, e.Rule)
	}
	return rules
}

type innerTags[T any] struct {
	Inner T `json:"inner"`
}

func readingOf[In any]() *contract.Builder[In, noteOutput] {
	return complete(contract.New("notes.read", handler[In, noteOutput])).Effect(risk.ReadOnly)
}

func returning[Out any]() *contract.Builder[noteInput, Out] {
	return complete(contract.New("notes.read", handler[noteInput, Out])).Effect(risk.ReadOnly)
}

// open returns the part of a tool that the guard uses.
func open(t *testing.T, b buildable) bound.Impl {
	t.Helper()
	return bound.Of(build(t, b))
}

// inputOf returns the input value of decoded arguments.
func inputOf(args *bound.Arguments) any { return reflect.ValueOf(args.In).Elem().Interface() }
