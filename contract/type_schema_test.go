package contract_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"math/big"
	"net/netip"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// A postcode stands for a type of another module.
type postcode struct{ text string }

func (p postcode) MarshalJSON() ([]byte, error) { return json.Marshal(p.text) }

func (p *postcode) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &p.text) }

const schemaOfPostcode = `{"type":"string","pattern":"^[0-9]{5}$"}`

func postcodes() contract.TypeSchema {
	return contract.TypeSchemaFor(json.RawMessage(schemaOfPostcode), postcode{"10115"})
}

type othersTypes struct {
	Amount decimal.Decimal            `json:"amount"`
	ID     uuid.UUID                  `json:"id"`
	From   netip.Addr                 `json:"from"`
	Nets   []netip.Prefix             `json:"nets,omitempty"`
	Count  *big.Int                   `json:"count,omitempty"`
	Code   postcode                   `json:"code"`
	Codes  map[string]*postcode       `json:"codes,omitempty"`
	Note   *string                    `json:"note,omitempty" jsonschema:"nullable,minLength=2"`
	Rate   sql.Null[float64]          `json:"rate" jsonschema:"minimum=0"`
	Limits []sql.NullInt64            `json:"limits,omitempty"`
	Parts  []innerTags[sql.NullInt16] `json:"parts,omitempty"`
}

func TestTypes_OfOtherModulesAreBoundAsTheyAreValidated(t *testing.T) {
	t.Parallel()
	tool := open(t, readingOf[othersTypes]().From(contract.Base{TypeSchemas: []contract.TypeSchema{postcodes()}}))
	const minimal = `"amount":"12.50","id":"f47ac10b-58cc-4372-a567-0e02b2c3d479","from":"192.0.2.1","code":"10115"`
	args, broken := tool.Decode([]byte(`{` + minimal + `,"rate":null,"note":null,"nets":["10.0.0.0/8"],"count":7,` +
		`"codes":{"a":"20095"},"limits":[1,null],"parts":[{"inner":null}]}`))
	require.Empty(t, broken)
	in, ok := args.In.(*othersTypes)
	require.True(t, ok)
	assert.Equal(t, "12.50", in.Amount.StringFixed(2))
	assert.Equal(t, "f47ac10b-58cc-4372-a567-0e02b2c3d479", in.ID.String())
	assert.Equal(t, netip.MustParseAddr("192.0.2.1"), in.From)
	assert.Equal(t, big.NewInt(7), in.Count)
	assert.Equal(t, postcode{"20095"}, *in.Codes["a"])
	assert.Nil(t, in.Note)
	assert.False(t, in.Rate.Valid)
	assert.Equal(t, []sql.NullInt64{{Int64: 1, Valid: true}, {}}, in.Limits)

	for name, test := range map[string]struct{ members, rule, pointer string }{
		"an address that UnmarshalText refuses": {`"rate":1,"from":"s3cret"`, "json.bind", "/from"},
		"a network in a list":                   {`"rate":1,"nets":["10.0.0.0/8","s3cret"]`, "json.bind", "/nets/1"},
		"a UUID of another form": {`"rate":1,"id":"urn:uuid:f47ac10b-58cc-4372-a567-0e02b2c3d479"`, "schema.format",
			"/id"},
		"a decimal that is a number": {`"rate":1,"amount":12.5`, "schema.type", "/amount"},
		"an exponent":                {`"rate":1,"amount":"1e9"`, "schema.pattern", "/amount"},
		"a given schema":             {`"rate":1,"code":"s3cret"`, "schema.pattern", "/code"},
		"a given schema in a map":    {`"rate":1,"codes":{"a":"s3cret"}`, "schema.pattern", "/codes/a"},
		"a keyword beside null":      {`"rate":-1`, "schema.minimum", "/rate"},
		"a keyword beside nullable":  {`"rate":1,"note":"x"`, "schema.minLength", "/note"},
		"null for a value":           {`"rate":1,"code":null`, "schema.type", "/code"},
		"an integer beyond 64 bits":  {`"rate":1,"count":100000000000000000000`, "schema.type", "/count"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, broken := tool.Decode([]byte(`{` + merged(t, `{`+minimal+`}`, `{`+test.members+`}`) + `}`))
			require.Len(t, broken, 1)
			assert.Equal(t, test.rule, broken[0].Rule)
			assert.Equal(t, test.pointer, broken[0].Pointer)
			assert.NotContains(t, broken[0].Message, "s3cret")
		})
	}
}

// merged returns the members of two objects, of which the second one wins.
func merged(t *testing.T, texts ...string) string {
	t.Helper()
	all := map[string]json.RawMessage{}
	for _, text := range texts {
		require.NoError(t, json.Unmarshal([]byte(text), &all))
	}
	data, err := json.Marshal(all)
	require.NoError(t, err)
	return string(bytes.Trim(data, "{}"))
}

func TestTypes_OfOtherModulesAreReturnedAsPublished(t *testing.T) {
	t.Parallel()
	type output struct {
		Amount decimal.Decimal `json:"amount"`
		ID     uuid.UUID       `json:"id"`
		Code   postcode        `json:"code"`
		Note   *string         `json:"note" jsonschema:"nullable"`
		Rate   sql.NullFloat64 `json:"rate"`
	}
	tool := open(t, returning[output]().TypeSchemas(postcodes()))
	raw, tree, err := tool.Encode(output{Amount: decimal.RequireFromString("0.10"), Code: postcode{"10115"}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"amount":"0.1","id":"00000000-0000-0000-0000-000000000000","code":"10115","note":null,"rate":null}`,
		string(raw))
	assert.Empty(t, tool.Facts().OutputSchema.Validate(treeOf(t, raw, tree)))
}

func TestTypeSchemas_OfAToolWinOverThoseOfItsBase(t *testing.T) {
	t.Parallel()
	type input struct {
		Code postcode `json:"code"`
	}
	base := contract.Base{TypeSchemas: []contract.TypeSchema{postcodes()}}
	loose := contract.TypeSchemaFor[postcode](json.RawMessage(`{"type":"string"}`))
	d := build(t, readingOf[input]().From(base).TypeSchemas(loose)).Document()
	assert.JSONEq(t, `{"type":"object","properties":{"code":{"type":"string"}},"required":["code"],"additionalProperties":false}`,
		string(d.InputSchema))
}

func TestTypeSchemas_AreCheckedByBuild(t *testing.T) {
	t.Parallel()
	for name, given := range map[string]contract.TypeSchema{
		"a zero TypeSchema":                {},
		"a type of Go itself":              contract.TypeSchemaFor[string](json.RawMessage(`{"type":"string"}`)),
		"a pointer":                        contract.TypeSchemaFor[*postcode](json.RawMessage(`{"type":"string"}`)),
		"an interface":                     contract.TypeSchemaFor[json.Marshaler](json.RawMessage(`{"type":"string"}`)),
		"a type that is written otherwise": contract.TypeSchemaFor[postcode](json.RawMessage(`{"type":"integer"}`)),
		"a sample that the schema refuses": contract.TypeSchemaFor(json.RawMessage(schemaOfPostcode), postcode{"s3cret"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, []string{"schema.typeSchema"}, mistakes(t, reading().TypeSchemas(given)))
		})
	}
	assert.Equal(t, []string{"schema.unknown"},
		mistakes(t, reading().TypeSchemas(contract.TypeSchemaFor[postcode](json.RawMessage(`{"typ":"string"}`)))))
}

func TestInputSchema_ReadsTheNullTypesOfDatabaseSQL(t *testing.T) {
	t.Parallel()
	type input struct {
		Rate sql.NullInt64 `json:"rate"`
	}
	b := readingOf[input]().InputSchema(closed(`{"type":"object","properties":{"rate":{"type":["integer","null"]}}}`))
	build(t, b)
	b.InputSchema(closed(`{"type":"object","properties":{"rate":{"type":"object"}}}`))
	assert.Equal(t, []string{"schema.bind"}, mistakes(t, b))
}

type payCard struct {
	Number string `json:"number" contract:"secret"`
}

type payment struct {
	_    contract.OneOf
	Card *payCard `json:"card,omitempty"`
	IBAN *string  `json:"iban,omitempty" contract:"sensitive"`
}

func TestOneOf_HasOneMember(t *testing.T) {
	t.Parallel()
	type input struct {
		Payment payment   `json:"payment"`
		Others  []payment `json:"others,omitempty"`
	}
	tool := open(t, readingOf[input]())
	args, broken := tool.Decode([]byte(`{"payment":{"card":{"number":"s3cret"}},"others":[{"iban":"DE02"}]}`))
	require.Empty(t, broken)
	in, ok := args.In.(*input)
	require.True(t, ok)
	assert.Equal(t, "s3cret", in.Payment.Card.Number)
	assert.Nil(t, in.Payment.IBAN)
	assert.Equal(t, []string{"s3cret", "DE02"}, tool.Hidden(args.Tree()))

	const none = "must have exactly one of these members: card, iban"
	for text, want := range map[string][]string{
		`{"payment":{}}`: {"schema.minProperties", "/payment", none},
		`{"payment":{"card":{"number":"1"},"iban":"DE02"}}`:    {"schema.maxProperties", "/payment", none},
		`{"payment":{"card":{}}}`:                              {"schema.required", "/payment/card/number", "is required"},
		`{"payment":{"iban":"DE02"},"others":[{"iban":null}]}`: {"schema.type", "/others/0/iban", "must be a string"},
	} {
		_, broken := tool.Decode([]byte(text))
		require.Len(t, broken, 1, text)
		assert.Equal(t, want, []string{broken[0].Rule, broken[0].Pointer, broken[0].Message})
	}
}

func TestOneOf_RefusesAResultWithoutExactlyOneMember(t *testing.T) {
	t.Parallel()
	type paid struct {
		_    contract.OneOf
		Card *noteOutput `json:"card,omitempty"`
		IBAN *string     `json:"iban,omitempty"`
	}
	tool := open(t, returning[paid]())
	iban := "DE02"
	for _, test := range []struct {
		out    paid
		broken int
	}{{paid{IBAN: &iban}, 0}, {paid{}, 1}, {paid{IBAN: &iban, Card: &noteOutput{}}, 1}} {
		raw, tree, err := tool.Encode(test.out)
		require.NoError(t, err)
		assert.Len(t, tool.Facts().OutputSchema.Validate(treeOf(t, raw, tree)), test.broken)
	}
}
