package definition_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	validation "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/internal/testing/schematest"
	"github.com/toolcontract/toolcontract/risk"
)

const schemaFile = "definition.schema.json"

var update = flag.Bool("update", false, "write "+schemaFile+" anew")

func TestSchema_IsCurrent(t *testing.T) {
	want := generateSchema(t)
	if *update {
		require.NoError(t, os.WriteFile(schemaFile, want, 0o600))
		return
	}
	got, err := os.ReadFile(schemaFile)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, got), "the file does not match the types: run go generate ./contract/definition")
	assert.True(t, bytes.Equal(got, definition.Schema()), "the package holds another file")
}

// The patterns of texts. versionForm is the expression of SemVer 2.0.0.
const (
	idForm         = `^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`
	capabilityForm = `^[A-Za-z0-9_-]+$`
	versionForm    = `^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$`
	notBlank       = `\S`
)

func generateSchema(t *testing.T) []byte {
	t.Helper()
	r := &jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true, Mapper: mapType}
	require.NoError(t, r.AddGoComments("github.com/toolcontract/toolcontract/contract/definition", "./"))
	data, err := json.Marshal(r.Reflect(definition.Definition{}))
	require.NoError(t, err)
	var root map[string]any
	require.NoError(t, json.Unmarshal(data, &root))
	root["description"] = "A document of the MCP Tool Definition Specification 1.0.0: one thing with several " +
		"capabilities, each of which is a tool."
	root["$schema"] = jsonschema.Version
	root["$id"] = "https://github.com/toolcontract/toolcontract/contract/" + schemaFile
	schematest.Tidy(root)
	requireTexts(root)
	form(t, root, idForm, 128, "id")
	form(t, root, versionForm, 0, "version")
	form(t, root, capabilityForm, 128, "capabilities", "name")

	return schematest.Text(t, root)
}

// mapType returns the schemas of types whose JSON differs from their kind.
func mapType(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[definition.ParameterType]():
		return &jsonschema.Schema{Type: "string", Enum: []any{"string", "number", "boolean", "object", "array", "any"}}
	case reflect.TypeFor[risk.SecurityLevel]():
		return &jsonschema.Schema{Type: "integer", Maximum: json.Number(risk.MaxSecurityLevel.String())}
	case reflect.TypeFor[json.RawMessage]():
		return &jsonschema.Schema{Type: "object"}
	}
	return nil
}

// requireTexts gives every text a pattern that refuses a blank one.
func requireTexts(schema map[string]any) {
	if schema["type"] == "string" && schema["enum"] == nil {
		schema["pattern"] = notBlank
	}
	if items, ok := schema["items"].(map[string]any); ok {
		requireTexts(items)
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, property := range properties {
		requireTexts(property.(map[string]any))
	}
}

// form sets the pattern of the text at the path of names. The path may lead
// through arrays.
func form(t *testing.T, schema map[string]any, pattern string, maxLength int, names ...string) {
	t.Helper()
	for _, name := range names {
		if items, ok := schema["items"].(map[string]any); ok {
			schema = items
		}
		properties, ok := schema["properties"].(map[string]any)
		require.True(t, ok)
		schema, ok = properties[name].(map[string]any)
		require.True(t, ok, name)
	}
	schema["pattern"] = pattern
	if maxLength > 0 {
		schema["maxLength"] = maxLength
	}
}

func validator(t testing.TB) *validation.Schema {
	t.Helper()
	return schematest.Validator(t, definition.Schema())("")
}

func TestSchema_AcceptsValidDefinitions(t *testing.T) {
	t.Parallel()
	s := validator(t)
	for name, text := range validDefinitions(t) {
		assert.NoError(t, schematest.Validate(t, s, []byte(text)), name)
	}
}

func TestSchema_RefusesMistakesThatASchemaCanExpress(t *testing.T) {
	t.Parallel()
	s := validator(t)
	refused := 0
	for _, b := range brokenDefinitions() {
		if b.beyondSchema || b.notJSON {
			continue
		}
		refused++
		assert.Error(t, schematest.Validate(t, s, []byte(b.text())), b.name)
	}
	assert.Greater(t, refused, 25)
}

func TestSchema_HasEveryMember(t *testing.T) {
	t.Parallel()
	var s map[string]any
	require.NoError(t, json.Unmarshal(definition.Schema(), &s))
	known := func(kind reflect.Type, schema any) map[string]any {
		t.Helper()
		properties, ok := schema.(map[string]any)["properties"].(map[string]any)
		require.True(t, ok)
		for field := range kind.Fields() {
			if name := field.Tag.Get("json"); field.IsExported() {
				name, _, _ = strings.Cut(name, ",")
				assert.Contains(t, properties, name, kind)
			}
		}
		return properties
	}
	d := known(reflect.TypeFor[definition.Definition](), s)
	capability := known(reflect.TypeFor[definition.Capability](), d["capabilities"].(map[string]any)["items"])
	known(reflect.TypeFor[definition.Parameter](), capability["parameters"].(map[string]any)["items"])
	known(reflect.TypeFor[definition.ReturnValue](), capability["return"])
}

func TestSchema_BelongsToTheCaller(t *testing.T) {
	t.Parallel()
	first := definition.Schema()
	first[0] = 'x'
	assert.True(t, json.Valid(definition.Schema()))
}
