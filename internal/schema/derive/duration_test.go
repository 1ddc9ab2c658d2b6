package derive_test

import (
	"database/sql"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
)

// A span stands in for the type of durations.
type span time.Duration

func (span) MarshalText() ([]byte, error) { return nil, nil }
func (*span) UnmarshalText([]byte) error  { return nil }

var withSpan = derive.Options{Duration: reflect.TypeFor[span]()}

func TestDerive_DurationsAreTexts(t *testing.T) {
	t.Parallel()
	const plain = `{"type":"string","format":"duration","description":"A duration (ISO 8601), such as PT1H30M."}`
	one, list := reflect.TypeFor[span](), reflect.TypeFor[[]span]()
	for name, test := range map[string]struct {
		of        reflect.Type
		tag, want string
	}{
		"alone": {one, "", plain},
		"bounds": {one, jsonschemaTag("minimum=1s,maximum=1h"), `{"type":"string","format":"duration",` +
			`"description":"A duration (ISO 8601), such as PT1H30M. At least PT1S, at most PT1H.","x-maximum":"PT1H","x-minimum":"PT1S"}`},
		"a description": {one, jsonschemaTag("minimum=0s,description=How long to wait"),
			`{"type":"string","format":"duration","description":"How long to wait. At least PT0S.","x-minimum":"PT0S"}`},
		"the longer tag of a description": {one,
			jsonschemaTag("maximum=36h") + ` jsonschema_description:"Wait, then stop!"`,
			`{"type":"string","format":"duration","description":"Wait, then stop! At most PT36H.","x-maximum":"PT36H"}`},
		"no description": {one, jsonschemaTag("maximum=1h,description="),
			`{"type":"string","format":"duration","description":"At most PT1H.","x-maximum":"PT1H"}`},
		"values": {one, jsonschemaTag("description=D,enum=60s,enum=1h0m5s,default=1m,example=1m"),
			`{"type":"string","enum":["PT1M","PT1H0M5S"],"format":"duration","description":"D","default":"PT1M","examples":["PT1M"]}`},
		"a list": {list, jsonschemaTag("minItems=1,minimum=1s,default=1s,default=2s,description=D"),
			`{"items":{"type":"string","format":"duration","description":"A duration (ISO 8601), such as PT1H30M. ` +
				`At least PT1S.","x-minimum":"PT1S"},` +
				`"type":"array","minItems":1,"description":"D","default":["PT1S","PT2S"]}`},
		"a map":     {reflect.TypeFor[map[string]span](), "", `{"additionalProperties":` + plain + `,"type":"object"}`},
		"a pointer": {reflect.TypeFor[*span](), "", plain},
		"null": {reflect.TypeFor[sql.Null[span]](), jsonschemaTag("maximum=1s,description=D"),
			`{"anyOf":[{"type":"string","format":"duration","x-maximum":"PT1S"},{"type":"null"}],"description":"D. At most PT1S."}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, problems := derive.Derive(oneField(test.of, test.tag), schema.Input, withSpan)
			require.Empty(t, problems)
			assert.Equal(t, `{"properties":{"v":`+test.want+`},"additionalProperties":false,"type":"object"}`, string(raw))
		})
	}
}

func TestDerive_MistakesInTagsOfDurations(t *testing.T) {
	t.Parallel()
	one := reflect.TypeFor[span]()
	for name, test := range map[string]struct {
		of        reflect.Type
		tag, rule string
	}{
		"a bound that is a number":    {one, "minimum=60", derive.RuleTagValue},
		"a bound in ISO 8601":         {one, "minimum=PT1M", derive.RuleTagValue},
		"a bound below a second":      {one, "minimum=100ms", derive.RuleTagValue},
		"a bound below zero":          {one, "minimum=-1s", derive.RuleTagValue},
		"a bound that is too long":    {one, "maximum=99999999h", derive.RuleTagValue},
		"a default that is no time":   {one, "default=soon", derive.RuleTagValue},
		"ends in the wrong order":     {one, "minimum=1h,maximum=1s", schema.RuleCompile},
		"a default below the minimum": {one, "minimum=1m,default=59s", schema.RuleDefault},
		"an example above the bound":  {one, "maximum=1m,example=61s", schema.RuleExample},
		"an enum value out of bounds": {one, "maximum=1m,enum=1m,enum=2m", schema.RuleEnum},
		"an enum value twice":         {one, "enum=60s,enum=1m", derive.RuleTagDuplicate},
		"its own format":              {one, "format=duration", derive.RuleTagApplies},
		"another format":              {one, "format=email", derive.RuleTagApplies},
		"a keyword of texts":          {one, "pattern=^P", derive.RuleTagApplies},
		"a keyword of numbers":        {one, "multipleOf=1s", derive.RuleTagApplies},
		"a bound of a map's values":   {reflect.TypeFor[map[string]span](), "minimum=1s", derive.RuleTagApplies},
		"a bound in lists of lists":   {reflect.TypeFor[[][]span](), "minimum=1s", derive.RuleTagApplies},
		"a text":                      {reflect.TypeFor[string](), "format=duration,minimum=1s", derive.RuleTagApplies},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := derive.Derive(oneField(test.of, jsonschemaTag(test.tag)), schema.Input, withSpan)
			require.NotEmpty(t, problems)
			assert.Equal(t, test.rule, problems[0].Rule, problems)
			assert.Equal(t, "input.V", problems[0].Field)
			assert.NotEmpty(t, problems[0].Remedy)
		})
	}
	_, problems := derive.Derive(oneField(one, `jsonschema_extras:"x-minimum=PT1S"`), schema.Input, withSpan)
	require.Len(t, problems, 1)
	assert.Equal(t, derive.RuleTagUnknown, problems[0].Rule)
}

// No tag changes the JSON of a time.Duration, so a tag that tries is a mistake.
func TestDerive_TheFormatOfANanosecondDurationIsAMistake(t *testing.T) {
	t.Parallel()
	for _, of := range []reflect.Type{
		reflect.TypeFor[time.Duration](), reflect.TypeFor[*time.Duration](), reflect.TypeFor[sql.Null[time.Duration]](),
		reflect.TypeFor[[]time.Duration](), reflect.TypeFor[[][]time.Duration](), reflect.TypeFor[map[string]time.Duration](),
	} {
		for _, tag := range []string{"format=duration", "minimum=1s,format=duration,default=2s"} {
			_, problems := derive.Derive(oneField(of, jsonschemaTag(tag)), schema.Input, withSpan)
			assert.Equal(t, []schema.Problem{{Rule: derive.RuleTagApplies, Field: "input.V",
				Message: "a time.Duration is an integer of nanoseconds, which no tag turns into text",
				Remedy:  "use the type contract.Duration, without format=duration"}}, problems, of)
		}
	}
}
