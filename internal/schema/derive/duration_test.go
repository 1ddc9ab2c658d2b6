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

func TestDerive_DurationsWithTheTagAreTexts(t *testing.T) {
	t.Parallel()
	const plain = `{"type":"string","format":"duration","description":"A duration (ISO 8601), such as PT1H30M."}`
	one, list := reflect.TypeFor[time.Duration](), reflect.TypeFor[[]time.Duration]()
	for name, test := range map[string]struct {
		of        reflect.Type
		tag, want string
	}{
		"alone": {one, jsonschemaTag("format=duration"), plain},
		"bounds": {one, jsonschemaTag("minimum=1s,format=duration,maximum=1h"), `{"type":"string","format":"duration",` +
			`"description":"A duration (ISO 8601), such as PT1H30M. At least PT1S, at most PT1H.","x-maximum":"PT1H","x-minimum":"PT1S"}`},
		"a description": {one, jsonschemaTag("format=duration,minimum=0s,description=How long to wait"),
			`{"type":"string","format":"duration","description":"How long to wait. At least PT0S.","x-minimum":"PT0S"}`},
		"the longer tag of a description": {one,
			jsonschemaTag("format=duration,maximum=36h") + ` jsonschema_description:"Wait, then stop!"`,
			`{"type":"string","format":"duration","description":"Wait, then stop! At most PT36H.","x-maximum":"PT36H"}`},
		"no description": {one, jsonschemaTag("format=duration,maximum=1h,description="),
			`{"type":"string","format":"duration","description":"At most PT1H.","x-maximum":"PT1H"}`},
		"values": {one, jsonschemaTag("format=duration,description=D,enum=60s,enum=1h0m5s,default=1m,example=1m"),
			`{"type":"string","enum":["PT1M","PT1H0M5S"],"format":"duration","description":"D","default":"PT1M","examples":["PT1M"]}`},
		"a list": {list, jsonschemaTag("format=duration,minItems=1,minimum=1s,default=1s,default=2s,description=D"),
			`{"items":{"type":"string","format":"duration","description":"A duration (ISO 8601), such as PT1H30M. ` +
				`At least PT1S.","x-minimum":"PT1S"},` +
				`"type":"array","minItems":1,"description":"D","default":["PT1S","PT2S"]}`},
		"a pointer": {reflect.TypeFor[*time.Duration](), jsonschemaTag("format=duration"), plain},
		"null": {reflect.TypeFor[sql.Null[time.Duration]](), jsonschemaTag("format=duration,maximum=1s,description=D"),
			`{"anyOf":[{"type":"string","format":"duration","x-maximum":"PT1S"},{"type":"null"}],"description":"D. At most PT1S."}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, problems := derive.Derive(oneField(test.of, test.tag), schema.Input, derive.Options{})
			require.Empty(t, problems)
			assert.Equal(t, `{"properties":{"v":`+test.want+`},"additionalProperties":false,"type":"object"}`, string(raw))
		})
	}
}

func TestDerive_MistakesInTagsOfDurations(t *testing.T) {
	t.Parallel()
	one := reflect.TypeFor[time.Duration]()
	type named time.Duration
	for name, test := range map[string]struct {
		of        reflect.Type
		tag, rule string
	}{
		"a bound that is a number":    {one, "format=duration,minimum=60", derive.RuleTagValue},
		"a bound in ISO 8601":         {one, "format=duration,minimum=PT1M", derive.RuleTagValue},
		"a bound below a second":      {one, "format=duration,minimum=100ms", derive.RuleTagValue},
		"a bound below zero":          {one, "format=duration,minimum=-1s", derive.RuleTagValue},
		"a bound that is too long":    {one, "format=duration,maximum=99999999h", derive.RuleTagValue},
		"a default that is no time":   {one, "format=duration,default=soon", derive.RuleTagValue},
		"ends in the wrong order":     {one, "format=duration,minimum=1h,maximum=1s", schema.RuleCompile},
		"a default below the minimum": {one, "format=duration,minimum=1m,default=59s", schema.RuleDefault},
		"an example above the bound":  {one, "format=duration,maximum=1m,example=61s", schema.RuleExample},
		"an enum value out of bounds": {one, "format=duration,maximum=1m,enum=1m,enum=2m", schema.RuleEnum},
		"an enum value twice":         {one, "format=duration,enum=60s,enum=1m", derive.RuleTagDuplicate},
		"another format":              {one, "format=duration,format=email", derive.RuleTagDuplicate},
		"a keyword of texts":          {one, "format=duration,pattern=^P", derive.RuleTagApplies},
		"a keyword of numbers":        {one, "format=duration,multipleOf=1s", derive.RuleTagApplies},
		"a bound without the format":  {one, "minimum=1s", derive.RuleTagValue},
		"a map":                       {reflect.TypeFor[map[string]time.Duration](), "format=duration", derive.RuleTagApplies},
		"a list of lists":             {reflect.TypeFor[[][]time.Duration](), "format=duration", derive.RuleTagApplies},
		"a list with null":            {reflect.TypeFor[[]sql.Null[time.Duration]](), "format=duration", derive.RuleTagApplies},
		"another type":                {reflect.TypeFor[named](), "format=duration", derive.RuleTagApplies},
		"a text":                      {reflect.TypeFor[string](), "format=duration,minimum=1s", derive.RuleTagApplies},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := derive.Derive(oneField(test.of, jsonschemaTag(test.tag)), schema.Input, derive.Options{})
			require.NotEmpty(t, problems)
			assert.Equal(t, test.rule, problems[0].Rule, problems)
			assert.Equal(t, "input.V", problems[0].Field)
			assert.NotEmpty(t, problems[0].Remedy)
		})
	}
	_, problems := derive.Derive(oneField(one, jsonschemaTag("format=duration")+` jsonschema_extras:"x-minimum=PT1S"`), schema.Input,
		derive.Options{})
	require.Len(t, problems, 1)
	assert.Equal(t, derive.RuleTagUnknown, problems[0].Rule)
}
