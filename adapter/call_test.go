package adapter_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestCall_DropsReservedKeysOfTheHandler(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, adapter.Config{Tools: all()})
	answer := call(t.Context(), t, table, "notes_find", `{}`)
	assert.EqualValues(t, 1, answer.Meta["example.com/shown"])
	assert.Equal(t, *answer.Outcome, answer.Meta[contract.MetaKeyOutcome])
	assert.Len(t, answer.Meta, 2)
}

func TestCall_NamesToolsAsTheyAreListed(t *testing.T) {
	t.Parallel()
	deprecated := contract.New("notes.old", func(context.Context, empty) (string, error) { return "", nil }).
		Description("Is old.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).
		Deprecated(contract.Deprecation{Since: "1.0.0", ReplacedBy: "notes.find", Note: "Call notes.find."}).MustBuild()
	twice := contract.New("notes.own", func(context.Context, empty) (string, error) { return "", nil }).
		Description("Can be called in both forms.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Aliases(
		"notes.own").MustBuild()
	table, _ := newTable(t, adapter.Config{Tools: append(all(), deprecated, twice)})
	assert.Equal(t, "notes_own", call(t.Context(), t, table, "notes.own", `{}`).Outcome.UseName)
	answer := call(as(t, "alice"), t, table, "notes.add", `{"text":"a"}`)
	assert.Equal(t, "notes_write", answer.Outcome.UseName)
	assert.Empty(t, call(as(t, "alice"), t, table, "notes_write", `{"text":"a"}`).Outcome.UseName)
	notice := call(t.Context(), t, table, "notes_old", `{}`).Outcome.Deprecated
	require.NotNil(t, notice)
	assert.Equal(t, "notes_find", notice.ReplacedBy)
	assert.Equal(t, "Call notes_find.", notice.Note)
}

func TestCall_ChallengesForATokenThatWouldHelp(t *testing.T) {
	t.Parallel()
	metadata := "https://notes.example/.well-known/oauth-protected-resource/mcp"
	table, _ := newTable(t, adapter.Config{Tools: all(), ResourceMetadata: &metadata})
	answer := call(as(t, "bob"), t, table, "notes_write", `{"text":"a"}`)
	assert.Equal(t, contract.CodePermissionDenied, answer.Outcome.Code)
	assert.Equal(t, []string{`Bearer error="insufficient_scope", error_description="The tool needs more scopes", ` +
		`scope="notes:write", resource_metadata="` + metadata + `"`}, answer.Meta["mcp/www_authenticate"])
	plain, _ := newTable(t, adapter.Config{Tools: all()})
	assert.NotContains(t, call(as(t, "bob"), t, plain, "notes_write", `{"text":"a"}`).Meta, "mcp/www_authenticate")
}

func TestCall_TakesTheKeyFromMeta(t *testing.T) {
	t.Parallel()
	runs := 0
	tool := contract.New("notes.put", func(context.Context, noteIn) (string, error) { runs++; return "put", nil }).
		Description("Puts a note.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").
		Idempotency(contract.Idempotency{Mode: idempotency.Keyed, ClientKey: true}).MustBuild()
	table, _ := newTable(t, adapter.Config{Tools: []*contract.Tool{tool}})
	status := func(key any) contract.Outcome {
		return *send(as(t, "alice"), t, table, "notes_put", adapter.Request{
			Arguments: json.RawMessage(`{"text":"a"}`), Meta: map[string]any{contract.MetaKeyIdempotencyKey: key},
		}).Outcome
	}
	assert.Equal(t, contract.StatusOK, status("one").Status)
	assert.Equal(t, contract.StatusReplayed, status("one").Status)
	assert.Equal(t, contract.CodeInvalidInput, status(7).Code, "a key that is not a string is never valid")
	assert.Equal(t, 1, runs)
}

func TestCall_ReturnsAnErrorOnlyForWhatIsNoResult(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, adapter.Config{Tools: append(all(), asking())})
	without, err := table.With()
	require.NoError(t, err)
	assert.Equal(t, names(table.Entries()), names(without.Entries()))
	_, err = table.Call(as(t, "alice"), table.Entry("notes_drop"), adapter.Request{
		Arguments: json.RawMessage(`{"text":"a"}`), Client: adapter.Client{State: "forged", Modern: true, Capabilities: forms},
	})
	assert.ErrorIs(t, err, exchange.ErrRejectedState)
	task := send(t.Context(), t, table, "notes_find", adapter.Request{Task: true})
	assert.True(t, task.IsError)
	task = send(t.Context(), t, table, "notes_find", adapter.Request{Task: true, Client: adapter.Client{Modern: true}})
	assert.False(t, task.IsError)

	// The tool of an entry can become forbidden while a call is on its way.
	later, err := table.With(find().Risk(risk.Forbidden).Permissions("notes:read").MustBuild())
	require.NoError(t, err)
	assert.Nil(t, later.Entry("notes_find"))
	_, err = later.Call(t.Context(), table.Entry("notes_find"), adapter.Request{})
	assert.ErrorIs(t, err, guard.ErrUnknownTool)
}

func TestAnswer_IsTheResultOfTheProtocol(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(&adapter.CallResult{})
	require.NoError(t, err)
	assert.Equal(t, `{"content":[]}`, string(raw), "content is never null")
	raw, err = json.Marshal(&adapter.CallResult{
		Content:    []contract.Content{contract.TextContent{Text: "{}"}},
		Structured: json.RawMessage(`{}`), IsError: true, Meta: map[string]any{"a": 1}, ResultType: "complete",
	})
	require.NoError(t, err)
	assert.Equal(t, `{"_meta":{"a":1},"content":[{"type":"text","text":"{}"}],"isError":true,"resultType":"complete",`+
		`"structuredContent":{}}`, string(raw))
}

// asking is a tool that asks a person before each call.
func asking() *contract.Tool {
	return contract.New("notes.drop", func(context.Context, noteIn) (string, error) { return "dropped", nil }).
		Description("Drops a note.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").
		ConfirmAlways().MustBuild()
}

var (
	forms = adapter.Capabilities{Elicitation: &adapter.ElicitationCapability{}}
	urls  = adapter.Capabilities{Elicitation: &adapter.ElicitationCapability{URL: &struct{}{}}}
)

func TestCall_AsksAModernClientWithItsResult(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, adapter.Config{Tools: []*contract.Tool{asking()}})
	request := adapter.Request{Arguments: json.RawMessage(`{"text":"a"}`), Client: adapter.Client{Capabilities: forms, Modern: true}}
	question := send(as(t, "alice"), t, table, "notes_drop", request)
	assert.Equal(t, "input_required", question.ResultType)
	assert.Empty(t, question.Content)
	assert.False(t, question.IsError)
	var requests map[string]struct {
		Method string
		Params adapter.Elicitation
	}
	require.NoError(t, json.Unmarshal(question.Requests, &requests))
	require.Len(t, requests, 1)
	request.Client.State, request.Client.Answers = question.State, map[string]json.RawMessage{}
	for key, r := range requests {
		assert.Equal(t, "elicitation/create", r.Method)
		assert.Equal(t, "form", r.Params.Mode)
		assert.NotEmpty(t, r.Params.RequestedSchema)
		request.Client.Answers[key] = json.RawMessage(`{"action":"accept","content":{"` + people.ConfirmKey + `":true}}`)
	}
	answer := send(as(t, "alice"), t, table, "notes_drop", request)
	assert.Equal(t, contract.StatusOK, answer.Outcome.Status)
	assert.Equal(t, "complete", answer.ResultType)
}

func TestCall_AsksAnOlderClientWithinTheCall(t *testing.T) {
	t.Parallel()
	table, log := newTable(t, adapter.Config{Tools: []*contract.Tool{asking()}})
	var asked []adapter.Elicitation
	older := adapter.Client{Capabilities: forms, Session: "s", Ask: func(_ context.Context, e adapter.Elicitation) (json.RawMessage,
		error) {
		asked = append(asked, e)
		return json.RawMessage(`{"action":"decline"}`), nil
	}}
	answer := send(as(t, "alice"), t, table, "notes_drop", adapter.Request{Arguments: json.RawMessage(`{"text":"a"}`),
		Client: older})
	assert.Equal(t, contract.CodeConfirmationDeclined, answer.Outcome.Code)
	assert.Empty(t, answer.ResultType, "older clients do not know resultType")
	require.Len(t, asked, 1)
	assert.Equal(t, "form", asked[0].Mode)

	// A client that only opens addresses, or has no elicitation, is not asked.
	for name, c := range map[string]adapter.Client{
		"only addresses":  {Capabilities: urls, Ask: older.Ask},
		"no elicitation":  {Ask: older.Ask},
		"no way to it":    {Capabilities: forms},
		"modern, without": {Modern: true, Ask: older.Ask},
	} {
		answer := send(as(t, "alice"), t, table, "notes_drop", adapter.Request{Arguments: json.RawMessage(`{"text":"` + name + `"}`),
			Client: c})
		assert.Equal(t, contract.CodeConfirmationRequired, answer.Outcome.Code, name)
	}
	assert.Len(t, asked, 1)
	require.NoError(t, table.Guard().Close(t.Context()))
	assert.NotEmpty(t, log.Events(audit.Terminal))
}
