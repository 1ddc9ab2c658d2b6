package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A booker is a handler of three rounds: it asks for the city, then for the
// day, and then books. It carries the city in its state.
type booker struct {
	rounds, booked atomic.Int64
}

func textForm(name string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: "Which " + name + "?", RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{name: map[string]any{"type": "string"}}, "required": []string{name},
	}}
}

func answerIn(req mcp.CallToolRequest, key string) string {
	if r := server.ElicitationResponse(req.Params.InputResponses, key); r != nil && r.Action == mcp.ElicitationResponseActionAccept {
		content, _ := r.Content.(map[string]any)
		text, _ := content[key].(string)
		return text
	}
	return ""
}

func (b *booker) handle(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	b.rounds.Add(1)
	city, day := answerIn(req, "city"), answerIn(req, "day")
	switch state := req.Params.RequestState; {
	case city != "":
		return server.NewInputRequestBuilder("secret city "+city).Elicit("day", textForm("day")).ToolResult(), nil
	case day != "":
		b.booked.Add(1)
		return mcp.NewToolResultText("booked" + strings.TrimPrefix(state, "secret city") + " " + day), nil
	}
	return server.NewInputRequestBuilder("secret start").Elicit("city", textForm("city")).ToolResult(), nil
}

func (b *booker) tool(opts ...wrap.Option) *wrap.Builder {
	return mcpgo.Wrap(plain("book", mcp.WithString("for")), b.handle, opts...).
		Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write")
}

// A traveller answers the questions of a booker and of the guard, and records
// them in their order.
type traveller struct {
	asked    []string
	answered func(name string) // nil: nothing happens
}

func (p *traveller) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	schema, err := json.Marshal(r.Params.RequestedSchema)
	if err != nil {
		return nil, err
	}
	answers := map[string]any{"city": "Rome", "day": "Monday", people.ConfirmKey: true}
	for name, value := range answers {
		if strings.Contains(string(schema), `"`+name+`"`) {
			p.asked = append(p.asked, name)
			if p.answered != nil {
				p.answered(name)
			}
			return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: "accept",
				Content: map[string]any{name: value}}}, nil
		}
	}
	return nil, fmt.Errorf("unknown form %s", schema)
}

// connectTraveller connects a client that can be asked.
func (k *kit) connectTraveller(e era, p *traveller) *client.Client {
	k.t.Helper()
	over, err := transport.NewStreamableHTTP(k.url, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer alice"}))
	require.NoError(k.t, err)
	return connect(k.t, over, e, client.WithElicitationHandler(p))
}

// book sends a call in the modern era, as a client that takes forms.
func book(t *testing.T, ctx context.Context, s *server.MCPServer, tool, params string) string {
	t.Helper()
	return handleAs(t, ctx, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`",`+params+`,
		"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},
		"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`)
}

type asks struct {
	Result struct {
		ResultType    string
		RequestState  string
		InputRequests map[string]any
		Content       []struct{ Text string }
	}
}

const inRome = `"inputResponses":{"city":{"action":"accept","content":{"city":"Rome"}},"day":{"action":"accept",` +
	`"content":{"day":"never"}}}`

func withState(arguments, state string) string {
	return `"arguments":` + arguments + `,"requestState":"` + state + `",` + inRome
}

type callerKey struct{}

func asCaller(t *testing.T, subject string) context.Context {
	return context.WithValue(t.Context(), callerKey{}, subject)
}

// roundsServer serves the tools for the caller that the context names.
func roundsServer(t *testing.T, tools ...*contract.Tool) *server.MCPServer {
	t.Helper()
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}),
		guard.WithPrincipal(guard.PrincipalFunc(func(ctx context.Context) (guard.Principal, error) {
			subject, _ := ctx.Value(callerKey{}).(string)
			return guard.Principal{Issuer: "test", Subject: subject, Permissions: []string{"notes:write"}}, nil
		})))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	s, err := mcpgo.NewServer("s", "1", g, mcpgo.WithTools(tools...))
	require.NoError(t, err)
	return s
}

// A client can neither read nor forge the state of a handler, nor use it for
// another call.
func TestThreat136_TheStateOfAHandlerCountsOnceForItsCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &booker{}
		other := mcpgo.Wrap(plain("other", mcp.WithString("for")), b.handle, wrap.WithRounds(2)).
			Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").MustBuild()
		s := roundsServer(t, b.tool(wrap.WithRounds(2)).MustBuild(), other)
		ann := asCaller(t, "ann")
		start := func() string {
			var a asks
			sdktest.Unmarshal(t, book(t, ann, s, "book", `"arguments":{"for":"Ann"}`), &a)
			require.Equal(t, "input_required", a.Result.ResultType)
			require.Contains(t, a.Result.InputRequests, "city")
			require.NotContains(t, a.Result.RequestState, "secret")
			return a.Result.RequestState
		}
		rejected := func(why, raw string) {
			a := sdktest.Parse(t, raw)
			require.NotNil(t, a.Error, "%s: %s", why, raw)
			assert.NotContains(t, raw, "secret", why)
		}
		state := start()
		before := b.rounds.Load()
		rejected("another principal", book(t, asCaller(t, "bob"), s, "book", withState(`{"for":"Ann"}`, state)))
		rejected("another tool", book(t, ann, s, "other", withState(`{"for":"Ann"}`, state)))
		rejected("other arguments", book(t, ann, s, "book", withState(`{"for":"Bob"}`, state)))
		rejected("a forged state", book(t, ann, s, "book", withState(`{"for":"Ann"}`, "secret city Rome")))
		altered, middle := []byte(state), len(state)/2
		altered[middle] = 'A'
		if state[middle] == 'A' {
			altered[middle] = 'B'
		}
		rejected("an altered state", book(t, ann, s, "book", withState(`{"for":"Ann"}`, string(altered))))
		rejected("another server", book(t, ann, roundsServer(t, b.tool(wrap.WithRounds(2)).MustBuild()), "book",
			withState(`{"for":"Ann"}`, state)))
		assert.Equal(t, before, b.rounds.Load(), "the handler did not run")

		var next asks
		sdktest.Unmarshal(t, book(t, ann, s, "book", withState(`{"for":"Ann"}`, state)), &next)
		assert.Contains(t, next.Result.InputRequests, "day", "only the answer to the asked question reached the handler")
		sdktest.AssertRefused(t, book(t, ann, s, "book", withState(`{"for":"Ann"}`, state)), contract.CodeInvalidInput)

		expired := start()
		time.Sleep(10 * time.Minute)
		rejected("an expired state", book(t, ann, s, "book", withState(`{"for":"Ann"}`, expired)))
		rejected("an expired later round", book(t, ann, s, "book", withState(`{"for":"Ann"}`, next.Result.RequestState)))
		assert.Zero(t, b.booked.Load())
	})
}

// Responses without the state of their requests do not reach the handler.
func TestThreat137_ResponsesWithoutTheirStateDoNotReachTheHandler(t *testing.T) {
	t.Parallel()
	b := &booker{}
	s := roundsServer(t, b.tool(wrap.WithRounds(2)).MustBuild())
	var a asks
	sdktest.Unmarshal(t, book(t, asCaller(t, "ann"), s, "book", `"arguments":{},`+inRome), &a)
	assert.Contains(t, a.Result.InputRequests, "city", "the handler began at the start")
	assert.Zero(t, b.booked.Load())

	// The state of the guard's question does not stand for one of the handler.
	b = &booker{}
	s = roundsServer(t, b.tool(wrap.WithRounds(2)).ConfirmAlways().MustBuild())
	sdktest.Unmarshal(t, book(t, asCaller(t, "ann"), s, "book", `"arguments":{}`), &a)
	require.NotEmpty(t, a.Result.RequestState)
	raw := book(t, asCaller(t, "ann"), s, "book", withState(`{}`, a.Result.RequestState))
	assert.Zero(t, b.rounds.Load(), "no person has approved the call: %s", raw)
}

// A person's approval begins the rounds of one call. A client that sends the
// approval again makes the guard ask again.
func TestThreat136_OneApprovalIsOneCallOfSeveralRounds(t *testing.T) {
	t.Parallel()
	b := &booker{}
	s := roundsServer(t, b.tool(wrap.WithRounds(2)).ConfirmAlways().MustBuild())
	ann := asCaller(t, "ann")
	const approved = `"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}}`
	ask := func(params string) (a asks) {
		sdktest.Unmarshal(t, book(t, ann, s, "book", params), &a)
		return a
	}
	question := ask(`"arguments":{}`).Result
	require.Contains(t, question.InputRequests, people.ConfirmKey)
	answer := `"arguments":{},"requestState":"` + question.RequestState + `",` + approved
	city := ask(answer).Result
	require.Contains(t, city.InputRequests, "city")
	assert.Contains(t, ask(answer).Result.InputRequests, people.ConfirmKey, "the approval is spent")
	assert.EqualValues(t, 1, b.rounds.Load())

	day := ask(withState(`{}`, city.RequestState)).Result
	require.Contains(t, day.InputRequests, "day")
	end := withState(`{}`, day.RequestState)
	assert.Equal(t, "booked Rome never", firstText(t, book(t, ann, s, "book", end)))
	assert.Equal(t, contract.StatusReplayed, sdktest.Outcome(t, book(t, ann, s, "book", end)).Status, "the answer was lost")
	assert.EqualValues(t, 1, b.booked.Load())
}
