package derive_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
)

// A day is a type from another module: it writes and reads its own JSON.
type day struct{ text string }

func (d day) MarshalJSON() ([]byte, error) { return json.Marshal(d.text) }
func (d *day) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &d.text); err != nil || len(d.text) != len("2026-01-02") {
		return errors.New("s3cret")
	}
	return nil
}

// A fickle value isn't read back as it was written.
type fickle struct{}

func (fickle) MarshalJSON() ([]byte, error) { return []byte(`"a"`), nil }
func (*fickle) UnmarshalJSON([]byte) error  { return errors.New("s3cret") }

type exploding struct{}

func (exploding) MarshalJSON() ([]byte, error) { panic("s3cret") }
func (*exploding) UnmarshalJSON([]byte) error  { panic("s3cret") }

func typeSchemas(t *testing.T, of reflect.Type, raw string, samples ...any) derive.Options {
	t.Helper()
	made, problems := derive.NewTypeSchema(of, json.RawMessage(raw), samples...)
	require.Empty(t, problems)
	return derive.Options{Types: map[reflect.Type]*derive.TypeSchema{of: made}}
}

func TestDerive_UsesTheSchemaThatATypeWasGiven(t *testing.T) {
	t.Parallel()
	const schemaOfDay = `{"type":"string","format":"date"}`
	opts := typeSchemas(t, reflect.TypeFor[day](), schemaOfDay, day{"2026-01-02"})
	for name, test := range map[string]struct {
		of        reflect.Type
		tag, want string
	}{
		"a field": {reflect.TypeFor[day](), jsonschemaTag("title=T,minLength=10,default=2026-01-02"),
			`{"type":"string","minLength":10,"format":"date","title":"T","default":"2026-01-02"}`},
		"a pointer": {reflect.TypeFor[*day](), jsonschemaTag("nullable"), `{"anyOf":[` + `{"type":"string","format":"date"}` +
			orNull + `}`},
		"items": {reflect.TypeFor[[]day](), jsonschemaTag("maxLength=10"), `{"items":{"type":"string","maxLength":10,` +
			`"format":"date"},"type":"array"}`},
		"values of a map": {reflect.TypeFor[map[string]day](), "", `{"additionalProperties":{"type":"string","format":"date"},` +
			`"type":"object"}`},
		"a nested field": {reflect.TypeFor[struct{ D day }](), "", `{"properties":{"D":{"type":"string","format":"date"}},` +
			`"additionalProperties":false,"type":"object","required":["D"]}`},
		"a decimal": {reflect.TypeFor[decimal.Decimal](), jsonschemaTag("maxLength=12"), `{"type":"string","maxLength":12,` +
			`"pattern":"^-?[0-9]+(\\.[0-9]+)?$"}`},
		"a UUID":          {reflect.TypeFor[uuid.UUID](), "", `{"type":"string","format":"uuid"}`},
		"a big integer":   {reflect.TypeFor[big.Int](), jsonschemaTag("minimum=0"), `{"type":"integer","minimum":0}`},
		"a list of UUIDs": {reflect.TypeFor[[]*uuid.UUID](), "", `{"items":{"type":"string","format":"uuid"},"type":"array"}`},
		"decimals by name": {reflect.TypeFor[map[string]decimal.Decimal](), "", `{"additionalProperties":{"type":"string",` +
			`"pattern":"^-?[0-9]+(\\.[0-9]+)?$"},"type":"object"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, dir := range []schema.Direction{schema.Input, schema.Output} {
				raw, problems := derive.Derive(oneField(test.of, test.tag), dir, opts)
				require.Empty(t, problems)
				assert.Equal(t, `{"properties":{"v":`+test.want+`},"additionalProperties":false,"type":"object"}`, string(raw))
			}
		})
	}
}

func TestDerive_KeepsNullAndUnionsInTheSchemaOfAType(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"type":["string","null"],"maxLength":10}`:            `{"anyOf":[{"type":"string","maxLength":10}` + orNull + `}`,
		`{"type":["string","integer"]}`:                        `{"type":["string","integer"]}`,
		`{"type":"string","enum":["a"],"x-unit":"day"}`:        `{"type":"string","enum":["a"],"x-unit":"day"}`,
		`{"anyOf":[{"type":"string"},{"type":"integer"}]}`:     `{"anyOf":[{"type":"string"},{"type":"integer"}]}`,
		`{"type":"string","examples":["2026-01-02"]}`:          `{"type":"string","examples":["2026-01-02"]}`,
		`{"type":["string"],"description":"a day, as a text"}`: `{"type":"string","description":"a day, as a text"}`,
	} {
		opts := typeSchemas(t, reflect.TypeFor[day](), given)
		raw, problems := derive.Derive(oneField(reflect.TypeFor[day](), ""), schema.Input, opts)
		require.Empty(t, problems)
		assert.Equal(t, `{"properties":{"v":`+want+`},"additionalProperties":false,"type":"object"}`, string(raw))
	}
}

func TestDerive_RefusesTagsThatTheSchemaOfATypeHas(t *testing.T) {
	t.Parallel()
	opts := typeSchemas(t, reflect.TypeFor[day](), `{"type":"string","format":"date","enum":["2026-01-02"]}`)
	for _, tag := range []string{"format=date-time", "enum=2026-01-03", "minimum=1"} {
		_, problems := derive.Derive(oneField(reflect.TypeFor[day](), jsonschemaTag(tag)), schema.Input, opts)
		require.Len(t, problems, 1, tag)
		assert.Equal(t, derive.RuleTagApplies, problems[0].Rule)
	}
}

func TestNewTypeSchema_RefusesWhatDoesNotFitTheType(t *testing.T) {
	t.Parallel()
	days := reflect.TypeFor[day]()
	for name, test := range map[string]struct {
		of      reflect.Type
		raw     string
		samples []any
		rule    string
		field   string
	}{
		"no JSON":                      {days, `{`, nil, schema.RuleCompile, ""},
		"no object":                    {days, `true`, nil, schema.RuleCompile, ""},
		"no keyword":                   {days, `{}`, nil, schema.RuleCompile, ""},
		"a misspelt keyword":           {days, `{"typ":"string"}`, nil, schema.RuleUnknown, "/typ"},
		"a format that nothing checks": {days, `{"type":"string","format":"day"}`, nil, schema.RuleFormat, "/format"},
		"a reference":                  {days, `{"$ref":"#"}`, nil, schema.RuleCompile, "/$ref"},
		"a default":                    {days, `{"type":"string","default":"x"}`, nil, schema.RuleCompile, "/default"},
		"a protection":                 {days, `{"type":"string","x-secret":true}`, nil, schema.RuleCompile, "/x-secret"},
		"another JSON type":            {days, `{"type":"object"}`, nil, derive.RuleTypeSchema, "/type"},
		"a sample that the schema refuses": {days, `{"type":"string","maxLength":3}`, []any{day{"2026-01-02"}}, derive.RuleTypeSchema,
			""},
		"a sample that is not read again": {reflect.TypeFor[fickle](), `{"type":"string"}`, []any{fickle{}}, derive.RuleTypeSchema, ""},
		"a sample that panics": {reflect.TypeFor[exploding](), `{"type":"string"}`, []any{exploding{}},
			derive.RuleTypeSchema, ""},
		"an example that is not read": {days, `{"type":"string","examples":["2026-01-02","2026"]}`, nil, derive.RuleTypeSchema,
			"/examples/1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := derive.NewTypeSchema(test.of, json.RawMessage(test.raw), test.samples...)
			require.Len(t, problems, 1)
			assert.Equal(t, test.rule, problems[0].Rule)
			assert.Equal(t, test.field, problems[0].Field)
			assert.NotContains(t, problems[0].Message, "s3cret")
		})
	}
}
