package guard_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

type waitInput struct {
	Wait  contract.Duration   `json:"wait" jsonschema:"minimum=1s,maximum=1h"`
	Pause contract.Duration   `json:"pause,omitzero" jsonschema:"default=90s"`
	Steps []contract.Duration `json:"steps,omitzero" jsonschema:"maximum=1m"`
	Old   time.Duration       `json:"old,omitzero"`
	Until *contract.Duration  `json:"until,omitzero" jsonschema:"nullable"`
}

type waitOutput struct {
	Waited contract.Duration   `json:"waited" jsonschema:"maximum=2h"`
	Steps  []contract.Duration `json:"steps"`
	Old    time.Duration       `json:"old"`
}

const (
	aSecond = contract.Duration(time.Second)
	aMinute = contract.Duration(time.Minute)
	anHour  = contract.Duration(time.Hour)
)

// waiting returns a tool that stores its input and returns sum.
func waiting(into *waitInput, sum func(waitInput) contract.Duration) *contract.Tool {
	return contract.New("clock.wait", func(_ context.Context, in waitInput) (waitOutput, error) {
		*into = in
		return waitOutput{Waited: sum(in), Steps: in.Steps, Old: in.Old}, nil
	}).From(writing()).MustBuild()
}

func TestDuration_HandlersGetItAndCallersReadISO8601(t *testing.T) {
	t.Parallel()
	var got waitInput
	tool := waiting(&got, func(in waitInput) contract.Duration { return in.Wait + in.Pause })
	assert.Contains(t, string(tool.Document().InputSchema), `"wait":{"type":"string","format":"duration","description":"A duration `+
		`(ISO 8601), such as PT1H30M. At least PT1S, at most PT1H.","x-maximum":"PT1H","x-minimum":"PT1S"}`)
	assert.Contains(t, string(tool.Document().InputSchema), `"default":"PT1M30S"`)
	k := newKit(t, []*contract.Tool{tool})
	for _, test := range []struct {
		arguments, structured string
		want                  waitInput
	}{
		{`{"wait":"PT1M"}`, `{"waited":"PT2M30S","steps":[],"old":0}`, waitInput{Wait: aMinute, Pause: 90 * aSecond}},
		{`{"wait":"PT1H","pause":"PT36S","steps":["PT1S","PT60S"],"old":5,"until":"P2W"}`,
			`{"waited":"PT1H0M36S","steps":["PT1S","PT1M"],"old":5}`,
			waitInput{anHour, 36 * aSecond, []contract.Duration{aSecond, aMinute}, 5, new(14 * 24 * anHour)}},
		{`{"wait":"PT0H1S","pause":"PT0S","until":null}`, `{"waited":"PT1S","steps":[],"old":0}`, waitInput{Wait: aSecond}},
	} {
		r := k.call(alice, "clock.wait", test.arguments)
		require.False(t, r.IsError, r.Text)
		assert.Equal(t, test.structured, string(r.Structured))
		assert.Equal(t, test.want, got)
	}
}

func TestDuration_BoundsAreEnforced(t *testing.T) {
	t.Parallel()
	var got waitInput
	k := newKit(t, []*contract.Tool{waiting(&got, func(waitInput) contract.Duration { return 0 })}, unlimited)
	const (
		vague = "must be a duration without years and months, because their length varies"
		form  = "must be a duration (ISO 8601) such as PT1H30M"
	)
	for arguments, want := range map[string]contract.Violation{
		`{"wait":"PT0S"}`:                         {Rule: "schema.minimum", Pointer: "/wait", Message: "must be at least PT1S"},
		`{"wait":"PT60M1S"}`:                      {Rule: "schema.maximum", Pointer: "/wait", Message: "must be at most PT1H"},
		`{"wait":"P99999999999999999999W"}`:       {Rule: "schema.maximum", Pointer: "/wait", Message: "must be at most PT1H"},
		`{"wait":"P1M"}`:                          {Rule: "schema.format", Pointer: "/wait", Message: vague},
		`{"wait":"PT1.5S"}`:                       {Rule: "schema.format", Pointer: "/wait", Message: form},
		`{"wait":"1h"}`:                           {Rule: "schema.format", Pointer: "/wait", Message: form},
		`{"wait":"-PT1S"}`:                        {Rule: "schema.format", Pointer: "/wait", Message: form},
		`{"wait":60000000000}`:                    {Rule: "schema.type", Pointer: "/wait", Message: "must be a string"},
		`{"wait":"PT1S","steps":["PT1S","PT2M"]}`: {Rule: "schema.maximum", Pointer: "/steps/1", Message: "must be at most PT1M"},
		`{"wait":"PT1S","pause":"P1Y"}`:           {Rule: "json.bind", Pointer: "/pause", Message: vague},
		`{"wait":"PT1S","until":"P999999W"}`:      {Rule: "json.bind", Pointer: "/until", Message: "must be a shorter duration"},
		`{"wait":"PT1S","old":"PT1S"}`:            {Rule: "schema.type", Pointer: "/old", Message: "must be an integer"},
	} {
		r := k.call(alice, "clock.wait", arguments)
		assert.Equal(t, contract.CodeInvalidInput, r.Outcome.Code, arguments)
		assert.Equal(t, []contract.Violation{want}, r.Outcome.Violations, arguments)
	}
	assert.Zero(t, got, "the handler never ran")
}

func TestDuration_ResultsThatHaveNoFormAreInvalid(t *testing.T) {
	t.Parallel()
	for name, waited := range map[string]contract.Duration{
		"a part of a second": aSecond + aSecond/2, "below zero": -aSecond, "above the bound": 3 * anHour,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, []*contract.Tool{waiting(new(waitInput), func(waitInput) contract.Duration { return waited })})
			r := k.call(alice, "clock.wait", `{"wait":"PT1S"}`)
			assert.Equal(t, contract.CodeOutputInvalid, r.Outcome.Code)
			assert.Empty(t, r.Structured)
		})
	}
}
