package observe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type bookingInput struct {
	From  time.Time        `json:"from"`
	Wait  time.Duration    `json:"wait,omitempty"`
	Seats int8             `json:"seats" jsonschema:"minimum=1,maximum=9"`
	Names []string         `json:"names" jsonschema:"minItems=1"`
	Price map[string]int64 `json:"price,omitempty"`
	Note  *string          `json:"note"`
	Key   [4]byte          `json:"key"`
}

func TestArgumentsOf_DrawsWhatTheToolReads(t *testing.T) {
	t.Parallel()
	run := func(context.Context, bookingInput) (struct{ ID string }, error) { return struct{ ID string }{}, nil }
	tool, err := contract.New("seats.book",
		run).Description("Books seats.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		Permissions("seats:book").
		DryRun(dryrun.By(func(context.Context, bookingInput) (dryrun.Preview[struct{ ID string }], error) {
			return dryrun.Preview[struct{ ID string }]{}, nil
		})).Build()
	require.NoError(t, err)
	s, err := observe.ArgumentsOf(tool)
	require.NoError(t, err)
	assert.Empty(t, s.Gaps())
	for seed := range uint64(200) {
		v := s.Valid(observe.Random(seed))
		_, accepted := observe.Read(tool, v.JSON)
		require.True(t, accepted, string(v.JSON))
		assert.NotContains(t, v.Tree, "dryRun")
		b := s.Broken(observe.Random(seed))
		_, accepted = observe.Read(tool, b.JSON)
		assert.False(t, accepted, string(b.JSON))
		violations := observe.Violations(tool, b.JSON)
		require.Len(t, violations, 1, string(b.JSON))
		assert.Equal(t, "schema."+b.Keyword, violations[0].Rule)
	}
}

// The ends of a range of durations are drawn as often as the values of a short
// list, and what lies beyond them is drawn as a broken value.
func TestArgumentsOf_CoversTheBoundsOfDurations(t *testing.T) {
	t.Parallel()
	type input struct {
		Wait contract.Duration `json:"wait" jsonschema:"minimum=1m,maximum=2h"`
	}
	tool, err := contract.New("clock.wait", func(context.Context, input) (struct{}, error) { return struct{}{}, nil }).
		Description("Waits.").Version("1.0.0").Effect(risk.ReadOnly).Build()
	require.NoError(t, err)
	s, err := observe.ArgumentsOf(tool)
	require.NoError(t, err)
	assert.Empty(t, s.Gaps())
	drawn, broken := map[string]int{}, map[string]int{}
	for seed := range uint64(400) {
		v := s.Valid(observe.Random(seed))
		_, accepted := observe.Read(tool, v.JSON)
		require.True(t, accepted, string(v.JSON))
		drawn[string(v.JSON)]++
		broken[string(s.Broken(observe.Random(seed)).JSON)]++
	}
	assert.Greater(t, drawn[`{"wait":"PT2H"}`], 20)
	assert.Greater(t, drawn[`{"wait":"PT1M"}`], 2)
	assert.Greater(t, len(drawn), 50)
	assert.Positive(t, broken[`{"wait":"PT59S"}`])
	assert.Positive(t, broken[`{"wait":"PT2H0M1S"}`])
}

type transferInput struct {
	To   string `json:"to" contract:"sensitive"`
	Code struct {
		Pin  string   `json:"pin"`
		Path []string `json:"path"`
	} `json:"code" contract:"secret"`
	Text string `json:"text,omitempty" jsonschema:"default=none"`
}

// transfer returns a tool with functions, and counts in the context key.
func transfer(t *testing.T, seen *[]string) *contract.Tool {
	t.Helper()
	note := func(text string) { *seen = append(*seen, text) }
	tool, err := contract.New("money.send", func(ctx context.Context, in transferInput) (string, error) {
		note(fmt.Sprintf("handler of %v for %s", ctx.Value(mark{}), in.To))
		return "sent", nil
	}).Description("Sends money.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("money:send").
		OtherErrors(contract.ClassRetryable).
		Authorize(func(ctx context.Context, _ contract.Principal, _ transferInput) error {
			note(fmt.Sprintf("authorize of %v", ctx.Value(mark{})))
			return nil
		}).
		Resolve(contract.Least{Risk: risk.Medium},
			func(transferInput) contract.Resolution { return contract.Resolution{Risk: risk.Medium} }).
		Build()
	require.NoError(t, err)
	return tool
}

type mark struct{}

const sending = `{"to":"ben@example.org","code":{"pin":"7411","path":["a"]}}`

func TestObserved_RunsTheFunctionsThroughThoseOfTheObserver(t *testing.T) {
	t.Parallel()
	var seen []string
	tool := transfer(t, &seen)
	var resolved []contract.Resolution
	observed := observe.Observed(tool, observe.Observer{
		Handler: func(ctx context.Context, run func(context.Context) (any, error)) (any, error) {
			return run(context.WithValue(ctx, mark{}, "one"))
		},
		Authorize: func(ctx context.Context, run func(context.Context) error) error {
			return run(context.WithValue(ctx, mark{}, "two"))
		},
		Resolved: func(r contract.Resolution) { resolved = append(resolved, r) },
	})
	assert.Equal(t, tool.Digest(), observed.Digest())
	call := func(tool *contract.Tool) *contracttest.Result {
		t.Helper()
		c := contracttest.NewClient(t, []*contract.Tool{tool})
		return c.As(contract.Principal{Subject: "anna", Permissions: []string{"money:send"}}).
			Call("money.send", json.RawMessage(sending))
	}
	assert.Equal(t, "sent", call(observed).Text)
	assert.Equal(t, []string{"authorize of two", "handler of one for ben@example.org"}, seen)
	assert.Contains(t, resolved, contract.Resolution{Risk: risk.Medium})

	seen, resolved = nil, nil
	assert.Equal(t, "sent", call(tool).Text, "the tool itself is as before")
	assert.Equal(t, []string{"authorize of <nil>", "handler of <nil> for ben@example.org"}, seen)
	assert.Empty(t, resolved)

	assert.Equal(t, "sent", call(observe.Observed(tool, observe.Observer{})).Text, "nothing observes it")

	refusing := observe.Observer{Handler: func(context.Context, func(context.Context) (any, error)) (any, error) {
		return nil, errors.New("not now")
	}}
	assert.True(t, call(observe.Observed(tool, refusing)).IsError)
}

func TestFactsOf(t *testing.T) {
	t.Parallel()
	facts := observe.FactsOf(transfer(t, new([]string)))
	assert.True(t, facts.Resolves)
	assert.Equal(t, contract.CodeToolRetry, facts.OtherErrors)
	assert.Empty(t, facts.Tagged)
	type tagged struct {
		_ contract.Tags `effect:"read-only" name:"notes.list" version:"1.0.0" description:"Lists." trust:"trusted" permissions:"notes:read"`
	}
	tool, err := contract.New("", func(context.Context, tagged) (string, error) { return "", nil }).Build()
	require.NoError(t, err)
	assert.Contains(t, observe.FactsOf(tool).Tagged, "effect")
	assert.False(t, observe.FactsOf(tool).Resolves)
}

func TestRead_CompletesAndRefusesAsACallDoes(t *testing.T) {
	t.Parallel()
	tool := transfer(t, new([]string))
	canonical, accepted := observe.Read(tool, json.RawMessage(sending))
	assert.True(t, accepted)
	assert.JSONEq(t, `{"code":{"path":["a"],"pin":"7411"},"text":"none","to":"ben@example.org"}`, string(canonical))
	_, accepted = observe.Read(tool, json.RawMessage(`{"to":7}`))
	assert.False(t, accepted)
}

func TestProtectedIn_FindsValuesWithinProtectedFields(t *testing.T) {
	t.Parallel()
	schema := transfer(t, new([]string)).Document().InputSchema
	assert.Equal(t, []observe.Protected{
		{Pointer: "/code/path/0", Value: "a", Secret: true}, {Pointer: "/code/pin", Value: "7411", Secret: true},
		{Pointer: "/to", Value: "ben@example.org"},
	}, observe.ProtectedIn(schema, json.RawMessage(sending)))
	assert.Empty(t, observe.ProtectedIn(schema, json.RawMessage(`{`)))
}

func TestParseAndMarshal_KeepTheDigitsOfIntegers(t *testing.T) {
	t.Parallel()
	tree, err := observe.Parse(json.RawMessage(`{"b":18446744073709551615,"a":[1.0,0.5]}`))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"a": []any{int64(1), 0.5}, "b": uint64(math.MaxUint64)}, tree)
	raw, err := observe.Marshal(tree)
	require.NoError(t, err)
	assert.Equal(t, `{"a":[1,0.5],"b":18446744073709551615}`, string(raw))
	_, err = observe.Parse(json.RawMessage(`{"a":1,"a":2}`))
	require.Error(t, err)
}
