package contract_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// encoding/json reads and writes what callers do.
func TestDuration_HasOneFormInEveryJSON(t *testing.T) {
	t.Parallel()
	type waits struct {
		Wait  contract.Duration            `json:"wait"`
		Pause *contract.Duration           `json:"pause"`
		Each  map[string]contract.Duration `json:"each"`
		After contract.Duration            `json:"after,omitzero"`
	}
	const text = `{"wait":"PT1H30M","pause":"PT36H","each":{"a":"PT0S"}}`
	value := waits{
		Wait: contract.Duration(90 * time.Minute), Pause: new(contract.Duration(36 * time.Hour)),
		Each: map[string]contract.Duration{"a": 0},
	}
	data, err := json.Marshal(value)
	require.NoError(t, err)
	assert.Equal(t, text, string(data))
	var read waits
	require.NoError(t, json.Unmarshal(data, &read))
	assert.Equal(t, value, read)
	assert.Equal(t, "1h30m0s", read.Wait.String())
}

func TestDuration_RefusesWhatHasNoForm(t *testing.T) {
	t.Parallel()
	const form = "contract: must be a duration (ISO 8601) such as PT1H30M"
	for text, want := range map[string]string{
		"": form, "1h30m": form, "PT1.5S": form, "-PT1S": form, "5400": form,
		"P1M":         "contract: must be a duration without years and months, because their length varies",
		"P999999999W": "contract: must be a shorter duration",
	} {
		d := contract.Duration(time.Second)
		require.EqualError(t, d.UnmarshalText([]byte(text)), want, text)
		assert.Equal(t, contract.Duration(time.Second), d, text)
	}
	for _, d := range []time.Duration{-time.Second, 1500 * time.Millisecond} {
		_, err := contract.Duration(d).MarshalText()
		assert.EqualError(t, err, "contract: must be a duration of whole seconds that is not negative")
	}
}

func TestBuild_ADurationIsATypeAndNoTag(t *testing.T) {
	t.Parallel()
	type input struct {
		Wait time.Duration `json:"wait" jsonschema:"format=duration,minimum=1s"`
	}
	_, err := complete(contract.New("clock.wait", handler[input, noteOutput])).Effect(risk.ReadOnly).Build()
	require.EqualError(t, err, "contract: tool clock.wait: [schema.tag.applies] inputSchema input.Wait: a time.Duration is an "+
		"integer of nanoseconds, which no tag turns into text; use the type contract.Duration, without format=duration")
}

// A written schema cannot make a time.Duration a text either.
func TestBuild_AWrittenSchemaWithADurationNeedsTheType(t *testing.T) {
	t.Parallel()
	type plain struct {
		Wait time.Duration `json:"wait"`
	}
	type typed struct {
		Wait contract.Duration `json:"wait"`
	}
	const written = `{"type":"object","properties":{"wait":{"type":"string","format":"duration"}},"additionalProperties":false}`
	_, err := complete(contract.New("clock.wait", handler[plain, noteOutput])).Effect(risk.ReadOnly).
		InputSchema(json.RawMessage(written)).Build()
	require.EqualError(t, err, "contract: tool clock.wait: [schema.bind] inputSchema /properties/wait/type: the type "+
		"time.Duration holds no value of a JSON type that the schema accepts, so every call with one would be refused; "+
		"write the JSON type integer or number, or change the Go type")
	_, err = complete(contract.New("clock.wait", handler[typed, noteOutput])).Effect(risk.ReadOnly).
		InputSchema(json.RawMessage(written)).Build()
	require.NoError(t, err)
}
