package definition_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// calculator returns the example of the specification, as the example server
// embeds it.
func calculator(t testing.TB) string {
	t.Helper()
	return file(t, "../../examples/calculator/calculator.json")
}

// allTypes returns a definition with every member that a definition can have,
// including the optional ones.
func allTypes(t testing.TB) string {
	t.Helper()
	return file(t, "testdata/all_types.json")
}

func file(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(data)
}

// bare is the shortest valid definition.
const bare = `{"id":"box","name":"Box","version":"0.1.0","description":"Boxes.","capabilities":[{"name":"open",` +
	`"description":"Opens it."}]}`

func validDefinitions(t testing.TB) map[string]string {
	t.Helper()
	return map[string]string{
		"the calculator of the specification": calculator(t),
		"the shortest":                        bare,
		"every type":                          allTypes(t),
		"empty metadata":                      strings.Replace(bare, `{"id"`, `{"metadata":{},"id"`, 1),
		"the highest security level":          strings.Replace(bare, `{"id"`, `{"securityLevel":10.0,"id"`, 1),
		"a name as long as can be":            strings.Replace(bare, `"open"`, `"`+strings.Repeat("o", 124)+`"`, 1),
	}
}

// canonicalForm returns the canonical JSON of data. Equal values have equal
// forms.
func canonicalForm(t testing.TB, data []byte) string {
	t.Helper()
	form, err := strictjson.Canonical(data)
	require.NoError(t, err)
	return string(form)
}

func TestDefinition_CanBeReadAndWrittenWithoutLoss(t *testing.T) {
	t.Parallel()
	for name, text := range validDefinitions(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := definition.Parse([]byte(text))
			require.NoError(t, err)
			require.NoError(t, d.Validate())
			written, err := json.Marshal(d)
			require.NoError(t, err)
			assert.Equal(t, canonicalForm(t, []byte(text)), canonicalForm(t, written))

			again, err := json.Marshal(d.Clone())
			require.NoError(t, err)
			assert.Equal(t, string(written), string(again), "the same bytes each time")
			var read definition.Definition
			require.NoError(t, json.Unmarshal(written, &read))
			second, err := json.Marshal(read)
			require.NoError(t, err)
			assert.Equal(t, string(written), string(second))
		})
	}
}

func TestDefinition_IsWrittenInTheOrderOfTheSpecification(t *testing.T) {
	t.Parallel()
	d, err := definition.Parse([]byte(calculator(t)))
	require.NoError(t, err)
	written, err := json.MarshalIndent(d, "", "  ")
	require.NoError(t, err)
	lists := strings.NewReplacer("[\n      \"math\",\n      \"calculation\"\n    ]", `["math", "calculation"]`)
	assert.Equal(t, calculator(t), lists.Replace(string(written))+"\n")
}

func TestDefinition_CanBeMadeInGo(t *testing.T) {
	t.Parallel()
	d := definition.Definition{
		ID: "box", Name: "Box", Version: "1.0.0", Description: "Boxes.",
		Capabilities: []definition.Capability{{
			Name: "open", Description: "Opens it.",
			Parameters: []definition.Parameter{{Name: "width", Type: definition.NumberParameter}},
			Return:     &definition.ReturnValue{Schema: json.RawMessage(`{"type":"object"}`)},
		}},
	}
	require.NoError(t, d.Validate())
	written, err := json.Marshal(d)
	require.NoError(t, err)
	assert.Equal(t, `{"id":"box","name":"Box","version":"1.0.0","description":"Boxes.","capabilities":[{"name":"open",`+
		`"description":"Opens it.",`+
		`"parameters":[{"name":"width","type":"number","required":false}],"return":{"schema":{"type":"object"}}}],"securityLevel":0}`,
		string(written))
	read, err := definition.Parse(written)
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

// panics has no JSON form.
type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("not plain") }

func TestValidate_ReportsMistakesOfADefinitionMadeInGo(t *testing.T) {
	t.Parallel()
	valid := func() definition.Definition {
		d, err := definition.Parse([]byte(allTypes(t)))
		require.NoError(t, err)
		return d
	}
	for _, tt := range []struct {
		name          string
		change        func(*definition.Definition)
		pointer, rule string
	}{
		{"no ID", func(d *definition.Definition) { d.ID = "" }, "/id", "definition.missing"},
		{"no type", func(d *definition.Definition) { d.Capabilities[0].Parameters[5].Type = "" }, "/capabilities/0/parameters/5/type",
			"definition.missing"},
		{"an unknown type", func(d *definition.Definition) { d.Capabilities[0].Parameters[5].Type = "text" },
			"/capabilities/0/parameters/5/type", "definition.parameterType"},
		{"a level over 10", func(d *definition.Definition) { d.SecurityLevel = 11 }, "/securityLevel", "definition.securityLevel"},
		{"a schema that is no JSON", func(d *definition.Definition) { d.Capabilities[0].Return.Schema = json.RawMessage(`{`) },
			"/capabilities/0/return/schema", "schema.compile"},
		{"metadata that holds a NaN", func(d *definition.Definition) { d.Metadata["n"] = math.NaN() }, "/metadata",
			"definition.metadata"},
		{"metadata that panics when written", func(d *definition.Definition) { d.Metadata["p"] = panics{} }, "/metadata",
			"definition.metadata"},
		{"a description of a blank", func(d *definition.Definition) { d.Capabilities[0].Parameters[0].Description = " " },
			"/capabilities/0/parameters/0/description", "definition.text"},
		{"a name that is not UTF-8", func(d *definition.Definition) { d.Name = "Box\xff" }, "/name", "definition.text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := valid()
			tt.change(&d)
			all := definition.Errors(d.Validate())
			require.Len(t, all, 1)
			assert.Equal(t, tt.pointer, all[0].Where)
			assert.Equal(t, tt.rule, all[0].Rule)
		})
	}
	require.Error(t, definition.Definition{}.Validate())
}

func TestDefinition_UnmarshalingLeavesItUnchangedOnAnError(t *testing.T) {
	t.Parallel()
	var d definition.Definition
	require.NoError(t, json.Unmarshal([]byte(bare), &d))
	before := d.Clone()
	require.NotEmpty(t, definition.Errors(json.Unmarshal([]byte(`{"id":"other"}`), &d)))
	assert.Equal(t, before, d)
}

func ExampleDefinition() {
	d := definition.Definition{
		ID: "box", Name: "Box", Version: "1.0.0", Description: "Boxes.",
		Capabilities: []definition.Capability{{
			Name: "open", Description: "Opens a box.",
			Parameters: []definition.Parameter{{Name: "width", Type: definition.NumberParameter, Required: true}},
			Return:     &definition.ReturnValue{Schema: json.RawMessage(`{"type":"object"}`)},
		}},
	}
	fmt.Println(d.Validate())
	fmt.Println(d.ToolName("open"))
	d.Version = "1"
	fmt.Println(d.Validate())
	// Output:
	// <nil>
	// box.open
	// definition box: [definition.version] /version: must be MAJOR.MINOR.PATCH by SemVer 2.0.0
}

func ExampleParse() {
	_, err := definition.Parse([]byte(`{
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
	for _, e := range definition.Errors(err) {
		fmt.Println(e.Rule, e.Where, e.Message)
	}
	// Output:
	// definition.member /capabilites is not a member that a definition has here (did you mean "capabilities"?)
	// definition.type /capabilities/0/parameters/0/required must be true or false
	// definition.parameterType /capabilities/0/parameters/0/type must be string, number, boolean, object, array or any
	// definition.duplicate /capabilities/1/name is there twice
	// definition.securityLevel /securityLevel must be an integer from 0 to 10
	// definition.version /version must be MAJOR.MINOR.PATCH by SemVer 2.0.0
}
