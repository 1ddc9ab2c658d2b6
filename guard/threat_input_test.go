package guard_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"context"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// pointers returns the JSON pointers of a result's violations.
func pointers(r *guard.Result) []string {
	var all []string
	for _, v := range r.Outcome.Violations {
		all = append(all, v.Pointer)
	}
	return all
}

func rules(r *guard.Result) []string {
	var all []string
	for _, v := range r.Outcome.Violations {
		all = append(all, v.Rule)
	}
	return all
}

func TestThreat11_InvalidArgumentsAreRefusedWithPointers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ arguments, pointer string }{
		"a missing member":                 {`{"pay":{}}`, "/pay/amount"},
		"a missing object":                 {`{}`, "/pay"},
		"an extra member":                  {`{"pay":{"amount":1},"extra":1}`, "/extra"},
		"an extra member below":            {`{"pay":{"amount":1,"currency":"EUR"}}`, "/pay/currency"},
		"a string for a number":            {`{"pay":{"amount":"1"}}`, "/pay/amount"},
		"an array for an object":           {`{"pay":[1]}`, "/pay"},
		"null for an object":               {`{"pay":null}`, "/pay"},
		"a fraction for an integer":        {`{"pay":{"amount":1.5}}`, "/pay/amount"},
		"a number over the maximum":        {`{"pay":{"amount":101}}`, "/pay/amount"},
		"a number over the integer's kind": {`{"pay":{"amount":9223372036854775808}}`, "/pay/amount"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()})
			r := k.call(alice, "pay.now", c.arguments)
			refused(t, r, contract.CodeInvalidInput, contract.ClassRetryable)
			assert.Contains(t, pointers(r), c.pointer)
			assert.Zero(t, n.runs.Load())
			events := k.events(audit.Terminal)
			require.Len(t, events, 1)
			assert.Equal(t, contract.CodeInvalidInput, events[0].Code)
			assert.Equal(t, audit.Deny, events[0].Decision)
			assert.Equal(t, "validate", events[0].Stage)
			assert.Empty(t, k.log.Events(audit.Intent))
		})
	}
}

func TestThreat11_AllViolationsAreReportedWithoutValues(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()})
	r := k.call(alice, "pay.now", `{"pay":{"amount":"hunter2"},"nоte":"hunter2"}`)
	refused(t, r, contract.CodeInvalidInput, contract.ClassRetryable)
	assert.Len(t, r.Outcome.Violations, 2)
	wire, err := json.Marshal(r)
	require.NoError(t, err)
	assert.NotContains(t, string(wire), "hunter2")
}

func TestThreat12_NamesAreCaseSensitive(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{
		`{"pay":{"amount":10,"AMOUNT":1000000}}`,
		`{"pay":{"AMOUNT":10}}`,
		`{"PAY":{"amount":10}}`,
		`{"pay":{"amount":10},"Pay":{"amount":1000000}}`,
		`{"pay":{"amount":10},"\u017fecret":1}`,
	} {
		n := &counter{}
		r := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}).call(alice, "pay.now", arguments)
		refused(t, r, contract.CodeInvalidInput, contract.ClassRetryable)
		assert.Zero(t, n.runs.Load(), arguments)
	}
}

func TestThreat14_DuplicateNameIsRefusedAtAnyDepth(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{
		`{"pay":{"amount":1,"amount":9}}`,
		`{"pay":{"amount":1},"pay":{"amount":9}}`,
		`{"pay":{"amount":1,"\u0061mount":9}}`,
	} {
		n := &counter{}
		r := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}).call(alice, "pay.now", arguments)
		refused(t, r, contract.CodeInvalidInput, contract.ClassRetryable)
		assert.Equal(t, []string{"json.duplicate"}, rules(r))
		assert.Zero(t, n.runs.Load(), arguments)
	}
}

type bigInput struct {
	ID int64 `json:"id"`
}

func TestThreat16_IntegersArriveExactly(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]int64{
		"9007199254740993":     9007199254740993,
		"-9223372036854775808": -9223372036854775808,
		"9223372036854775807":  9223372036854775807,
		"1.0":                  1,
		"1e2":                  100,
	} {
		t.Run(literal, func(t *testing.T) {
			t.Parallel()
			var got int64
			tool := contract.New("id.take", func(_ context.Context, in bigInput) (bigInput, error) {
				got = in.ID
				return in, nil
			}).Description("Takes.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
			r := newKit(t, []*contract.Tool{tool}).call(alice, "id.take", `{"id":`+literal+`}`)
			require.False(t, r.IsError, r.Text)
			assert.Equal(t, want, got)
			var back bigInput
			require.NoError(t, json.Unmarshal(r.Structured, &back))
			assert.Equal(t, want, back.ID)
		})
	}
}

func TestThreat17_AbsurdNumbersAreRefusedFast(t *testing.T) {
	t.Parallel()
	for name, literal := range map[string]string{
		"a tiny exponent":  "1e-999999999",
		"a huge exponent":  "1e999999999",
		"200,000 digits":   strings.Repeat("9", 200_000),
		"200,000 decimals": "0." + strings.Repeat("1", 200_000),
		"a lone minus":     "-",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()})
			start := time.Now()
			r := k.call(alice, "pay.now", `{"pay":{"amount":`+literal+`}}`)
			assert.Less(t, time.Since(start), time.Minute, "the check takes far less, and parsing the number far more")
			refused(t, r, contract.CodeInvalidInput, contract.ClassRetryable)
			assert.Zero(t, n.runs.Load())
		})
	}
}

type node struct {
	Left  *node  `json:"left,omitempty"`
	Right *node  `json:"right,omitempty"`
	Name  string `json:"name,omitempty" jsonschema:"maxLength=3"`
}

func TestThreat19_RecursionIsBounded(t *testing.T) {
	t.Parallel()
	runs := 0
	tool := contract.New("tree.take", func(context.Context, node) (empty, error) {
		runs++
		return empty{}, nil
	}).Description("Takes a tree.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	deep := strings.Repeat(`{"left":`, 100_000) + `{}` + strings.Repeat(`}`, 100_000)
	r := k.call(alice, "tree.take", deep)
	refused(t, r, contract.CodeInvalidInput, contract.ClassRetryable)
	assert.Equal(t, []string{"json.depth"}, rules(r))
	assert.Zero(t, runs)
	shallow := k.call(alice, "tree.take", `{"left":{"right":{"name":"toolong"}}}`)
	refused(t, shallow, contract.CodeInvalidInput, contract.ClassRetryable)
	assert.Equal(t, []string{"/left/right/name"}, pointers(shallow))

	_, err := contract.New("tree.loop", func(context.Context, map[string]any) (empty, error) { return empty{}, nil }).
		Description("Loops.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).
		InputSchema(json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},` +
			`"$defs":{"n":{"anyOf":[{"type":"string"},{"type":"object","properties":{"x":{"$ref":"#/$defs/n"}}}]}}}`)).
		Build()
	mistakes := contract.DeclarationErrors(err)
	require.Len(t, mistakes, 1)
	assert.Equal(t, "schema.recursion", mistakes[0].Rule)
}

func TestThreat20_NonObjectArgumentsHaveADefinedAnswer(t *testing.T) {
	t.Parallel()
	tool := reader("time.now", func(context.Context) (string, error) { return "noon", nil }).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	for _, absent := range []string{"", "null", "{}", " {} ", " null "} {
		assert.False(t, k.call(alice, "time.now", absent).IsError, "%q", absent)
	}
	for arguments, rule := range map[string]string{
		`[]`:               "schema.type",
		`"x"`:              "schema.type",
		`1`:                "schema.type",
		`true`:             "schema.type",
		"{\"a\":\"\xff\"}": "json.utf8",
		`{"a":"\ud800"}`:   "json.utf8",
		`{`:                "json.syntax",
		`{} {}`:            "json.syntax",
		"\xef\xbb\xbf{}":   "json.syntax",
	} {
		r := k.call(alice, "time.now", arguments)
		refused(t, r, contract.CodeInvalidInput, contract.ClassRetryable)
		assert.Equal(t, []string{rule}, rules(r), "%q", arguments)
	}
}

type pageInput struct {
	Limit int    `json:"limit,omitempty" jsonschema:"default=20,minimum=1"`
	Order string `json:"order,omitempty" jsonschema:"enum=up,enum=down,default=up"`
}

func TestThreat111_AbsentFieldAndItsDefaultAreOneCall(t *testing.T) {
	t.Parallel()
	var seen []pageInput
	tool := contract.New("page.read", func(_ context.Context, in pageInput) (empty, error) {
		seen = append(seen, in)
		return empty{}, nil
	}).Description("Pages.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	for _, arguments := range []string{`{}`, `{"limit":20}`, `{"order":"up","limit":20}`, `{"limit":2e1}`} {
		require.False(t, k.call(alice, "page.read", arguments).IsError)
	}
	require.False(t, k.call(alice, "page.read", `{"limit":21}`).IsError)
	for _, in := range seen[:4] {
		assert.Equal(t, pageInput{Limit: 20, Order: "up"}, in)
	}
	digests := map[string]int{}
	for _, e := range k.events(audit.Terminal) {
		digests[e.ArgumentsDigest]++
	}
	assert.Len(t, digests, 2, "the first four calls are equal")
}

func TestAdmit_BoundsTheSizeOfArguments(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").MaxArgumentBytes(64).MustBuild(), n.payer("pay.later").MustBuild()})
	long := `{"pay":{"amount":10},"note":"` + strings.Repeat("x", 64) + `"}`
	r := k.call(alice, "pay.now", long)
	refused(t, r, contract.CodeInvalidInput, contract.ClassRetryable)
	assert.Equal(t, []string{"size"}, rules(r))
	assert.False(t, k.call(alice, "pay.later", long).IsError)
	huge := `{"pay":{"amount":10},"note":"` + strings.Repeat("x", 4<<20) + `"}`
	refused(t, k.call(alice, "pay.later", huge), contract.CodeInvalidInput, contract.ClassRetryable)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestAdmit_RefusesATask(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()})
	r, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay), Task: true})
	require.NoError(t, err)
	refused(t, r, contract.CodeInvalidInput, contract.ClassRetryable)
	assert.Zero(t, n.runs.Load())
}
