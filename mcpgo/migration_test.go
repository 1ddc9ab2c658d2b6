package mcpgo_test

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func greet(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name, err := r.RequireString("name")
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return mcp.NewToolResultText("hello " + name), nil
}

// six returns a server of six plain tools after the given number of migration
// steps. The first step annotates a tool, the second wraps another, and the
// third gives a third one a typed contract.
func six(t *testing.T, steps int) *server.MCPServer {
	t.Helper()
	s := server.NewMCPServer("six", "1.0.0")
	greeter := func(name string) mcp.Tool {
		return plain(name, mcp.WithString("name", mcp.Required()), mcp.WithTitleAnnotation("Greet"))
	}
	annotated := greeter("greet_annotated")
	if steps >= 1 {
		require.NoError(t, mcpgo.Annotate(&annotated, contract.Base{Effect: risk.ReadOnly, Trust: trust.Trusted}))
	}
	s.AddTool(annotated, greet)
	for _, name := range []string{"greet_a", "greet_b", "greet_c", "greet_typed", "greet_wrapped"} {
		s.AddTool(greeter(name), greet)
	}
	var contracts []*contract.Tool
	if steps >= 2 {
		contracts = append(contracts, mcpgo.Wrap(greeter("greet_wrapped"), greet).
			Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).OtherErrors(contract.ClassRetryable).MustBuild())
	}
	if steps >= 3 {
		type in struct {
			Name string `json:"name"`
		}
		contracts = append(contracts, contract.New("greet_typed", func(_ context.Context, i in) (string, error) {
			return "hello " +
				i.Name, nil
		}).
			FlatName().Description("Does greet_typed.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild())
	}
	if steps >= 2 {
		require.NoError(t, mcpgo.Register(s, nil, mcpgo.WithTools(contracts...)))
		assert.NoError(t, mcpgo.Verify(s))
	}
	return s
}

func TestMigration_OneToolAtATime(t *testing.T) {
	t.Parallel()
	names := []string{"greet_a", "greet_annotated", "greet_b", "greet_c", "greet_typed", "greet_wrapped"}
	migrated := []string{"greet_annotated", "greet_wrapped", "greet_typed"}
	for step := range migrated {
		before, after := six(t, step), six(t, step+1)
		var others []string
		for _, name := range names {
			if name != migrated[step] {
				others = append(others, name)
			}
		}
		was, order := listing(t, handle(t, before, list))
		is, _ := listing(t, handle(t, after, list))
		assert.Equal(t, names, order)
		assert.Equal(t, names, listedBy(t, t.Context(), after))
		for _, name := range others {
			assert.Equal(t, was[name], is[name])
		}
		assert.NotEqual(t, was[migrated[step]], is[migrated[step]])

		plainOnes := []string{"greet_a", "greet_b", "greet_c"}
		if step == 0 {
			plainOnes = names // an annotation changes no answer
			for _, name := range names {
				assert.Equal(t, handle(t, before, callOf(name, `{"name":"Ann"}`)), handle(t, after, callOf(name, `{"name":"Ann"}`)))
			}
		}
		for _, name := range plainOnes {
			for _, arguments := range []string{`{"name":"Ann"}`, `{}`, `{"name":1}`} {
				assert.Equal(t, handle(t, before, callOf(name, arguments)), handle(t, after, callOf(name, arguments)))
			}
		}
		for _, name := range names { // every tool still works
			assert.Equal(t, "hello Ann", sdktest.Parse(t, handle(t, after, callOf(name, `{"name":"Ann"}`))).Result.Content[0].Text)
		}
	}
	last := six(t, 3)
	sdktest.AssertRefused(t, handle(t, last, callOf("greet_wrapped", `{}`)), contract.CodeInvalidInput)
	sdktest.AssertRefused(t, handle(t, last, callOf("greet_typed", `{"name":1}`)), contract.CodeInvalidInput)
	assert.Equal(t, risk.Low, annotated(t, last.GetTool("greet_annotated").Tool).Risk)
}
