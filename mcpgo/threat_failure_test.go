package mcpgo_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// creator returns the builder of a managed write that was written for mcp-go.
func creator(handler server.ToolHandlerFunc, i contract.Idempotency) *wrappedBuilder {
	tool := plain("create", mcp.WithString("name", mcp.Required()), mcp.WithString("color"))
	i.Mode = idempotency.Managed
	return wrapTool(tool, handler).Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").Idempotency(i)
}

// keyed calls the tool "create" with an idempotency key, and returns its code
// and the status of its outcome.
func keyed(t *testing.T, c *client.Client, arguments map[string]any) (string, contract.Status) {
	t.Helper()
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "create", Arguments: arguments}}
	request.Params.Meta = &mcp.Meta{AdditionalFields: map[string]any{contract.MetaKeyIdempotencyKey: "k1"}}
	result, err := c.CallTool(t.Context(), request)
	require.NoError(t, err)
	o := outcomeOf(t, result)
	return o.Code, o.Status
}

func TestThreat131_FailedWrappedCallDoesNotHoldItsKey(t *testing.T) {
	t.Parallel()
	for name, i := range map[string]contract.Idempotency{
		"by the client's key": {ClientKey: true},
		"by a field":          {KeyFields: []string{"name"}},
	} {
		for class, code := range map[contract.Class]string{
			0: contract.CodeToolRetry, contract.ClassFatal: contract.CodeToolFatal,
		} {
			t.Run(name+", "+code, func(t *testing.T) {
				t.Parallel()
				var runs atomic.Int64
				b := creator(func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					runs.Add(1)
					if r.GetString("color", "") != "red" {
						return mcp.NewToolResultError("no such color"), nil
					}
					return mcp.NewToolResultText("created"), nil
				}, i)
				if class != 0 {
					b.OtherErrors(class)
				}
				k := newKit(t, []*contract.Tool{b.MustBuild()})
				c := k.client(modern, "alice")
				for n, wrong := range []string{"blu", "gren"} {
					got, _ := keyed(t, c, map[string]any{"name": "n", "color": wrong})
					assert.Equal(t, code, got)
					assert.EqualValues(t, n+1, runs.Load())
				}
				for _, again := range []string{"blu", "gren", "blu"} { // its effects are not known
					got, _ := keyed(t, c, map[string]any{"name": "n", "color": again})
					assert.Equal(t, contract.CodeOutcomeUnknown, got)
				}
				_, status := keyed(t, c, map[string]any{"name": "n", "color": "red"})
				assert.Equal(t, contract.StatusOK, status)
				_, status = keyed(t, c, map[string]any{"name": "n", "color": "red"})
				assert.Equal(t, contract.StatusReplayed, status)
				got, _ := keyed(t, c, map[string]any{"name": "n", "color": "black"})
				assert.Equal(t, contract.CodeKeyConflict, got, "a success holds the key")
				assert.EqualValues(t, 3, runs.Load())
			})
		}
	}
}

// An end that is not the handler's own report of a failure holds the key.
func TestThreat131_UnknownOutcomeHoldsItsKey(t *testing.T) {
	t.Parallel()
	lost := contract.Retryable("lost", "The connection was lost.").EffectPossible()
	for name, end := range map[string]func() (*mcp.CallToolResult, error){
		"an error":                         func() (*mcp.CallToolResult, error) { return nil, errors.New("connection reset") },
		"a panic":                          func() (*mcp.CallToolResult, error) { panic("at the disco") },
		"no result":                        func() (*mcp.CallToolResult, error) { return nil, nil },
		"a failure with a possible effect": func() (*mcp.CallToolResult, error) { return nil, lost },
		"a result that breaks the contract": func() (*mcp.CallToolResult,
			error) {
			return &mcp.CallToolResult{Content: []mcp.Content{nil}}, nil
		},
		"an error result that maps to effect": func() (*mcp.CallToolResult, error) { return mcp.NewToolResultError("lost"), nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var runs atomic.Int64
			tool := plain("create", mcp.WithString("name", mcp.Required()), mcp.WithString("color"))
			b := mcpgo.Wrap(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				runs.Add(1)
				return end()
			}, mcpgo.WithErrorMapper(func(mcp.CallToolRequest, *mcp.CallToolResult) error { return lost })).
				Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").
				Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}).Failures(lost)
			k := newKit(t, []*contract.Tool{b.MustBuild()})
			c := k.client(modern, "alice")
			keyed(t, c, map[string]any{"name": "n", "color": "blu"})
			got, _ := keyed(t, c, map[string]any{"name": "n", "color": "red"})
			assert.Equal(t, contract.CodeKeyConflict, got)
			assert.EqualValues(t, 1, runs.Load())
		})
	}
}
