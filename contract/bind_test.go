package contract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type (
	termsInput struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	resultOutput struct {
		Result float64 `json:"result"`
	}
)

// file returns the text of a definition, by its path.
func file(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

const (
	calculator = "../examples/calculator/calculator.json"
	allTypes   = "definition/testdata/all_types.json"
)

func parsed(t testing.TB, text string) definition.Definition {
	t.Helper()
	d, err := definition.Parse([]byte(text))
	require.NoError(t, err)
	return d
}

func mustDefinition(text string) definition.Definition {
	d, err := definition.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return d
}

// adding binds the capability "add" of a definition.
func adding[In, Out any](d definition.Definition) *contract.Builder[In, Out] {
	return contract.Bind(d, "add", handler[In, Out]).Effect(risk.ReadOnly).Trust(trust.Trusted)
}

const returnsResult = `"return":{"schema":{"type":"object","properties":{"result":{"type":"number"}},"required":["result"],` +
	`"additionalProperties":false}}`

// sum returns a definition with one capability that has the given members.
func sum(members string) definition.Definition {
	return mustDefinition(`{"id":"sums","name":"Sums","version":"1.0.0","description":"Sums.","securityLevel":1,` +
		`"capabilities":[{"name":"add","description":"Adds.",` + members + `}]}`)
}

const (
	twoTerms = `"parameters":[{"name":"a","type":"number","required":true},{"name":"b","type":"number","required":true}]`
	oneTerm  = `"parameters":[{"name":"a","type":"number","required":true}]`
)

// brokenBindings returns a contract for each rule of Bind.
func brokenBindings() []brokenRule {
	type (
		none     struct{}
		textTerm struct {
			A string `json:"a"`
		}
		optionalTerm struct {
			A float64 `json:"a,omitzero"`
		}
		requiredTerm struct {
			A float64 `json:"a"`
		}
		optionalResult struct {
			Result float64 `json:"result,omitzero"`
		}
		textResult struct {
			Result string `json:"result"`
		}
		moreResult struct {
			Result float64 `json:"result"`
			Unit   string  `json:"unit"`
		}
	)
	one, two := sum(oneTerm), sum(twoTerms)
	optional := sum(`"parameters":[{"name":"a","type":"number"}]`)
	result := sum(oneTerm + "," + returnsResult)
	invalid := two.Clone()
	invalid.Capabilities[0].Parameters[1].Name = "a"
	return []brokenRule{
		{"bind.definition", "bound to a definition with a parameter twice", complete(adding[termsInput, resultOutput](invalid)),
			"definition/capabilities/0/parameters/1/name"},
		{"bind.capability", "bound to no capability",
			complete(contract.Bind(two, "Add", handler[termsInput, resultOutput]).Effect(risk.ReadOnly)), "definition/capabilities"},
		{"bind.version", "of another version than its definition", adding[termsInput, resultOutput](two).Version("1.1.0"), "version"},
		{"bind.securityLevel", "that demands less than its definition", adding[termsInput, resultOutput](two).SecurityLevel(0),
			"securityLevel"},
		{"bind.parameter", "that has no input for a parameter", adding[requiredTerm, resultOutput](two), "parameters/b"},
		{"bind.parameter", "that has an input beyond the parameters", adding[termsInput, resultOutput](one), "parameters/b"},
		{"bind.parameter", "whose definition has no parameters and whose input has one",
			adding[requiredTerm, resultOutput](sum(`"parameters":[]`)), "parameters/a"},
		{"bind.parameter", "whose definition has a parameter and whose input has none", adding[none, resultOutput](one),
			"parameters/a"},
		{"bind.parameter", "whose input has another type", adding[textTerm, resultOutput](one), "parameters/a"},
		{"bind.parameter", "whose input takes text where anything is declared",
			adding[textTerm, resultOutput](sum(strings.Replace(oneTerm, "number", "any", 1))), "parameters/a"},
		{"bind.parameter", "whose input may lack what is required", adding[optionalTerm, resultOutput](one), "parameters/a"},
		{"bind.parameter", "whose input requires what may be left out", adding[requiredTerm, resultOutput](optional), "parameters/a"},
		{"bind.parameter", "whose input is a map of another type", adding[map[string]string, resultOutput](one), "parameters/a"},
		{"bind.parameter", "whose own input schema has another type",
			adding[map[string]any, resultOutput](one).InputSchema(
				json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},` +
					`"required":["a"]}`)), "parameters/a"},
		{"bind.parameter", "whose own input schema lacks a parameter",
			adding[map[string]any, resultOutput](optional).InputSchema(json.RawMessage(`{"type":"object"}`)), "parameters/a"},
		{"bind.return", "that returns nothing where a value is declared", adding[requiredTerm, struct{}](result), "return"},
		{"bind.return", "that returns text where an object is declared", adding[requiredTerm, string](result), "return"},
		{"bind.return", "that returns text that is bounded",
			adding[requiredTerm, string](sum(oneTerm + `,"return":{"schema":{"type":"string","maxLength":9}}`)), "return"},
		{"bind.return", "that returns text that is one of a list",
			adding[requiredTerm, string](sum(oneTerm + `,"return":{"schema":{"enum":["a"]}}`)), "return"},
		{"bind.return", "that returns text although no value is allowed", adding[requiredTerm, string](withReturn(one, `false`)),
			"return"},
		{"bind.return", "whose result lacks a declared member", adding[requiredTerm, map0](result), "return/result"},
		{"bind.return", "whose result may lack a required member", adding[requiredTerm, optionalResult](result), "return/result"},
		{"bind.return", "whose result has another type", adding[requiredTerm, textResult](result), "return/result"},
		{"bind.return", "whose result has a member that is not allowed", adding[requiredTerm, moreResult](result), "return/unit"},
		{"bind.return", "whose content's result lacks a declared member", adding[requiredTerm, contract.Reply[map0]](result),
			"return/result"},
		{"bind.return", "that replaces the declared schema",
			adding[requiredTerm, resultOutput](result).OutputSchema(json.RawMessage(`{"type":"object"}`)), "return"},
	}
}

// map0 is a result without members.
type map0 struct {
	_ int
}

func TestBind_PublishesTheCapabilityAsAContract(t *testing.T) {
	t.Parallel()
	d := parsed(t, file(t, calculator))
	typed := build(t, adding[termsInput, resultOutput](d)).Document()
	assert.Equal(t, "calculator.add", typed.Name)
	assert.Equal(t, "Calculator Tool: add", typed.Title)
	assert.Equal(t, "Adds two numbers", typed.Description)
	assert.Equal(t, "1.0.0", typed.Version)
	assert.Equal(t, risk.SecurityLevel(1), typed.SecurityLevel)
	assert.Equal(t, map[string]any{"category": "utility", "tags": []any{"math", "calculation"}}, typed.Metadata)
	assert.Equal(t, `{"type":"object","properties":{"a":{"type":"number","description":"First number"},"b":{"type":"number",`+
		`"description":"Second number"}},`+
		`"additionalProperties":false,"required":["a","b"]}`, string(typed.InputSchema))
	assert.Equal(t, `{"type":"object","properties":{"result":{"type":"number"}}}`, string(typed.OutputSchema))

	overMaps := build(t, adding[map[string]any, map[string]any](d)).Document()
	assert.Equal(t, typed, overMaps, "one contract, either way")
	overNumbers := build(t, adding[map[string]float64, resultOutput](d)).Document()
	assert.Equal(t, typed, overNumbers)
}

func TestBind_AcceptsEveryParameterType(t *testing.T) {
	t.Parallel()
	type style struct {
		Bold bool `json:"bold"`
	}
	type input struct {
		Tags   []string `json:"tags,omitempty"`
		Text   string   `json:"text" jsonschema:"minLength=1,description=The text."`
		Weight int      `json:"weight,omitempty" jsonschema:"maximum=9"`
		Pinned bool     `json:"pinned,omitempty"`
		Style  *style   `json:"style,omitempty"`
		Other  *style   `json:"-"`
		Key    any      `json:"naïve/key~"`
	}
	type output struct {
		ID   string `json:"id"`
		Size int    `json:"size,omitempty"`
	}
	d := parsed(t, file(t, allTypes))
	bind := func(b buildable) string { return string(build(t, b).Document().InputSchema) }
	require.JSONEq(t, `{"type":"object","additionalProperties":false,"required":["text","naïve/key~"],"properties":{
		"text":{"type":"string","minLength":1,"description":"The text."},
		"weight":{"type":"integer","format":"int64","maximum":9,"description":"How heavy."},
		"pinned":{"type":"boolean","description":"On top."},
		"style":{"type":"object","properties":{"bold":{"type":"boolean"}},"additionalProperties":false,"required":["bold"]},
		"tags":{"type":"array","items":{"type":"string"}},
		"naïve/key~":{}}}`, bind(contract.Bind(d, "write_all", handler[input, output]).Effect(risk.ReadOnly)))
	require.JSONEq(t, `{"type":"object","additionalProperties":false,"required":["text","naïve/key~"],"properties":{
		"text":{"type":"string","description":"What to write."},
		"weight":{"type":"number","description":"How heavy."},
		"pinned":{"type":"boolean","description":"On top."},
		"style":{"type":"object"},"tags":{"type":"array"},"naïve/key~":{}}}`,
		bind(contract.Bind(d, "write_all", handler[map[string]any, output]).Effect(risk.ReadOnly)))
	assert.Equal(t, `{"type":"object","properties":{},"additionalProperties":false}`,
		bind(contract.Bind(d, "clear", handler[struct{}, struct{}]).Effect(risk.ReadOnly)))
	text := build(t, contract.Bind(d, "read", handler[map[string]any, string]).Effect(risk.ReadOnly)).Document()
	assert.Nil(t, text.OutputSchema, "text is not structured")
}

func TestBind_PublishesDefinitionsOfTypesThatAreUsedTwice(t *testing.T) {
	t.Parallel()
	type point struct {
		X float64 `json:"x"`
	}
	type line struct {
		From point `json:"from"`
		To   point `json:"to"`
	}
	d := sum(`"parameters":[{"name":"to","description":"Its end.","type":"object","required":true},{"name":"from","type":"object",` +
		`"required":true}]`)
	input := build(t, adding[line, struct{}](d)).Document().InputSchema
	assert.Equal(t, `{"type":"object","properties":{"to":{"$ref":"#/$defs/point","description":"Its end."},`+
		`"from":{"$ref":"#/$defs/point"}},"additionalProperties":false,"required":["to","from"],`+
		`"$defs":{"point":{"properties":{"x":{"type":"number"}},"additionalProperties":false,"type":"object","required":["x"]}}}`,
		string(input))
}

func TestBind_ReadsTags(t *testing.T) {
	t.Parallel()
	type input struct {
		_ contract.Tags `effect:"read-only" trust:"trusted" version:"9.9.9"`
		A float64       `json:"a"`
	}
	d := build(t, contract.Bind(sum(oneTerm), "add", handler[input, resultOutput])).Document()
	assert.Equal(t, risk.ReadOnly, d.Effect)
	assert.Equal(t, "1.0.0", d.Version, "the definition's")
}

func TestBind_LetsTheToolAuthorDeclareMore(t *testing.T) {
	t.Parallel()
	d := build(t, adding[termsInput, resultOutput](sum(twoTerms)).SecurityLevel(2).Title("Add").Metadata("team", "sums").
		From(contract.Base{Version: "7.0.0", Description: "Shared.", Category: "maths"})).Document()
	assert.Equal(t, risk.SecurityLevel(2), d.SecurityLevel)
	assert.Equal(t, "Add", d.Title)
	assert.Equal(t, "1.0.0", d.Version, "a base lies under the definition")
	assert.Equal(t, "Adds.", d.Description)
	assert.Equal(t, "maths", d.Category)
	assert.Equal(t, map[string]any{"team": "sums"}, d.Metadata)
}

func TestBind_ReportsAllMistakes(t *testing.T) {
	t.Parallel()
	type input struct {
		A string  `json:"a,omitempty"`
		C float64 `json:"c"`
	}
	d := sum(twoTerms + `,"return":{"schema":{"type":"number"}}`)
	b := contract.Bind[input, map[string]any](d, "add", nil)
	assert.Equal(t, []string{"handler.nil", "effect.missing", "bind.parameter", "bind.parameter", "bind.parameter", "bind.parameter",
		"schema.root"}, mistakes(t, b))
	_, err := b.Build()
	e := contract.DeclarationErrors(err)[2]
	assert.Equal(t, "contract: tool sums.add: [bind.parameter] parameters/a: the definition declares a number and the "+
		"input takes a string; correct one of them", e.Error())

	zero := mistakes(t, contract.Bind(definition.Definition{}, "add", handler[input, resultOutput]).Effect(risk.ReadOnly))
	assert.Contains(t, zero, "bind.definition")
	restricted := contract.Bind(sum(oneTerm+","+returnsResult), "add", handler[struct {
		A float64 `json:"a"`
	}, struct {
		Result float64 `json:"result" contract:"expose"`
	}]).Effect(risk.ReadOnly).Risk(risk.Restricted).Permissions("sums:add")
	assert.JSONEq(t, `{"type":"object","properties":{"result":{"type":"number"}},"required":["result"],`+
		`"additionalProperties":false}`, string(build(t, restricted).Document().OutputSchema))
}

// withReturn returns a definition made in Go, with a schema of the return
// value.
func withReturn(d definition.Definition, schema string) definition.Definition {
	d = d.Clone()
	d.Capabilities[0].Return = &definition.ReturnValue{Schema: json.RawMessage(schema)}
	return d
}

func TestBind_TextIsTheTypeStringWithItsWords(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{`{}`, `{"type":"string"}`, `{"type":"string","title":"Text","description":"What it says.",` +
		`"examples":["a"],"x-lines":1}`} {
		d := sum(twoTerms + `,"return":{"schema":` + schema + `}`)
		assert.Nil(t, build(t, adding[termsInput, string](d)).Document().OutputSchema, schema)
	}
}

func TestBind_TheDefinitionIsKeptAndWrittenBack(t *testing.T) {
	t.Parallel()
	d := parsed(t, file(t, calculator))
	add := build(t, adding[termsInput, resultOutput](d))
	subtract := build(t, contract.Bind(d, "subtract", handler[termsInput, resultOutput]).Effect(risk.ReadOnly))
	other := build(t, adding[termsInput, struct{}](sum(twoTerms)))
	unbound := build(t, complete(contract.New("calculator.subtract", note)).Effect(risk.ReadOnly))
	d.Metadata["category"], d.Capabilities[0].Name = "changed", "changed"

	g, err := guard.New(guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal,
		error) {
		return guard.Principal{}, nil
	})))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	set, err := g.Protect(subtract, other, add)
	require.NoError(t, err)
	written, err := contract.DefinitionsOf(set.Tools()...)
	require.NoError(t, err)
	require.Len(t, written, 2)
	data, err := json.Marshal(written[0])
	require.NoError(t, err)
	assert.JSONEq(t, file(t, calculator), string(data))
	assert.Equal(t, "sums", written[1].ID)

	kept, ok := add.Definition()
	require.True(t, ok)
	assert.Equal(t, written[0], kept)
	kept.Capabilities[0].Name = "changed"
	assert.Empty(t, contract.Unbound(written[0], add, subtract))
	assert.Equal(t, []string{"subtract"}, contract.Unbound(written[0], add, unbound, nil, other))
	assert.Equal(t, []string{"add", "subtract"}, contract.Unbound(written[0]))
	_, ok = unbound.Definition()
	assert.False(t, ok)
	none, err := contract.DefinitionsOf(unbound, nil)
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestDefinitionsOf_RefusesAnIDTwice(t *testing.T) {
	t.Parallel()
	one := build(t, adding[termsInput, struct{}](sum(twoTerms)))
	same := build(t, adding[map[string]any, struct{}](sum(twoTerms)))
	changed := sum(twoTerms)
	changed.Description = "Others."
	other := build(t, adding[termsInput, struct{}](changed))
	all, err := contract.DefinitionsOf(one, same)
	require.NoError(t, err)
	assert.Len(t, all, 1)
	all, err = contract.DefinitionsOf(one, other, other)
	assert.Nil(t, all)
	require.EqualError(t, err, "definition sums: [definition.duplicate] /id: another definition with other content has the same ID")
	assert.NotEmpty(t, definition.Errors(err))
}

func TestBind_TheSecurityLevelIsHonoured(t *testing.T) {
	t.Parallel()
	anonymous, anna := guard.Principal{}, guard.Principal{Subject: "anna"}
	holder := guard.Principal{Subject: "anna", Permissions: []string{"sums:add"}}
	for level := range risk.MaxSecurityLevel + 1 {
		t.Run(fmt.Sprintf("level %s", level), func(t *testing.T) {
			t.Parallel()
			d := sum(twoTerms)
			d.SecurityLevel = level
			if level >= 4 {
				assert.Equal(t, []string{"security.permissions"}, mistakes(t, adding[termsInput, resultOutput](d)))
			}
			if level >= 8 {
				assert.Equal(t, []string{"security.verification"},
					mistakes(t, adding[termsInput, resultOutput](d).Permissions("sums:add").ConfirmNever("No need.")))
			}
			b := adding[termsInput, resultOutput](d)
			if level >= 4 {
				b = b.Permissions("sums:add")
			}
			tool := build(t, b)
			assert.Equal(t, level >= 8, tool.Document().Confirmation == contract.ConfirmationAlways)

			want := map[string]string{"anonymous": "", "anna": "", "holder": ""}
			if level >= 1 {
				want["anonymous"] = contract.CodeUnauthenticated
			}
			if level >= 4 {
				want["anna"] = contract.CodePermissionDenied
			}
			if level >= 8 {
				want["holder"] = contract.CodeConfirmationRequired
			}
			for name, p := range map[string]guard.Principal{"anonymous": anonymous, "anna": anna, "holder": holder} {
				assert.Equal(t, want[name], codeFor(t, tool, p), name)
			}
		})
	}
}

// codeFor calls a tool as p, through a client that cannot ask a person.
func codeFor(t *testing.T, tool *contract.Tool, p guard.Principal) string {
	t.Helper()
	g, err := guard.New(
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return p, nil })),
		guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	set, err := g.Protect(tool)
	require.NoError(t, err)
	result, err := exchange.Of(set).Call(t.Context(), exchange.Request{Tool: tool.Name(), Arguments: []byte(`{"a":1,"b":2}`)})
	require.NoError(t, err)
	return result.Outcome.Code
}

func ExampleBind() {
	d, err := definition.Parse([]byte(`{
	  "id": "calculator", "name": "Calculator Tool", "version": "1.0.0", "description": "Performs basic arithmetic operations",
	  "capabilities": [{
	    "name": "add",
	    "description": "Adds two numbers",
	    "parameters": [
	      {"name": "a", "description": "First number", "type": "number", "required": true},
	      {"name": "b", "description": "Second number", "type": "number", "required": true}
	    ]
	  }],
	  "securityLevel": 1
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	type AddIn struct {
		A float64 `json:"a"`
		B int     `json:"b,omitempty"`
	}
	type AddOut struct {
		Result float64 `json:"result"`
	}
	add := func(_ context.Context, in AddIn) (AddOut, error) { return AddOut{in.A + float64(in.B)}, nil }
	_, err = contract.Bind(d, "add", add).Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
	fmt.Println(err)

	overMaps := func(_ context.Context, in map[string]any) (map[string]any, error) { return in, nil }
	tool := contract.Bind(d, "add", overMaps).Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	fmt.Println(tool.Name(), tool.Document().SecurityLevel)
	// Output:
	// contract: tool calculator.add: [bind.parameter] parameters/b: the definition requires the member and the input does not; remove omitempty or omitzero from its json tag, or do not require it
	// calculator.add 1
}
