package definition_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/internal/testing/schematest"
)

// whole is a valid definition. Each broken definition differs from it in one
// place.
const whole = `{"id":"box","name":"Box","version":"1.0.0","description":"Boxes.","capabilities":` + allCapabilities +
	`,"securityLevel":1,"metadata":{"tags":["s3cret"]}}`

const allCapabilities = `[{"name":"open","description":"Opens it.","parameters":[{"name":"a","description":"First.",` +
	`"type":"number","required":true},{"name":"b","type":"any"}],` +
	`"return":{"description":"It.","schema":{"type":"object","properties":{"x":{"type":"number"}}}}},` +
	`{"name":"shut","description":"Shuts it."}]`

type brokenDefinition struct {
	name, old, new string // whole with the first old replaced
	pointer, rule  string
	beyondSchema   bool // the JSON Schema cannot express it
	notJSON        bool
}

func (b brokenDefinition) text() string { return strings.Replace(whole, b.old, b.new, 1) }

const (
	first  = "/capabilities/0"
	second = "/capabilities/1"
)

func brokenDefinitions() []brokenDefinition {
	long := strings.Repeat("o", 125)
	return []brokenDefinition{
		{name: "text that is no JSON", old: whole, new: `s3cret`, rule: "json.syntax", notJSON: true},
		{name: "nothing", old: whole, rule: "json.syntax", notJSON: true},
		{name: "two documents", old: whole, new: whole + whole, rule: "json.syntax", notJSON: true},
		{name: "a member twice", old: `"name":"Box"`, new: `"name":"Box","name":"s3cret"`, pointer: "/name", rule: "json.duplicate",
			notJSON: true},
		{name: "a member of metadata twice", old: `"tags":`, new: `"tags":1,"tags":`, pointer: "/metadata/tags", rule: "json.duplicate",
			notJSON: true},
		{name: "a text that is not UTF-8", old: `"Box"`, new: "\"Box\xff\"", rule: "json.utf8", notJSON: true},
		{name: "a number that nothing holds", old: `["s3cret"]`, new: `123456789012345678901`, pointer: "/metadata/tags",
			rule: "json.number", beyondSchema: true},
		{name: "metadata that is too deep", old: `["s3cret"]`, new: strings.Repeat("[", 70) + strings.Repeat("]", 70),
			pointer: "/metadata/tags" + strings.Repeat("/0", 62), rule: "json.depth", beyondSchema: true},

		{name: "a list", old: whole, new: `[]`, rule: "definition.type"},
		{name: "null", old: whole, new: `null`, rule: "definition.type"},
		{name: "an ID that is a number", old: `"id":"box"`, new: `"id":31337`, pointer: "/id", rule: "definition.type"},
		{name: "capabilities that are an object", old: allCapabilities, new: `{"s3cret":0}`, pointer: "/capabilities",
			rule: "definition.type"},
		{name: "a capability that is a text", old: `{"name":"shut","description":"Shuts it."}`, new: `"s3cret"`, pointer: second,
			rule: "definition.type"},
		{name: "parameters that are null", old: `"Shuts it."`, new: `"Shuts it.","parameters":null`, pointer: second + "/parameters",
			rule: "definition.type"},
		{name: "a parameter that is a text", old: `{"name":"b","type":"any"}`, new: `"s3cret"`, pointer: first + "/parameters/1",
			rule: "definition.type"},
		{name: "a required that is a text", old: `"required":true`, new: `"required":"s3cret"`,
			pointer: first + "/parameters/0/required", rule: "definition.type"},
		{name: "a type that is a list", old: `"type":"any"`, new: `"type":["s3cret"]`, pointer: first + "/parameters/1/type",
			rule: "definition.type"},
		{name: "a description that is null", old: `"First."`, new: `null`, pointer: first + "/parameters/0/description",
			rule: "definition.type"},
		{name: "a return that is null", old: `"Shuts it."`, new: `"Shuts it.","return":null`, pointer: second + "/return",
			rule: "definition.type"},
		{name: "a schema that is true", old: `"Shuts it."`, new: `"Shuts it.","return":{"schema":true}`,
			pointer: second + "/return/schema", rule: "definition.type"},
		{name: "a security level that is a text", old: `"securityLevel":1`, new: `"securityLevel":"s3cret"`, pointer: "/securityLevel",
			rule: "definition.type"},
		{name: "metadata that is a list", old: `{"tags":["s3cret"]}`, new: `["s3cret"]`, pointer: "/metadata", rule: "definition.type"},

		{name: "an unknown member", old: `"id":`, new: `"permissions":["s3cret"],"id":`, pointer: "/permissions",
			rule: "definition.member"},
		{name: "a member in another case", old: `"securityLevel"`, new: `"SecurityLevel"`, pointer: "/SecurityLevel",
			rule: "definition.member"},
		{name: "an unknown member of a capability", old: `"Shuts it."`, new: `"Shuts it.","returns":{}`, pointer: second + "/returns",
			rule: "definition.member"},
		{name: "an unknown member of a parameter", old: `"type":"any"`, new: `"type":"any","default":"s3cret"`,
			pointer: first + "/parameters/1/default", rule: "definition.member"},
		{name: "an unknown member of a return", old: `"It."`, new: `"It.","a/b~":1`, pointer: first + "/return/a~1b~0",
			rule: "definition.member"},

		{name: "no ID", old: `"id":"box",`, pointer: "/id", rule: "definition.missing"},
		{name: "no name", old: `"name":"Box",`, pointer: "/name", rule: "definition.missing"},
		{name: "a blank name", old: `"Box"`, new: `" \t"`, pointer: "/name", rule: "definition.missing"},
		{name: "no version", old: `"version":"1.0.0",`, pointer: "/version", rule: "definition.missing"},
		{name: "no description", old: `"description":"Boxes.",`, pointer: "/description", rule: "definition.missing"},
		{name: "no capability", old: allCapabilities, new: `[]`, pointer: "/capabilities", rule: "definition.missing"},
		{name: "a capability without a name", old: `"name":"shut",`, pointer: second + "/name", rule: "definition.missing"},
		{name: "a capability without a description", old: `,"description":"Shuts it."`, pointer: second + "/description",
			rule: "definition.missing"},
		{name: "a parameter without a name", old: `{"name":"b","type"`, new: `{"type"`, pointer: first + "/parameters/1/name",
			rule: "definition.missing"},
		{name: "a parameter without a type", old: `,"type":"any"`, pointer: first + "/parameters/1/type", rule: "definition.missing"},

		{name: "an ID of two words", old: `"box"`, new: `"s3cret box"`, pointer: "/id", rule: "definition.id"},
		{name: "an ID with an empty part", old: `"box"`, new: `"box."`, pointer: "/id", rule: "definition.id"},
		{name: "a version of two parts", old: `"1.0.0"`, new: `"1.0"`, pointer: "/version", rule: "definition.version"},
		{name: "a version with a v", old: `"1.0.0"`, new: `"v1.0.0"`, pointer: "/version", rule: "definition.version"},
		{name: "a capability with a dot", old: `"shut"`, new: `"shut.now"`, pointer: second + "/name", rule: "definition.capability"},
		{name: "a capability whose tool has a name of 129", old: `"shut"`, new: `"` + long + `"`, pointer: second + "/name",
			rule: "definition.capability", beyondSchema: true},
		{name: "a capability twice", old: `"shut"`, new: `"open"`, pointer: second + "/name", rule: "definition.duplicate",
			beyondSchema: true},
		{name: "a parameter twice", old: `"name":"b"`, new: `"name":"a"`, pointer: first + "/parameters/1/name",
			rule: "definition.duplicate", beyondSchema: true},
		{name: "a parameter of a long name", old: `"name":"b"`, new: `"name":"` + long + `oooo"`, pointer: first + "/parameters/1/name",
			rule: "definition.parameter"},
		{name: "a type of another language", old: `"type":"any"`, new: `"type":"integer"`, pointer: first + "/parameters/1/type",
			rule: "definition.parameterType"},
		{name: "a type in capitals", old: `"type":"any"`, new: `"type":"Any"`, pointer: first + "/parameters/1/type",
			rule: "definition.parameterType"},
		{name: "a security level over 10", old: `"securityLevel":1`, new: `"securityLevel":11`, pointer: "/securityLevel",
			rule: "definition.securityLevel"},
		{name: "a security level below 0", old: `"securityLevel":1`, new: `"securityLevel":-1`, pointer: "/securityLevel",
			rule: "definition.securityLevel"},
		{name: "half a security level", old: `"securityLevel":1`, new: `"securityLevel":1.5`, pointer: "/securityLevel",
			rule: "definition.securityLevel"},
		{name: "an enormous security level", old: `"securityLevel":1`, new: `"securityLevel":18446744073709551615`,
			pointer: "/securityLevel", rule: "definition.securityLevel"},
		{name: "an empty description", old: `"First."`, new: `""`, pointer: first + "/parameters/0/description",
			rule: "definition.text"},
		{name: "a blank description", old: `"It."`, new: `" "`, pointer: first + "/return/description", rule: "definition.text"},
		{name: "a description that drives a terminal", old: `"Shuts it."`, new: `"Shuts it.\u001b[2J"`,
			pointer: second + "/description", rule: "definition.text", beyondSchema: true},
		{name: "a parameter with a hidden character", old: `"name":"b"`, new: `"name":"b\u200b"`, pointer: first + "/parameters/1/name",
			rule: "definition.text", beyondSchema: true},
		{name: "metadata that hides text", old: `"s3cret"`, new: `{"k":"a\u2060b"}`, pointer: "/metadata/tags/0/k",
			rule: "definition.text", beyondSchema: true},
		{name: "metadata with a hidden name", old: `"tags"`, new: `"ta\u200bgs"`, pointer: "/metadata/ta\ufffdgs",
			rule: "definition.text", beyondSchema: true},

		{name: "a schema of an unknown type", old: `"x":{"type":"number"}`, new: `"x":{"type":"s3cret"}`,
			pointer: first + "/return/schema/properties/x/type", rule: "schema.compile", beyondSchema: true},
		{name: "a schema with a misspelt keyword", old: `"x":{"type":"number"}`, new: `"x":{"tpye":"number"}`,
			pointer: first + "/return/schema/properties/x/tpye", rule: "schema.unknown", beyondSchema: true},
		{name: "a schema with a pattern that is none", old: `"x":{"type":"number"}`, new: `"x":{"pattern":"(s3cret"}`,
			pointer: first + "/return/schema/properties/x/pattern", rule: "schema.pattern", beyondSchema: true},
		{name: "a schema with a format that nothing checks", old: `"x":{"type":"number"}`, new: `"x":{"format":"s3cret"}`,
			pointer: first + "/return/schema/properties/x/format", rule: "schema.format", beyondSchema: true},
		{name: "a schema that refers to the network", old: `"x":{"type":"number"}`, new: `"x":{"$ref":"https://s3cret.example/"}`,
			pointer: first + "/return/schema/properties/x/$ref", rule: "schema.ref", beyondSchema: true},
	}
}

func TestParse_RefusesEachMistakeWithItsPointer(t *testing.T) {
	t.Parallel()
	_, err := definition.Parse([]byte(whole))
	require.NoError(t, err)
	broken := brokenDefinitions()
	require.Greater(t, len(broken), 30)
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			require.NotEqual(t, whole, b.text())
			d, err := definition.Parse([]byte(b.text()))
			assert.Equal(t, definition.Definition{}, d)
			require.NotEmpty(t, definition.Errors(err))
			all := definition.Errors(err)
			require.Len(t, all, 1, "%v", err)
			e := all[0]
			assert.Equal(t, b.pointer, e.Where)
			assert.Equal(t, b.rule, e.Rule)
			assert.NotEmpty(t, e.Message)
			assert.NotContains(t, e.Message, "s3cret")
			assert.NotContains(t, e.ID, "s3cret")
		})
	}
}

func TestParse_ReportsAllMistakesInTheOrderOfTheirPointers(t *testing.T) {
	t.Parallel()
	parameters := make([]string, 11)
	for i := range parameters {
		parameters[i] = `{"name":"` + string(rune('a'+i)) + `","type":"string"}`
	}
	parameters[2], parameters[10] = `{}`, `7`
	text := `{"id":"a b","nam":1,"capabilities":[{"name":"x.y","parameters":[` + strings.Join(parameters, ",") +
		`],"return":{"schema":{"type":"no","minimum":"1"}}},5],"securityLevel":99,"metadata":[]}`
	want := []string{
		"definition.missing /capabilities/0/description",
		"definition.capability /capabilities/0/name",
		"definition.missing /capabilities/0/parameters/2/name",
		"definition.missing /capabilities/0/parameters/2/type",
		"definition.type /capabilities/0/parameters/10",
		"schema.compile /capabilities/0/return/schema/minimum",
		"schema.compile /capabilities/0/return/schema/type",
		"definition.type /capabilities/1",
		"definition.missing /description",
		"definition.id /id",
		"definition.type /metadata",
		"definition.member /nam",
		"definition.missing /name",
		"definition.securityLevel /securityLevel",
		"definition.missing /version",
	}
	for range 20 {
		_, err := definition.Parse([]byte(text))
		var got []string
		for _, e := range definition.Errors(err) {
			got = append(got, e.Rule+" "+e.Where)
		}
		require.Equal(t, want, got)
	}
}

func TestError_NamesTheDefinition(t *testing.T) {
	t.Parallel()
	_, err := definition.Parse([]byte(strings.Replace(bare, "0.1.0", "1", 1)))
	require.EqualError(t, err, "definition box: [definition.version] /version: must be MAJOR.MINOR.PATCH by SemVer 2.0.0")
	_, err = definition.Parse([]byte(`[]`))
	require.EqualError(t, err, "definition: [definition.type]: must be an object")
	assert.Empty(t, definition.Errors(nil))
	assert.Empty(t, definition.Errors(assert.AnError))
}

// FuzzParse checks that an accepted definition is written back with the same
// values, and that the JSON Schema accepts it too.
func FuzzParse(f *testing.F) {
	for _, text := range validDefinitions(f) {
		f.Add([]byte(text))
	}
	for _, b := range brokenDefinitions() {
		f.Add([]byte(b.text()))
	}
	s := validator(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := definition.Parse(data)
		if err != nil {
			require.NotEmpty(t, definition.Errors(err))
			return
		}
		written, err := json.Marshal(d)
		require.NoError(t, err)
		require.Equal(t, canonicalForm(t, data), canonicalForm(t, written))
		require.NoError(t, d.Validate())
		require.NoError(t, schematest.Validate(t, s, data))
	})
}
