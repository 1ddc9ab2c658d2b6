package contract_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	validation "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

const definitionSchemaFile = "definition.schema.json"

func TestDefinitionSchema_IsCurrent(t *testing.T) {
	want := generateDefinitionSchema(t)
	if *update {
		require.NoError(t, os.WriteFile(definitionSchemaFile, want, 0o600))
		return
	}
	got, err := os.ReadFile(definitionSchemaFile)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, got), "the file is not what the types say: run go generate ./contract")
	assert.True(t, bytes.Equal(got, contract.DefinitionSchema()), "the package holds another file")
}

// The forms of texts. The version's is the expression that SemVer 2.0.0 gives.
const (
	idForm         = `^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`
	capabilityForm = `^[A-Za-z0-9_-]+$`
	versionForm    = `^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$`
	saidForm       = `\S` // a text that is given is not blank
)

func generateDefinitionSchema(t *testing.T) []byte {
	t.Helper()
	r := &jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true, Mapper: func(t reflect.Type) *jsonschema.Schema {
		if t == reflect.TypeFor[contract.ParameterType]() {
			return enumFrom[contract.ParameterType]()
		}
		return mapType(t)
	}}
	require.NoError(t, r.AddGoComments("github.com/toolcontract/toolcontract/contract", "./"))
	data, err := json.Marshal(r.Reflect(contract.Definition{}))
	require.NoError(t, err)
	var root map[string]any
	require.NoError(t, json.Unmarshal(data, &root))
	root["description"] = "A document of the MCP Tool Definition Specification 1.0.0: one thing with several capabilities, each of which is a tool."
	root["$schema"] = jsonschema.Version
	root["$id"] = "https://github.com/toolcontract/toolcontract/contract/" + definitionSchemaFile
	tidy(root)
	holdTexts(root)
	form(t, root, idForm, 128, "id")
	form(t, root, versionForm, 0, "version")
	form(t, root, capabilityForm, 128, "capabilities", "name")

	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(root))
	return out.Bytes()
}

// holdTexts says of every text that it is not blank.
func holdTexts(schema map[string]any) {
	if schema["type"] == "string" && schema["enum"] == nil {
		schema["pattern"] = saidForm
	}
	if items, ok := schema["items"].(map[string]any); ok {
		holdTexts(items)
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, property := range properties {
		holdTexts(property.(map[string]any))
	}
}

// form sets the form of the text to which the names lead, through arrays too.
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

// definitionValidator compiles the schema with another validator's strictest
// reading.
func definitionValidator(t testing.TB) *validation.Schema {
	t.Helper()
	parsed, err := validation.UnmarshalJSON(bytes.NewReader(contract.DefinitionSchema()))
	require.NoError(t, err)
	c := validation.NewCompiler()
	require.NoError(t, c.AddResource("mem:///definition", parsed))
	return c.MustCompile("mem:///definition")
}

func TestDefinitionSchema_TakesWhatIsValid(t *testing.T) {
	t.Parallel()
	s := definitionValidator(t)
	for name, text := range validDefinitions(t) {
		assert.NoError(t, validate(t, s, []byte(text)), name)
	}
}

func TestDefinitionSchema_RefusesWhatASchemaCanSay(t *testing.T) {
	t.Parallel()
	s := definitionValidator(t)
	refused := 0
	for _, b := range brokenDefinitions() {
		if b.beyondSchema || b.notJSON {
			continue
		}
		refused++
		assert.Error(t, validate(t, s, []byte(b.text())), b.name)
	}
	assert.Greater(t, refused, 25)
}

func TestDefinitionSchema_KnowsEveryMember(t *testing.T) {
	t.Parallel()
	var s map[string]any
	require.NoError(t, json.Unmarshal(contract.DefinitionSchema(), &s))
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
	d := known(reflect.TypeFor[contract.Definition](), s)
	capability := known(reflect.TypeFor[contract.Capability](), d["capabilities"].(map[string]any)["items"])
	known(reflect.TypeFor[contract.Parameter](), capability["parameters"].(map[string]any)["items"])
	known(reflect.TypeFor[contract.ReturnValue](), capability["return"])
}

func TestDefinitionSchema_BelongsToTheCaller(t *testing.T) {
	t.Parallel()
	first := contract.DefinitionSchema()
	first[0] = 'x'
	assert.True(t, json.Valid(contract.DefinitionSchema()))
}
