package schema_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

func TestThreat11_EachViolationHasARuleAPointerAndAMessage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		schema, value string
		want          []schema.Violation
	}{
		"a type": {`{"type":"string"}`, `1`, []schema.Violation{{"schema.type", "/v", "must be a string"}}},
		"several types": {`{"type":["integer","null"]}`, `"s3cret"`, []schema.Violation{{"schema.type", "/v",
			"must be null or an integer"}}},
		"an enum": {`{"enum":["sent","failed",3,"a b"]}`, `"s3cret"`, []schema.Violation{{"schema.enum", "/v",
			`must be one of: sent, failed, 3, "a b"`}}},
		"a constant": {`{"const":{"a":1}}`, `"s3cret"`, []schema.Violation{{"schema.const", "/v", `must be {"a":1}`}}},
		"a minimum":  {`{"minimum":1}`, `0`, []schema.Violation{{"schema.minimum", "/v", "must be at least 1"}}},
		"an exact maximum": {`{"maximum":9007199254740993}`, `9007199254740994`, []schema.Violation{{"schema.maximum", "/v",
			"must be at most 9007199254740993"}}},
		"exclusive bounds": {`{"exclusiveMinimum":0.5,"exclusiveMaximum":0.5}`, `0.5`,
			[]schema.Violation{{"schema.exclusiveMaximum", "/v", "must be less than 0.5"}, {"schema.exclusiveMinimum", "/v",
				"must be greater than 0.5"}}},
		"a multiple": {`{"multipleOf":0.1}`, `0.25`, []schema.Violation{{"schema.multipleOf", "/v",
			"must be a multiple of 0.1"}}},
		"lengths": {`{"minLength":2,"maxLength":0}`, `"é"`, []schema.Violation{{"schema.maxLength", "/v",
			"must have at most 0 characters"}, {"schema.minLength", "/v", "must have at least 2 characters"}}},
		"a pattern": {`{"pattern":"^a$"}`, `"s3cret"`, []schema.Violation{{"schema.pattern", "/v",
			"must match the pattern ^a$"}}},
		"a format": {`{"format":"email"}`, `"s3cret"`, []schema.Violation{{"schema.format", "/v",
			"must be a valid email"}}},
		"a time": {`{"format":"date-time"}`, `"2026-01-01T23:59:60Z"`, []schema.Violation{{"schema.format", "/v",
			"must be a date and time (RFC 3339) such as 2006-01-02T15:04:05Z"}}},
		"items": {`{"minItems":1,"maxItems":0}`, `[]`, []schema.Violation{{"schema.minItems", "/v",
			"must have at least 1 item"}}},
		"an item": {`{"items":{"type":"string"}}`, `["a",1]`, []schema.Violation{{"schema.type", "/v/1",
			"must be a string"}}},
		"an item too many": {`{"prefixItems":[{}],"items":false}`, `[1,2]`, []schema.Violation{{"schema.items", "/v/1",
			"is one item too many"}}},
		"equal items": {`{"uniqueItems":true}`, `[1,{"a":1,"b":2},{"b":2,"a":1.0}]`, []schema.Violation{{"schema.uniqueItems",
			"/v", "must not hold an item twice: 1 and 2 are equal"}}},
		"contains": {`{"contains":{"const":1}}`, `[2]`, []schema.Violation{{"schema.contains", "/v",
			"must hold an item of the demanded form"}}},
		"too few": {`{"contains":{"const":1},"minContains":2}`, `[1]`, []schema.Violation{{"schema.minContains", "/v",
			"must hold at least 2 items of the demanded form"}}},
		"too many": {`{"contains":{"const":1},"maxContains":1}`, `[1,1]`, []schema.Violation{{"schema.maxContains", "/v",
			"must hold at most 1 item of the demanded form"}}},
		"members": {`{"minProperties":1}`, `{}`, []schema.Violation{{"schema.minProperties", "/v",
			"must have at least 1 member"}}},
		"too many members": {`{"maxProperties":0}`, `{"a":1}`, []schema.Violation{{"schema.maxProperties", "/v",
			"must have at most 0 members"}}},
		"a missing member": {`{"required":["a/b","c"]}`, `{"c":1}`, []schema.Violation{{"schema.required", "/v/a~1b",
			"is required"}}},
		"a dependent member": {`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, []schema.Violation{{"schema.dependentRequired", "/v/b",
			`is required together with "a"`}}},
		"an unknown member": {`{"properties":{"subject":{}},"additionalProperties":false}`, `{"subjct":1}`,
			[]schema.Violation{{"schema.additionalProperties", "/v/subjct", `is not a known property; known: subject (did you mean ` +
				`"subject"?)`}}},
		"a member of nothing": {`{"additionalProperties":false}`, `{"a":1}`, []schema.Violation{{"schema.additionalProperties", "/v/a",
			"is not a known property"}}},
		"an unevaluated one": {`{"properties":{"a":{}},"unevaluatedProperties":false}`, `{"b":1}`,
			[]schema.Violation{{"schema.unevaluatedProperties", "/v/b", "is not a known property"}}},
		"a name": {`{"propertyNames":{"pattern":"^a"}}`, `{"b":1}`, []schema.Violation{{"schema.propertyNames", "/v/b",
			"has a name that is not allowed: it must match the pattern ^a"}}},
		"a forbidden member": {`{"properties":{"a":false}}`, `{"a":"s3cret"}`, []schema.Violation{{"schema.false", "/v/a",
			"is not allowed"}}},
		"not": {`{"not":{"type":"string"}}`, `"s3cret"`, []schema.Violation{{"schema.not", "/v",
			"matches a form that is not allowed"}}},
		"base64": {`{"contentEncoding":"base64"}`, `"s3cret!"`, []schema.Violation{{"schema.contentEncoding", "/v",
			"must be base64"}}},
		"JSON in text": {`{"contentMediaType":"application/json"}`, `"{s3cret"`, []schema.Violation{{"schema.contentMediaType",
			"/v", "must hold application/json"}}},
		"JSON in text, tried": {`{"contentMediaType":"application/json","contentSchema":{"minimum":1}}`, `"1e-999999999"`,
			[]schema.Violation{{"schema.contentMediaType", "/v", "must hold application/json"}}},
		"a union of types": {`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `5`, []schema.Violation{{"schema.type", "/v",
			"must be a string or null"}}},
		"the form of its type": {`{"oneOf":[{"type":"string","minLength":9},{"type":"object"}]}`, `"s3cret"`,
			[]schema.Violation{{"schema.minLength", "/v", "must have at least 9 characters"}}},
		"the form of its tag": {
			`{"oneOf":[{"type":"object","properties":{"kind":{"const":"a"},"n":{"type":"integer"}}},{"type":"object",` +
				`"properties":{"kind":{"const":"b"},"n":{"type":"string"}}}]}`,
			`{"kind":"b","n":1}`, []schema.Violation{{"schema.type", "/v/n", "must be a string (in the form with kind b)"}},
		},
		"another tag": {
			`{"oneOf":[{"type":"object","properties":{"kind":{"const":"a"}}},{"type":"object","properties":{"kind":{"enum":["b"]}}}]}`,
			`{"kind":"s3cret"}`, []schema.Violation{{"schema.const", "/v/kind", "must be one of: a, b"}},
		},
		"no tag": {
			`{"anyOf":[{"$ref":"#/properties/v/$defs/a"},{"type":"object","properties":{"kind":{"const":"b"}},"required":["kind","x"]}],` +
				`"$defs":{"a":{"type":"object","properties":{"kind":{"const":"a"}},"required":["kind"]}}}`,
			`{}`, []schema.Violation{{"schema.required", "/v/kind", "is required: it must be one of: a, b"}},
		},
		"the form of its tag, referred to": {
			`{"anyOf":[{"$ref":"#/properties/v/$defs/a"},{"type":"object","properties":{"kind":{"const":"b"}},"required":["kind"]}],` +
				`"$defs":{"a":{"type":"object","properties":{"kind":{"const":"a"},"n":{"type":"integer"}},"required":["kind"]}}}`,
			`{"kind":"a","n":"s3cret"}`, []schema.Violation{{"schema.type", "/v/n", "must be an integer (in the form with kind a)"}},
		},
		"a form within a form": {
			`{"oneOf":[{"properties":{"kind":{"const":"a"},"in":{"oneOf":[{"properties":{"by":{"const":"x"},` +
				`"n":{"type":"integer"}}},{"properties":{"by":{"const":"y"}}}]}}},{"properties":{"kind":{"const":"b"}}}]}`,
			`{"kind":"a","in":{"by":"x","n":"s3cret"}}`, []schema.Violation{{"schema.type", "/v/in/n",
				"must be an integer (in the form with by x)"}},
		},
		"the closest form by its title": {
			`{"oneOf":[{"type":"object","title":"Card","required":["a","b","c"]},{"type":"object","title":"Bank","required":["d"]}]}`,
			`{}`,
			[]schema.Violation{{"schema.oneOf", "/v", `must match one of the 2 allowed forms; the form "Bank" is the closest`},
				{"schema.required", "/v/d", `is required (in the form "Bank")`}},
		},
		"no choice": {`{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false,"minProperties":1,` +
			`"maxProperties":1}`, `{}`, []schema.Violation{{"schema.minProperties", "/v",
			"must have exactly one of these members: a, b"}}},
		"two choices": {`{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false,"minProperties":1,` +
			`"maxProperties":1}`, `{"a":1,"b":1}`, []schema.Violation{{"schema.maxProperties", "/v",
			"must have exactly one of these members: a, b"}}},
		"no form at all": {`{"anyOf":[{"minimum":5},{"multipleOf":2}]}`, `1`, []schema.Violation{{"schema.anyOf", "/v",
			"must match one of the 2 allowed forms"}}},
		"the closest form": {
			`{"oneOf":[{"type":"object","required":["a","b","c"]},{"type":"object","required":["d"]}]}`, `{}`,
			[]schema.Violation{{"schema.oneOf", "/v", "must match one of the 2 allowed forms; form 2 is the closest"}, {"schema.required",
				"/v/d", "is required"}},
		},
		"two forms": {`{"oneOf":[{"minimum":1},{"maximum":5}]}`, `3`, []schema.Violation{{"schema.oneOf", "/v",
			"must match one of the allowed forms, and matches more than one"}}},
		"an integer beyond 64": {`{"type":"integer"}`, `100000000000000000000`, []schema.Violation{{"schema.type", "/v",
			"must be an integer"}}},
		"an int64 beyond": {`{"type":"integer","format":"int64"}`, `9223372036854775808`, []schema.Violation{{"schema.format",
			"/v", "must be a signed integer of 64 bits"}}},
		"an uint8 beyond": {`{"format":"uint8"}`, `256`, []schema.Violation{{"schema.format", "/v",
			"must be an unsigned integer of 8 bits"}}},
		"a value that is allowed": {`{"type":"number"}`, `100000000000000000000`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := compile(t, object(test.schema))
			got := s.Validate(parse(t, `{"v":`+test.value+`}`))
			assert.Equal(t, test.want, got)
		})
	}
}

func TestThreat20_ARootThatIsNoObjectIsRefused(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object"}`)
	for _, text := range []string{`null`, `[]`, `"x"`, `1`, `true`} {
		assert.Equal(t, []schema.Violation{{Rule: "schema.type", Message: "must be an object"}}, s.Validate(parse(t, text)), text)
	}
}

func TestThreat12_ANameInOtherCaseIsUnknown(t *testing.T) {
	t.Parallel()
	type input struct {
		Pay struct {
			Amount int `json:"amount" jsonschema:"maximum=100"`
		} `json:"pay"`
	}
	s := compiled(t, reflect.TypeFor[input](), schema.Input)
	assert.Equal(t, []string{"schema.additionalProperties /pay/AMOUNT"},
		rules(s.Validate(parse(t, `{"pay":{"amount":10,"AMOUNT":1000000}}`))))
}

func TestValidate_SortsAndCountsViolations(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"integer"},`+
		`"required":["z"]}`)
	members := map[string]any{"a": int64(1)}
	for i := range 50 {
		members[fmt.Sprintf("m%02d", i)] = "s3cret"
	}
	first := s.Validate(members)
	require.Len(t, first, schema.MaxViolations+1)
	assert.Equal(t, []string{"schema.type /a", "schema.type /m00"}, rules(first[:2]))
	assert.Equal(t, schema.Violation{Rule: schema.RuleMore, Message: "and 32 more violations"}, first[schema.MaxViolations])
	for range 20 {
		assert.Equal(t, first, s.Validate(members))
	}
}

func TestValidate_MessagesAreBoundedAndShowNoValue(t *testing.T) {
	t.Parallel()
	var names, values []string
	for i := range 200 {
		names = append(names, fmt.Sprintf(`"name%03d%s":{}`, i, strings.Repeat("n", 100)))
		values = append(values, fmt.Sprintf(`"%03d%s"`, i, strings.Repeat("v", 100)))
	}
	s := compile(t, `{"type":"object","properties":{"e":{"enum":[`+strings.Join(values, ",")+`]},`+strings.Join(names, ",")+
		`},"additionalProperties":false}`)
	violations := s.Validate(map[string]any{"e": "s3cret", "\x1b[2J" + strings.Repeat("k", 5000): "s3cret"})
	require.Len(t, violations, 2)
	for _, v := range violations {
		assert.NotContains(t, v.Message, "s3cret")
		assert.NotContains(t, v.Pointer, "\x1b")
		assert.Less(t, len(v.Message), 2500)
		assert.Less(t, len(v.Pointer), 300)
	}
}

func TestThreat17_ManyViolationsBelowALongNameCostNoMoreThanTheInput(t *testing.T) {
	type input struct {
		M map[string][]int `json:"m"`
	}
	s := compiled(t, reflect.TypeFor[input](), schema.Input)
	name := strings.Repeat("k", 3<<20)
	list := make([]any, 99_000)
	for i := range list {
		list[i] = ""
	}
	tree := map[string]any{"m": map[string]any{name: list}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	violations := s.Validate(tree)
	runtime.ReadMemStats(&after)
	require.Len(t, violations, schema.MaxViolations+1)
	assert.Equal(t, "/m/"+strings.Repeat("k", 250)+"…", violations[0].Pointer)
	assert.Equal(t, "and 98980 more violations", violations[schema.MaxViolations].Message)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
}

func TestValidate_SortsAMemberAfterItsObject(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","additionalProperties":{"minProperties":3,"additionalProperties":false}}`)
	got := s.Validate(parse(t, `{"a":{"b":1},"a!":{"b":1},"a~/":{"":1}}`))
	assert.Equal(t, []string{
		"schema.minProperties /a", "schema.additionalProperties /a/b",
		"schema.minProperties /a!", "schema.additionalProperties /a!/b",
		"schema.minProperties /a~0~1", "schema.additionalProperties /a~0~1/",
	}, rules(got))
}

func TestValidate_HostileArgumentsTakeBoundedTime(t *testing.T) {
	t.Parallel()
	type input struct {
		Tags []any          `json:"tags,omitempty" jsonschema:"uniqueItems=true"`
		Map  map[string]int `json:"map,omitempty"`
	}
	s := compiled(t, reflect.TypeFor[input](), schema.Input)
	var unknown, collide, wrong strings.Builder
	for i := range 90_000 {
		fmt.Fprintf(&unknown, `,"key%d":1`, i)
		fmt.Fprintf(&wrong, `,"key%d":"x"`, i)
	}
	for i := range 8192 { // one text, cut in every way
		collide.WriteString(`,["a`)
		for bit := range 13 {
			collide.WriteString([]string{`","`, `\u0004`}[i>>bit&1] + "b")
		}
		collide.WriteString(`"]`)
	}
	for name, text := range map[string]string{
		"unknown names": `{` + unknown.String()[1:] + `}`,
		"wrong values":  `{"map":{` + wrong.String()[1:] + `}}`,
		"equal hashes":  `{"tags":[` + collide.String()[1:] + `]}`,
	} {
		tree := parse(t, text)
		start := time.Now()
		violations := s.Validate(tree)
		assert.Less(t, time.Since(start), time.Minute, name)
		assert.LessOrEqual(t, len(violations), schema.MaxViolations+1, name)
	}
}

func TestValidate_AFailureOfTheValidatorRefusesTheValue(t *testing.T) {
	t.Parallel()
	s := compile(t, object(`{"minimum":1}`))
	for _, tree := range []any{
		map[string]any{"v": json.Number("1e-999999999")},
		map[string]any{"v": math.NaN()},
		map[string]any{"v": struct{}{}},
	} {
		assert.NotEmpty(t, s.Validate(tree))
	}
	assert.Equal(t, schema.RuleInternal, s.Validate(map[string]any{"v": json.Number("1e-999999999")})[0].Rule)
}

type everything struct {
	I8   int8              `json:"i8,omitempty"`
	I64  int64             `json:"i64,omitempty"`
	U64  uint64            `json:"u64,omitempty"`
	F32  float32           `json:"f32,omitempty"`
	Time time.Time         `json:"time,omitzero"`
	Wait time.Duration     `json:"wait,omitempty"`
	Data []byte            `json:"data,omitempty"`
	Keys map[int8]bool     `json:"keys,omitempty"`
	Big  map[uint64]string `json:"big,omitempty"`
	Pair [2]int32          `json:"pair,omitzero"`
	Text int16             `json:"text,omitempty,string"`
	Raw  json.RawMessage   `json:"raw,omitempty"`
	Any  any               `json:"any,omitempty"`
	Next *everything       `json:"next,omitempty"`
}

// An out-of-range value is a violation, never a binding error.
func TestThreat16_ValidArgumentsBind(t *testing.T) {
	t.Parallel()
	s := compiled(t, reflect.TypeFor[everything](), schema.Input)
	numbers := []string{
		"0", "1.0", "-0", "1e2", "127", "128", "-128", "-129", "255", "256", "32768", "2147483648", "9007199254740993",
		"9223372036854775807",
		"9223372036854775808", "18446744073709551615", "18446744073709551616", "1e20", "-1", "0.5", "3.4028235e38", "3.5e38", "1e308",
	}
	texts := []string{
		`""`, `"YQ=="`, `"YQ"`, `"Y Q=="`, `"5"`, `"05"`, `"+5"`, `"-0"`, `"32768"`, `"2026-01-01T00:00:00Z"`, `"2026-01-01t00:00:00z"`,
		`"2026-02-30T00:00:00Z"`,
		`"2026-01-01T00:00:00,5Z"`, `"2026-01-01T24:00:00Z"`, `"2026-01-01T00:00:00+24:00"`, `null`, `true`, `[]`, `[1,2]`, `[1,2,3]`,
		`{}`,
		`{"1":true}`, `{"128":true}`, `{"01":true}`, `{"-1":true}`, `{"1.0":true}`, `{"18446744073709551615":""}`,
		`{"18446744073709551616":""}`, `{"-1":""}`,
	}
	accepted := 0
	for field := range reflect.TypeFor[everything]().Fields() {
		member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		for _, value := range append(numbers, texts...) {
			tree := parse(t, `{"`+member+`":`+value+`}`)
			if s.Validate(tree) != nil {
				continue
			}
			accepted++
			data, err := strictjson.Marshal(tree)
			require.NoError(t, err)
			require.NoError(t, strictjson.Unmarshal(data, new(everything)), "%s: %s", member, value)
		}
	}
	assert.Greater(t, accepted, 100)
}

// The extreme values of Go types satisfy their schemas.
func TestThreat89_ExtremeResultsAreValid(t *testing.T) {
	t.Parallel()
	s := compiled(t, reflect.TypeFor[everything](), schema.Output)
	for _, value := range []everything{
		{},
		{I8: -128, I64: math.MinInt64, U64: math.MaxUint64, F32: math.MaxFloat32, Wait: math.MaxInt64, Text: -32768},
		{I64: math.MaxInt64, F32: -math.MaxFloat32, Time: time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.FixedZone("", -3600)),
			Data: []byte{0, 255}},
		{Keys: map[int8]bool{-128: true, 127: false, 0: true}, Big: map[uint64]string{math.MaxUint64: ""}, Pair: [2]int32{math.MinInt32,
			math.MaxInt32}},
		{Raw: json.RawMessage(`{"a":[null]}`), Any: 1e20, Next: &everything{Any: []any{nil}}},
	} {
		data, err := strictjson.MarshalValue(value)
		require.NoError(t, err)
		assert.Empty(t, s.Validate(parse(t, string(data))), string(data))
	}
	type output struct {
		List []*struct{} `json:"list"`
	}
	data, err := strictjson.MarshalValue(output{List: []*struct{}{nil}})
	require.NoError(t, err)
	assert.Equal(t, []string{"schema.type /list/0"}, rules(compiled(t, reflect.TypeFor[output](), schema.Output).Validate(parse(t,
		string(data)))))
}

type email struct {
	To       []string `json:"to"       jsonschema:"minItems=1,maxItems=50"`
	Subject  string   `json:"subject"  jsonschema:"minLength=1,maxLength=998"`
	Body     string   `json:"body"`
	Priority int8     `json:"priority" jsonschema:"minimum=1,maximum=5"`
	Rate     float64  `json:"rate"`
	HTML     bool     `json:"html,omitempty" jsonschema:"default=false"`
}

const emailArguments = `{"to":["anna@example.com","max@example.com"],"subject":"Hello","body":"A text of some words.",` +
	`"priority":3,"rate":0.5}`

func BenchmarkValidate(b *testing.B) {
	s, tree := compiled(b, reflect.TypeFor[email](), schema.Input), parse(b, emailArguments)
	b.ReportAllocs()
	for b.Loop() {
		if s.Validate(tree) != nil {
			b.Fatal("invalid")
		}
	}
}

func BenchmarkFill(b *testing.B) {
	s, tree := compiled(b, reflect.TypeFor[email](), schema.Input), parse(b, emailArguments)
	b.ReportAllocs()
	for b.Loop() {
		s.Fill(tree)
	}
}

// FuzzValidate checks that the order of members affects neither violations nor
// defaults.
func FuzzValidate(f *testing.F) {
	f.Add([]byte(emailArguments))
	f.Add([]byte(`{"to":[],"subject":"","x":{"y":[1,{}]},"priority":1e2}`))
	s := compiled(f, reflect.TypeFor[email](), schema.Input)
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := strictjson.Parse(data, strictjson.Limits{})
		if err != nil {
			return
		}
		canonical, err := strictjson.Canonical(data)
		require.NoError(t, err)
		again := parse(t, string(canonical))
		want := s.Validate(tree)
		require.Equal(t, want, s.Validate(again))
		filled, _ := s.Fill(tree)
		filledAgain, _ := s.Fill(again)
		require.Equal(t, filled, filledAgain)
		for _, v := range want {
			require.NotEqual(t, schema.RuleInternal, v.Rule)
		}
	})
}
