package contract_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
)

func TestDecode_BindsWhatItHasValidated(t *testing.T) {
	t.Parallel()
	type input struct {
		Text  string `json:"text,omitempty" jsonschema:"default=none,maxLength=5"`
		Count int64  `json:"count,omitempty"`
	}
	tool := open(t, readingOf[input]())
	for _, c := range []struct {
		name, raw, canonical string
		want                 input
	}{
		{"no arguments are none given", ``, `{"text":"none"}`, input{Text: "none"}},
		{"null is none given", `null`, `{"text":"none"}`, input{Text: "none"}},
		{"null beside white space", "\t null\r\n", `{"text":"none"}`, input{Text: "none"}},
		{"an empty object is none given", ` { } `, `{"text":"none"}`, input{Text: "none"}},
		{"a default given is the same call", `{"text":"none"}`, `{"text":"none"}`, input{Text: "none"}},
		{"a large integer is exact", `{"count":9007199254740993,"text":"a"}`, `{"count":9007199254740993,"text":"a"}`,
			input{"a", 9007199254740993}},
		{"a whole number is an integer", `{"text":"a","count":1.0}`, `{"count":1,"text":"a"}`, input{"a", 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var raw []byte
			if c.raw != "" {
				raw = []byte(c.raw)
			}
			args, violations := tool.Decode(raw)
			require.Empty(t, violations)
			assert.Equal(t, c.want, inputOf(args))
			assert.Equal(t, c.canonical, string(args.Canonical))
		})
	}
	for _, c := range []struct{ name, raw, rule, pointer string }{
		{"an array is not an object", `[]`, "schema.type", ""},
		{"a text is not an object", `"x"`, "schema.type", ""},
		{"an unknown member", `{"txet":"a"}`, "schema.additionalProperties", "/txet"},
		{"a member in another case", `{"TEXT":"a"}`, "schema.additionalProperties", "/TEXT"},
		{"a wrong type", `{"text":1}`, "schema.type", "/text"},
		{"a text too long", `{"text":"abcdef"}`, "schema.maxLength", "/text"},
		{"a fraction", `{"count":1.5}`, "schema.type", "/count"},
		{"a name twice", `{"text":"a","text":"b"}`, "json.duplicate", "/text"},
		{"two values", `{}{}`, "json.syntax", ""},
		{"only white space", ` `, "json.syntax", ""},
		{"only white space beside null", "\u00a0null", "json.syntax", ""},
		{"half a value", `{"text":`, "json.syntax", ""},
	} {
		t.Run(c.name+" is a violation", func(t *testing.T) {
			t.Parallel()
			args, violations := tool.Decode([]byte(c.raw))
			require.Len(t, violations, 1)
			assert.Nil(t, args)
			assert.Equal(t, c.rule, violations[0].Rule)
			if c.pointer != "" {
				assert.Equal(t, c.pointer, violations[0].Pointer)
			}
			assert.NotEmpty(t, violations[0].Message)
		})
	}
}

func TestDecode_KeepsEveryIntegerOfAnAny(t *testing.T) {
	t.Parallel()
	type input struct {
		Any any             `json:"any"`
		Map map[string]any  `json:"map"`
		Raw json.RawMessage `json:"raw"`
	}
	args, violations := open(t, readingOf[input]()).Decode([]byte(`{"any":9007199254740993,"map":{"n":[18446744073709551615,0.5]},` +
		`"raw":{"b":9007199254740993,"a":1.0}}`))
	require.Empty(t, violations)
	assert.Equal(t, input{
		Any: int64(9007199254740993),
		Map: map[string]any{"n": []any{uint64(math.MaxUint64), 0.5}},
		Raw: json.RawMessage(`{"a":1,"b":9007199254740993}`),
	}, inputOf(args))

	args, violations = open(t, readingOf[map[string]any]()).Decode([]byte(`{"n":9007199254740993}`))
	require.Empty(t, violations)
	assert.Equal(t, map[string]any{"n": int64(9007199254740993)}, inputOf(args))
}

func TestThreat17_OneHostileRequestCostsNoMoreThanItsSize(t *testing.T) {
	type input struct {
		M map[string][]int `json:"m"`
	}
	tool := open(t, readingOf[input]())
	wrong := "[" + strings.Repeat(`"",`, 98_999) + `""]`
	for name, c := range map[string]struct {
		raw        string
		rule       string
		violations int
	}{
		"below a name of 3 MiB": {`{"m":{"` + strings.Repeat("k", 3<<20) + `":` + wrong + `}}`, "json.name", 1},
		"below a name of 1 KiB": {`{"m":{"` + strings.Repeat("k", 1<<10) + `":` + wrong + `}}`, "schema.type", 21},
	} {
		raw := []byte(c.raw)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, violations := tool.Decode(raw)
		runtime.ReadMemStats(&after)
		require.Len(t, violations, c.violations, name)
		assert.Equal(t, c.rule, violations[0].Rule, name)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20), name)
	}
}

func TestEncode_LeavesTheNumberOfValuesToTheSize(t *testing.T) {
	t.Parallel()
	type output struct {
		List []int `json:"list"`
	}
	values := func(n int) output { return output{make([]int, n)} }
	for _, c := range []struct {
		name  string
		tool  buildable
		n     int
		fails bool
	}{
		{"as many as fit into the default size", returning[output](), 1<<20/2 - 20, false},
		{"more than fit into the default size", returning[output](), 1<<20/2 + 20, true},
		{"as many as fit into a larger size", returning[output]().MaxResultBytes(2 << 20), 1<<20 - 20, false},
		{"some that would not fit into a small size, which the guard reports", returning[output]().MaxResultBytes(1), 50_000, false},
	} {
		raw, tree, err := open(t, c.tool).Encode(values(c.n))
		if c.fails {
			require.Error(t, err, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		assert.Len(t, treeOf(t, raw, tree).(map[string]any)["list"], c.n, c.name)
	}
}

// treeOf returns the tree of an encoded result, also if it was checked without
// one.
func treeOf(t *testing.T, raw []byte, tree any) any {
	t.Helper()
	if _, checked := tree.(bound.Checked); !checked {
		return tree
	}
	parsed, err := strictjson.Parse(raw, strictjson.Limits{Elements: len(raw)})
	require.NoError(t, err)
	return parsed
}

// fussy decodes its text with a method of its own.
type fussy struct{ text string }

func (f *fussy) UnmarshalText(text []byte) error {
	switch string(text) {
	case "panic":
		panic("fussy: secret")
	case "refuse":
		return errors.New("fussy: secret")
	}
	f.text = string(text)
	return nil
}

func (f fussy) MarshalText() ([]byte, error) {
	switch f.text {
	case "panic":
		panic("fussy: secret")
	case "refuse":
		return nil, errors.New("fussy: secret")
	}
	return []byte(f.text), nil
}

type fussyFields struct {
	Text fussy `json:"text"`
}

func TestDecode_ContainsTheAuthorsUnmarshalers(t *testing.T) {
	t.Parallel()
	tool := open(t, readingOf[fussyFields]())
	args, violations := tool.Decode([]byte(`{"text":"fine"}`))
	require.Empty(t, violations)
	assert.Equal(t, fussyFields{fussy{"fine"}}, inputOf(args))
	for _, text := range []string{"panic", "refuse"} {
		args, violations := tool.Decode([]byte(`{"text":"` + text + `"}`))
		require.Len(t, violations, 1, text)
		assert.Equal(t, text == "panic", args != nil, "only a panic has arguments, for the log")
		assert.NotContains(t, violations[0].Message, "secret")
	}
}

func TestEncode_ContainsTheAuthorsMarshalers(t *testing.T) {
	t.Parallel()
	built := open(t, returning[fussyFields]())
	raw, tree, err := built.Encode(fussyFields{fussy{"fine"}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"text":"fine"}`, string(raw))
	assert.Equal(t, map[string]any{"text": "fine"}, treeOf(t, raw, tree))
	for _, text := range []string{"panic", "refuse"} {
		raw, tree, err := built.Encode(fussyFields{fussy{text}})
		require.Error(t, err, text)
		assert.Nil(t, raw)
		assert.Nil(t, tree)
		assert.NotContains(t, err.Error(), "secret")
	}
}

func TestEncode_ReportsTheKindOfOutput(t *testing.T) {
	t.Parallel()
	text := open(t, returning[string]())
	assert.Equal(t, bound.Text, text.Facts().Output)
	assert.Nil(t, text.Facts().OutputSchema)
	_, tree, err := text.Encode("said")
	require.NoError(t, err)
	assert.Equal(t, "said", tree)

	empty := open(t, returning[struct{}]())
	assert.Equal(t, bound.Empty, empty.Facts().Output)
	raw, tree, err := empty.Encode(struct{}{})
	require.NoError(t, err)
	assert.Nil(t, raw)
	assert.Nil(t, tree)

	numbers := open(t, returning[map[string]float64]())
	assert.Equal(t, bound.Structured, numbers.Facts().Output)
	_, _, err = numbers.Encode(map[string]float64{"n": math.NaN()})
	assert.Error(t, err, "a NaN has no JSON form")
	raw, _, err = numbers.Encode(map[string]float64(nil))
	require.NoError(t, err)
	assert.JSONEq(t, `{}`, string(raw))
}

// CheckResult validates a result with the tool's compiled schema.
func TestThreat89_AResultThatBreaksItsSchemaIsFound(t *testing.T) {
	t.Parallel()
	type output struct {
		Status string    `json:"status" jsonschema:"enum=sent,enum=failed"`
		Parts  []*string `json:"parts"`
	}
	built := open(t, returning[output]())
	part := "a"
	for _, c := range []struct {
		name string
		out  output
		want []string
	}{
		{"a result that fits", output{"sent", []*string{&part}}, nil},
		{"a result without items", output{"sent", nil}, nil},
		{"a value out of its enum", output{"lost", nil}, []string{"schema.enum /status"}},
		{"an empty result", output{}, []string{"schema.enum /status"}},
		{"a nil item", output{"sent", []*string{&part, nil}}, []string{"schema.type /parts/1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			raw, tree, err := built.Encode(c.out)
			require.NoError(t, err)
			var got []string
			for _, v := range built.Facts().OutputSchema.Validate(treeOf(t, raw, tree)) {
				got = append(got, v.Rule+" "+v.Pointer)
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestRun_CallsTheHandler(t *testing.T) {
	t.Parallel()
	built := open(t, complete(contract.New("notes.read", func(_ context.Context, in noteInput) (noteOutput, error) {
		return noteOutput{ID: in.Text}, errLocked
	})).Effect(risk.ReadOnly))
	args, violations := built.Decode([]byte(`{"text":"7"}`))
	require.Empty(t, violations)
	out, err := built.Run(t.Context(), args.In)
	assert.Equal(t, noteOutput{ID: "7"}, out)
	assert.ErrorIs(t, err, errLocked)
}

func TestMustAsk_DecidesByTheArguments(t *testing.T) {
	t.Parallel()
	built := open(t, writing().ConfirmWhen(func(in noteInput) bool {
		if in.Text == "panic" {
			panic("cannot tell")
		}
		return in.Text == "loud"
	}))
	assert.False(t, built.MustAsk([]byte(`{"text":"quiet"}`)))
	assert.True(t, built.MustAsk([]byte(`{"text":"loud"}`)))
	assert.Panics(t, func() { built.MustAsk([]byte(`{"text":"panic"}`)) }, "the guard contains it, and asks")
	for name, b := range map[string]buildable{"never": writing(), "always": writing().ConfirmAlways(),
		"overruled": writing().ConfirmWhen(never).ConfirmAlways()} {
		assert.False(t, open(t, b).Facts().Has.MustAsk, name)
	}
}

func TestBound_ReportsTheDeclaredFunctions(t *testing.T) {
	t.Parallel()
	built := open(t, writing())
	assert.False(t, built.Facts().Has.Resolve)
	assert.False(t, built.Facts().Has.ReplayUntil)
	assert.True(t, open(t,
		writing().Resolve(contract.Least{}, asDeclared)).Facts().Has.Resolve)
	managed := contract.Idempotency{Mode: idempotency.Managed}
	assert.True(t, open(t, writing().Idempotency(managed).ReplayUntil(tomorrow)).Facts().Has.ReplayUntil)
	assert.True(t, open(t, writing().Idempotency(managed).ReplayWhile(always)).Facts().Has.ReplayWhile)
}
