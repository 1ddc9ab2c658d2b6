package contract_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// calculator is the example of the specification, as the example server embeds it.
func calculator(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("../examples/calculator/calculator.json")
	require.NoError(t, err)
	return string(data)
}

// bare is the shortest definition there is.
const bare = `{"id":"box","name":"Box","version":"0.1.0","description":"Boxes.","capabilities":[{"name":"open","description":"Opens it."}]}`

// allTypes has what a definition can have, and says what it could leave out.
const allTypes = `{
  "id": "office.notes-2",
  "name": "Notes <of the office>",
  "version": "2.0.0-rc.1+build.7",
  "description": "Keeps notes.",
  "capabilities": [
    {
      "name": "write_all",
      "description": "Writes a note. For example: {\"text\": \"buy milk\"}.",
      "parameters": [
        {"name": "text", "description": "What to write.", "type": "string", "required": true},
        {"name": "weight", "description": "How heavy.", "type": "number", "required": false},
        {"name": "pinned", "description": "On top.", "type": "boolean"},
        {"name": "style", "type": "object", "required": false},
        {"name": "tags", "type": "array"},
        {"name": "naïve/key~", "type": "any", "required": true}
      ],
      "return": {
        "description": "The note.",
        "schema": {"type": "object", "required": ["id"], "properties": {"size": {"type": "integer", "minimum": 1.0}, "id": {"type": "string"}}}
      }
    },
    {"name": "clear", "description": "Clears all.", "parameters": [], "return": {}},
    {"name": "read", "description": "Reads.", "return": {"schema": {"type": "string"}}},
    {"name": "count", "description": "Counts.", "return": {"description": "How many.", "schema": {}}}
  ],
  "securityLevel": 0,
  "metadata": {"z": null, "a": [1, 1.5, 9007199254740993, {"deep": "<b>"}], "owner": {"team": "Büro"}}
}`

func validDefinitions(t testing.TB) map[string]string {
	t.Helper()
	return map[string]string{
		"the calculator of the specification": calculator(t),
		"the shortest":                        bare,
		"every type":                          allTypes,
		"empty metadata":                      strings.Replace(bare, `{"id"`, `{"metadata":{},"id"`, 1),
		"the highest security level":          strings.Replace(bare, `{"id"`, `{"securityLevel":10.0,"id"`, 1),
		"a name as long as can be":            strings.Replace(bare, `"open"`, `"`+strings.Repeat("o", 124)+`"`, 1),
	}
}

// canonicalForm tells equal values by equal text.
func canonicalForm(t testing.TB, data []byte) string {
	t.Helper()
	form, err := strictjson.Canonical(data)
	require.NoError(t, err)
	return string(form)
}

func TestDefinition_IsWrittenBackValueForValue(t *testing.T) {
	t.Parallel()
	for name, text := range validDefinitions(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := contract.ParseDefinition([]byte(text))
			require.NoError(t, err)
			require.NoError(t, d.Validate())
			written, err := json.Marshal(d)
			require.NoError(t, err)
			assert.Equal(t, canonicalForm(t, []byte(text)), canonicalForm(t, written))

			again, err := json.Marshal(d.Clone())
			require.NoError(t, err)
			assert.Equal(t, string(written), string(again), "the same bytes each time")
			var read contract.Definition
			require.NoError(t, json.Unmarshal(written, &read))
			second, err := json.Marshal(read)
			require.NoError(t, err)
			assert.Equal(t, string(written), string(second))
		})
	}
}

func TestDefinition_IsWrittenInTheOrderOfTheSpecification(t *testing.T) {
	t.Parallel()
	d, err := contract.ParseDefinition([]byte(calculator(t)))
	require.NoError(t, err)
	written, err := json.MarshalIndent(d, "", "  ")
	require.NoError(t, err)
	lists := strings.NewReplacer("[\n      \"math\",\n      \"calculation\"\n    ]", `["math", "calculation"]`)
	assert.Equal(t, calculator(t), lists.Replace(string(written))+"\n")
}

func TestDefinition_ThatWasMadeInGo(t *testing.T) {
	t.Parallel()
	d := contract.Definition{
		ID: "box", Name: "Box", Version: "1.0.0", Description: "Boxes.",
		Capabilities: []contract.Capability{{
			Name: "open", Description: "Opens it.",
			Parameters: []contract.Parameter{{Name: "width", Type: contract.NumberParameter}},
			Return:     &contract.ReturnValue{Schema: json.RawMessage(`{"type":"object"}`)},
		}},
	}
	require.NoError(t, d.Validate())
	written, err := json.Marshal(d)
	require.NoError(t, err)
	assert.Equal(t, `{"id":"box","name":"Box","version":"1.0.0","description":"Boxes.","capabilities":[{"name":"open","description":"Opens it.",`+
		`"parameters":[{"name":"width","type":"number","required":false}],"return":{"schema":{"type":"object"}}}],"securityLevel":0}`, string(written))
	read, err := contract.ParseDefinition(written)
	require.NoError(t, err)
	assert.Equal(t, d, read)

	c, ok := read.Capability("open")
	require.True(t, ok)
	c.Parameters[0].Name, c.Return.Schema[0] = "changed", 'x'
	clone := read.Clone()
	clone.Capabilities[0].Parameters[0].Required = true
	clone.Capabilities[0].Return.Schema = nil
	assert.Equal(t, d, read, "copies are copies")
	_, ok = read.Capability("Open")
	assert.False(t, ok)
	assert.Equal(t, "box.open", read.ToolName("open"))
}

func TestDefinition_ThatWasMadeInGoAndIsWrong(t *testing.T) {
	t.Parallel()
	valid := func() contract.Definition {
		d, err := contract.ParseDefinition([]byte(allTypes))
		require.NoError(t, err)
		return d
	}
	for _, tt := range []struct {
		name          string
		change        func(*contract.Definition)
		pointer, rule string
	}{
		{"no ID", func(d *contract.Definition) { d.ID = "" }, "/id", contract.RuleDefinitionMissing},
		{"no type", func(d *contract.Definition) { d.Capabilities[0].Parameters[5].Type = 0 }, "/capabilities/0/parameters/5/type", contract.RuleDefinitionMissing},
		{"an unknown type", func(d *contract.Definition) { d.Capabilities[0].Parameters[5].Type = 7 }, "/capabilities/0/parameters/5/type", contract.RuleDefinitionParameterType},
		{"a level over 10", func(d *contract.Definition) { d.SecurityLevel = 11 }, "/securityLevel", contract.RuleDefinitionSecurityLevel},
		{"a schema that is no JSON", func(d *contract.Definition) { d.Capabilities[0].Return.Schema = json.RawMessage(`{`) }, "/capabilities/0/return/schema", "schema.compile"},
		{"metadata that holds a NaN", func(d *contract.Definition) { d.Metadata["n"] = math.NaN() }, "/metadata", contract.RuleDefinitionMetadata},
		{"metadata that panics when written", func(d *contract.Definition) { d.Metadata["p"] = panicky{} }, "/metadata", contract.RuleDefinitionMetadata},
		{"a description of a blank", func(d *contract.Definition) { d.Capabilities[0].Parameters[0].Description = " " }, "/capabilities/0/parameters/0/description", contract.RuleDefinitionText},
		{"a name that is not UTF-8", func(d *contract.Definition) { d.Name = "Box\xff" }, "/name", contract.RuleDefinitionText},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := valid()
			tt.change(&d)
			all := contract.DefinitionErrors(d.Validate())
			require.Len(t, all, 1)
			assert.Equal(t, tt.pointer, all[0].Pointer)
			assert.Equal(t, tt.rule, all[0].Rule)
		})
	}
	require.Error(t, contract.Definition{}.Validate())
	_, err := json.Marshal(contract.Definition{Capabilities: []contract.Capability{{Parameters: []contract.Parameter{{Type: 7}}}}})
	require.Error(t, err, "an unknown type has no text")
}

func TestDefinition_UnmarshalingLeavesItUnchangedOnAnError(t *testing.T) {
	t.Parallel()
	var d contract.Definition
	require.NoError(t, json.Unmarshal([]byte(bare), &d))
	before := d.Clone()
	require.ErrorIs(t, json.Unmarshal([]byte(`{"id":"other"}`), &d), contract.ErrDefinition)
	assert.Equal(t, before, d)
}

func ExampleParseDefinition() {
	_, err := contract.ParseDefinition([]byte(`{
	  "id": "calculator",
	  "name": "Calculator Tool",
	  "version": "1.0",
	  "description": "Performs basic arithmetic operations",
	  "capabilites": [],
	  "capabilities": [
	    {"name": "add", "description": "Adds two numbers", "parameters": [{"name": "a", "type": "integer", "required": "yes"}]},
	    {"name": "add", "description": "Adds two numbers again"}
	  ],
	  "securityLevel": 11
	}`))
	for _, e := range contract.DefinitionErrors(err) {
		fmt.Println(e.Rule, e.Pointer, e.Message)
	}
	// Output:
	// definition.member /capabilites is not a member that a definition has here (did you mean "capabilities"?)
	// definition.type /capabilities/0/parameters/0/required must be true or false
	// definition.parameterType /capabilities/0/parameters/0/type must be string, number, boolean, object, array or any
	// definition.duplicate /capabilities/1/name stands twice
	// definition.securityLevel /securityLevel must be an integer from 0 to 10
	// definition.version /version must be MAJOR.MINOR.PATCH by SemVer 2.0.0
}
