package gosdk_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// wordTool returns a typed tool that answers with a word. Equal names have
// equal contracts.
func wordTool(name, word string) *contract.Builder[empty, string] {
	return contract.New(name, func(context.Context, empty) (string, error) { return word, nil }).
		Description("Returns a word.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

// firstText returns the first text of an answer.
func firstText(t *testing.T, raw string) string {
	t.Helper()
	a := sdktest.Parse(t, raw)
	require.NotNil(t, a.Result, "no result: %s", raw)
	require.NotEmpty(t, a.Result.Content)
	return a.Result.Content[0].Text
}

// A typed handler stays registered, and the guard decides before middleware
// that was added earlier.
func TestWrapAll_EarlierMiddlewareSeesWhatTheGuardLetsPass(t *testing.T) {
	t.Parallel()
	s := orders()
	var seen []string
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r, ok := req.(*mcp.CallToolRequest); ok {
				assert.NotNil(t, r.Session)
				seen = append(seen, r.Params.Name+string(r.Params.Arguments))
			}
			return next(ctx, method, req)
		}
	})
	k := newKitOf(t, s)
	_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: versioned()})
	require.NoError(t, err)
	require.NoError(t, gosdk.Verify(s))
	sdktest.EachEra(t, func(t *testing.T, e era) {
		raw := k.call(e, "alice", "find_order", `{"id":"1"}`)
		assert.JSONEq(t, `{"id":"1","state":"open"}`, string(sdktest.Parse(t, raw).Result.StructuredContent))
		sdktest.AssertRefused(t, k.call(e, "alice", "find_order", `{}`), contract.CodeInvalidInput)
		sdktest.AssertRefused(t, k.call(e, "bob", "find_order", `{"id":"1"}`), contract.CodePermissionDenied)
	})
	assert.Equal(t, []string{`find_order{"id":"1"}`, `find_order{"id":"1"}`}, seen)
}

// A countedSchema counts how often it is marshaled.
type countedSchema struct{ written int }

func (s *countedSchema) MarshalJSON() ([]byte, error) {
	s.written++
	return []byte(`{"type":"object"}`), nil
}

// The schemas of typed tools are slow to marshal.
func TestWrapAll_WritesTheSchemasOfAToolSeldom(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	in, out := &countedSchema{}, &countedSchema{}
	s.AddTool(&mcp.Tool{
		Name: "find_order", Description: "Shows an order.", InputSchema: in, OutputSchema: out,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, nil)
	in.written, out.written = 0, 0
	_, err := gosdk.WrapAll(s, newKitOf(t, s).guard, wrap.Rules{Base: versioned()})
	require.NoError(t, err)
	assert.LessOrEqual(t, in.written, 2, "for the contract, and for x-mcp-header")
	assert.LessOrEqual(t, out.written, 1)
}

// An adopted tool asks a person in each era, and its question goes through the
// SDK's own multi round trip.
func TestWrapAll_AsksBeforeAnAdoptedTool(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		s := orders()
		k := newKitOf(t, s)
		_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: versioned(),
			Tools: map[string]wrap.Rule{"drop_orders": {Base: contract.Base{
				Confirmation: contract.ConfirmationAlways,
			}}}})
		require.NoError(t, err)
		for answer, status := range map[*mcp.ElicitResult]contract.Status{&declines: contract.StatusError,
			&approves: contract.StatusOK} {
			p := &person{answer: *answer}
			r, err := callTool(t.Context(), k.clientOf(e, "alice", p), "drop_orders", map[string]any{"n": answer.Action})
			require.NoError(t, err)
			assert.Equal(t, status, outcomeOf(t, r).Status)
			assert.EqualValues(t, 1, p.asked.Load())
		}
	})
}

// No hint tells whether a change can be undone.
func TestWrapAll_AGuessedSideEffectIsAskedAsAGuess(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		s := orders()
		k := newKitOf(t, s)
		_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: versioned()})
		require.NoError(t, err)
		p := &person{answer: declines}
		_, err = callTool(t.Context(), k.clientOf(e, "alice", p), "cancel_order", nil)
		require.NoError(t, err)
		require.NotNil(t, p.last.Load())
		assert.Contains(t, p.last.Load().Message, "- Guessed from the tool's hints, not declared: "+
			"it adds or changes data, also outside the system (outside this system; can be undone)")
	})
}
