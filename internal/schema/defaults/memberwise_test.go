package defaults_test

import (
	"net/url"
	"testing"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema/defaults"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/testing/drawtest"
)

// refusalsOf returns what the schemas of a document refuse, by the library.
func refusalsOf(t require.TestingT, value any) func(n *tree.Node, value any) string {
	compiler := santhosh.NewCompiler()
	require.NoError(t, compiler.AddResource("mem:///schema", value))
	return func(n *tree.Node, value any) string {
		part, err := compiler.Compile("mem:///schema#" + (&url.URL{Fragment: n.Pointer()}).EscapedFragment())
		if err == nil && part.Validate(value) != nil {
			return "refused"
		}
		return ""
	}
}

// A fault that can be compared.
type fault struct {
	kind   defaults.Kind
	at, by *tree.Node
}

func faultsOf(faults []defaults.Fault) []fault {
	var list []fault
	for _, f := range faults {
		list = append(list, fault{f.Kind, f.Schema, f.By})
	}
	return list
}

func memberwiseHasTheSameFaults(t *drawtest.T) {
	value := drawDocument(t)
	for _, key := range []string{"patternProperties", "prefixItems", "allOf", "anyOf", "maxProperties"} {
		if t.Int(0, 9) > 0 {
			removeKeyword(value, key)
		}
	}
	document := tree.Of(value)
	opts := defaults.Options{Lenient: t.Bool(), Anywhere: t.Bool()}
	refusal := refusalsOf(t, value)
	made, faults := defaults.New(document, refusal, opts)
	want, wanted := defaults.NewByObjects(document, refusal, opts)
	require.Equal(t, faultsOf(wanted), faultsOf(faults), "%s", canonical(t, value))
	if want == nil {
		require.Nil(t, made)
		return
	}
	given := drawValue(t, 4)
	wantFilled, _ := want.Fill(given)
	filled, _ := made.Fill(given)
	require.Equal(t, wantFilled, filled)
}

// removeKeyword removes a keyword from a schema and from those within it.
func removeKeyword(value any, keyword string) {
	for _, n := range tree.Of(value).All {
		if keywords, ok := n.Written().(map[string]any); ok {
			delete(keywords, keyword)
		}
	}
}

func TestNew_FindsTheSameFaultsWithoutObjects(t *testing.T) {
	t.Parallel()
	drawtest.Check(t, memberwiseHasTheSameFaults)
}

func TestNew_MakesUpNoObjectForMemberwiseSchemas(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"integer","default":1}},"required":["b"],` +
			`"additionalProperties":false}`: true,
		`{"properties":{"a":{"anyOf":[{"$ref":"#/$defs/d"},{"type":"null"}],"default":null}},` +
			`"$defs":{"d":{"enum":["x"]}},"x-a":1}`: true,
		`{"properties":{"a":{"default":1}},"maxProperties":1}`:                                               false,
		`{"properties":{"a":{"default":1}},"not":{"required":["a"]}}`:                                        false,
		`{"properties":{"a":{"default":1}},"enum":[{}]}`:                                                     false,
		`{"properties":{"a":{"default":1}},"propertyNames":{"maxLength":1}}`:                                 false,
		`{"properties":{"a":{"default":1}},"x-toolcontract-uniqueItems":true}`:                               false,
		`{"$ref":"#/$defs/d","properties":{"a":{"default":1}},"$defs":{"d":{"additionalProperties":false}}}`: false,
		`{"properties":{"a":{"default":1}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`:                 false,
		`{"properties":{"a":{"default":1}},"dependentRequired":{"a":["b"]}}`:                                 false,
		`{"properties":{"l":{"items":{"properties":{"a":{"default":1}}},"uniqueItems":true}}}`:               false,
		`{"properties":{"a":{"default":1}},"if":{"required":["a"]},"then":false}`:                            false,
		`{"properties":{"a":{"default":1}},"patternProperties":{"^a":{"maximum":0}}}`:                        false,
		`{"properties":{"a":{"default":1}},"allOf":[{"additionalProperties":false}]}`:                        false,
		`{"properties":{"a":{"default":1}},"unevaluatedProperties":false}`:                                   false,
		`{"properties":{"a":{"default":1}},"unknown":1}`:                                                     false,
	} {
		assert.Equal(t, want, defaults.IsMemberwise(tree.Of(parse(t, raw))), raw)
	}
}
