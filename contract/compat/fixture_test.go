package compat_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
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

// reading and writing return contracts that Build accepts. A test adds only the
// clauses that it checks.
func reading() *noteBuilder {
	return complete(contract.New("notes.read", note)).Effect(risk.ReadOnly)
}

func writing() *noteBuilder {
	return complete(contract.New("notes.write", note)).Effect(risk.LowRiskWrite).Permissions("notes:write")
}

func readingOf[In, Out any]() *contract.Builder[In, Out] {
	handler := func(context.Context, In) (out Out, err error) { return out, nil }
	return complete(contract.New("notes.read", handler)).Effect(risk.ReadOnly)
}

func complete[In, Out any](b *contract.Builder[In, Out]) *contract.Builder[In, Out] {
	return b.Description("Keeps a note.").Version("1.0.0").Trust(trust.Trusted)
}

func build(tb testing.TB, b interface {
	Build() (*contract.Tool, error)
},
) *contract.Tool {
	tb.Helper()
	tool, err := b.Build()
	require.NoError(tb, err)
	return tool
}
