package contract_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	validation "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/schematest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

var update = flag.Bool("update", false, "write contract.schema.json anew")

const documentSchemaFile = "contract.schema.json"

func TestDocumentSchema_IsCurrent(t *testing.T) {
	want := generateDocumentSchema(t)
	if *update {
		require.NoError(t, os.WriteFile(documentSchemaFile, want, 0o600))
		return
	}
	assert.True(t, bytes.Equal(want, documentSchema(t)), "the file does not match the types: run go generate ./contract")
}

// generateDocumentSchema derives the schema from the types, their comments and
// the lists of the enums' values.
func generateDocumentSchema(t *testing.T) []byte {
	t.Helper()
	r := &jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true, Mapper: mapType}
	require.NoError(t, r.AddGoComments("github.com/toolcontract/toolcontract/contract", "./"))
	definition := func(v any) map[string]any {
		data, err := json.Marshal(r.Reflect(v))
		require.NoError(t, err)
		var s map[string]any
		require.NoError(t, json.Unmarshal(data, &s))
		delete(s, "$schema")
		s["description"] = r.LookupComment(reflect.TypeOf(v), "")
		schematest.Tidy(s)
		if format, ok := s["properties"].(map[string]any)["format"].(map[string]any); ok {
			format["const"] = contract.Format
			delete(format, "minimum")
		}
		return s
	}
	r.LookupComment = func(t reflect.Type, field string) string {
		key := t.PkgPath() + "." + t.Name()
		if field != "" {
			key += "." + field
		}
		return r.CommentMap[key]
	}
	root := definition(contract.Document{})
	// A later version may know more members of a document, an outcome or a
	// summary. The members that this version knows must match their schemas.
	delete(root, "additionalProperties")
	root["$schema"] = jsonschema.Version
	root["$id"] = "https://github.com/toolcontract/toolcontract/contract/" + documentSchemaFile
	summary, outcome := definition(contract.Summary{}), definition(contract.Outcome{})
	delete(summary, "additionalProperties")
	delete(outcome, "additionalProperties")
	root["$defs"] = map[string]any{"summary": summary, "outcome": outcome}

	return schematest.Text(t, root)
}

// mapType returns the schemas of types whose JSON differs from their kind.
func mapType(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[risk.Level]():
		return schematest.Enum[risk.Level]()
	case reflect.TypeFor[risk.Effect]():
		return schematest.Enum[risk.Effect]()
	case reflect.TypeFor[risk.Reversibility]():
		return schematest.Enum[risk.Reversibility]()
	case reflect.TypeFor[trust.Level]():
		return schematest.Enum[trust.Level]()
	case reflect.TypeFor[trust.Delimiting]():
		return schematest.Enum[trust.Delimiting]()
	case reflect.TypeFor[trust.Sanitizing]():
		return schematest.Enum[trust.Sanitizing]()
	case reflect.TypeFor[idempotency.Mode]():
		return schematest.Enum[idempotency.Mode]()
	case reflect.TypeFor[idempotency.OnUnknown]():
		return schematest.Enum[idempotency.OnUnknown]()
	case reflect.TypeFor[dryrun.Mode]():
		return schematest.Enum[dryrun.Mode]()
	case reflect.TypeFor[contract.Confirmation]():
		return schematest.Enum[contract.Confirmation]()
	case reflect.TypeFor[contract.Leniency]():
		return schematest.Enum[contract.Leniency]()
	case reflect.TypeFor[contract.DataKind]():
		return schematest.Enum[contract.DataKind]()
	case reflect.TypeFor[contract.Class]():
		return schematest.Enum[contract.Class]()
	case reflect.TypeFor[contract.By]():
		return schematest.Enum[contract.By]()
	case reflect.TypeFor[contract.Reach]():
		return schematest.Enum[contract.Reach]()
	case reflect.TypeFor[contract.Undo]():
		return schematest.Enum[contract.Undo]()
	case reflect.TypeFor[contract.Status]():
		return schematest.Enum[contract.Status]()
	case reflect.TypeFor[risk.SecurityLevel]():
		return &jsonschema.Schema{Type: "integer", Maximum: json.Number(risk.MaxSecurityLevel.String())}
	case reflect.TypeFor[json.RawMessage]():
		return &jsonschema.Schema{Type: "object"}
	}
	return nil
}

func documentValidators(t *testing.T) (document, summary, outcome *validation.Schema) {
	t.Helper()
	compile := schematest.Validator(t, documentSchema(t))
	return compile(""), compile("#/$defs/summary"), compile("#/$defs/outcome")
}

func TestDocumentSchema_TakesEveryDocumentThatBuildMakes(t *testing.T) {
	t.Parallel()
	document, summary, _ := documentValidators(t)
	builders := map[string]buildable{"a full contract": full(), "a read": reading(), "a write": writing(),
		"a restricted read": restricted(risk.ReadOnly)}
	for _, c := range clausesTwoWays() {
		builders[c.way] = c.verbs
	}
	for name, b := range builders {
		d := build(t, b).Document()
		listed := d
		listed.InputSchema, listed.OutputSchema = nil, nil
		for _, of := range []contract.Document{d, listed} {
			data, err := json.Marshal(of)
			require.NoError(t, err)
			assert.NoError(t, schematest.Validate(t, document, data), name)
		}
		data, err := json.Marshal(d.Summary())
		require.NoError(t, err)
		assert.NoError(t, schematest.Validate(t, summary, data), name)
	}
}

func TestDocumentSchema_KnowsEveryMember(t *testing.T) {
	t.Parallel()
	var s struct {
		Properties map[string]any
		Defs       map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(documentSchema(t), &s))
	for kind, known := range map[reflect.Type]map[string]any{
		reflect.TypeFor[contract.Document](): s.Properties,
		reflect.TypeFor[contract.Summary]():  s.Defs["summary"].Properties,
		reflect.TypeFor[contract.Outcome]():  s.Defs["outcome"].Properties,
	} {
		require.NotEmpty(t, known, kind)
		for field := range kind.Fields() {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" {
				assert.Contains(t, known, name, kind)
			}
		}
	}
}

func TestDocumentSchema_RefusesBrokenDocuments(t *testing.T) {
	t.Parallel()
	document, summary, outcome := documentValidators(t)
	data, err := json.Marshal(build(t, full()))
	require.NoError(t, err)
	for name, change := range map[string]func(map[string]any){
		"no name":                         func(d map[string]any) { delete(d, "name") },
		"another format":                  func(d map[string]any) { d["format"] = 2 },
		"no format":                       func(d map[string]any) { delete(d, "format") },
		"no autonomy":                     func(d map[string]any) { delete(d, "autonomous") },
		"a name that is a number":         func(d map[string]any) { d["name"] = 1 },
		"an unknown risk":                 func(d map[string]any) { d["risk"] = "severe" },
		"an undeclared risk":              func(d map[string]any) { d["risk"] = "undeclared" },
		"an unknown effect":               func(d map[string]any) { d["effect"] = "write" },
		"an unknown trust":                func(d map[string]any) { d["contentTrust"] = "full" },
		"an unknown confirmation":         func(d map[string]any) { d["confirmation"] = "ask" },
		"an unknown dry run":              func(d map[string]any) { d["dryRun"] = "yes" },
		"a security level over 10":        func(d map[string]any) { d["securityLevel"] = 11 },
		"a negative timeout":              func(d map[string]any) { d["timeoutMs"] = -1 },
		"a fraction of a call":            func(d map[string]any) { d["maxConcurrent"] = 1.5 },
		"permissions in one text":         func(d map[string]any) { d["permissions"] = "a,b" },
		"an alias that is a number":       func(d map[string]any) { d["aliases"] = []any{1} },
		"a schema that is a boolean":      func(d map[string]any) { d["inputSchema"] = true },
		"metadata that is a list":         func(d map[string]any) { d["metadata"] = []any{} },
		"an unknown member of a clause":   func(d map[string]any) { d["stepUp"].(map[string]any)["later"] = 1 },
		"a deprecation without a version": func(d map[string]any) { delete(d["deprecated"].(map[string]any), "since") },
		"an idempotency without a mode":   func(d map[string]any) { delete(d["idempotency"].(map[string]any), "mode") },
		"an unknown mode":                 func(d map[string]any) { d["idempotency"].(map[string]any)["mode"] = "auto" },
		"a rate without a window":         func(d map[string]any) { delete(d["rateLimit"].(map[string]any), "perSeconds") },
		"a total rate without calls":      func(d map[string]any) { delete(d["totalRateLimit"].(map[string]any), "calls") },
		"a retry budget without a window": func(d map[string]any) { delete(d["retryBudget"].(map[string]any), "windowSeconds") },
		"a side effect without words": func(d map[string]any) {
			delete(d["sideEffects"].([]any)[0].(map[string]any),
				"description")
		},
		"a failure without a class":        func(d map[string]any) { delete(d["failureModes"].([]any)[0].(map[string]any), "class") },
		"a failure of an unknown culprit":  func(d map[string]any) { d["failureModes"].([]any)[0].(map[string]any)["by"] = "user" },
		"an unknown member of a failure":   func(d map[string]any) { d["failureModes"].([]any)[0].(map[string]any)["id"] = 1 },
		"an unknown reach":                 func(d map[string]any) { d["sideEffects"].([]any)[0].(map[string]any)["reach"] = "global" },
		"an unknown choice on the unknown": func(d map[string]any) { d["idempotency"].(map[string]any)["onUnknown"] = "ask" },
	} {
		var members map[string]any
		require.NoError(t, json.Unmarshal(data, &members))
		change(members)
		broken, err := json.Marshal(members)
		require.NoError(t, err)
		assert.Error(t, schematest.Validate(t, document, broken), name)
	}
	var later map[string]any
	require.NoError(t, json.Unmarshal(data, &later))
	later["later"] = map[string]any{"any": 1}
	more, err := json.Marshal(later)
	require.NoError(t, err)
	require.NoError(t, schematest.Validate(t, document, more), "a later version may know more")

	assert.Error(t, schematest.Validate(t, summary, []byte(`{"risk":"low"}`)))
	assert.Error(t, schematest.Validate(t, summary, []byte(`{"format":1,"risk":"severe"}`)))
	assert.NoError(t, schematest.Validate(t, outcome, []byte(`{"status":"error","code":"invalid_input","class":"retryable",`+
		`"violations":[{"rule":"schema.type","pointer":"/a","message":"must be a string"}]}`)))
	lacking, err := json.Marshal(contract.Outcome{
		Status: contract.StatusError, Code: contract.CodeStepUpRequired, Class: contract.ClassFatal,
		StepUp: &contract.StepUp{MaxAge: 5 * time.Minute, ACR: "mfa"},
	})
	require.NoError(t, err)
	assert.JSONEq(t, `{"status":"error","code":"step_up_required","class":"fatal","stepUp":{"maxAgeSeconds":300,"acr":"mfa"}}`,
		string(lacking))
	assert.NoError(t, schematest.Validate(t, outcome, lacking))
	for _, text := range []string{`{}`, `{"status":"failed"}`, `{"status":"error","stepUp":"mfa"}`,
		`{"status":"error","stepUp":{"maxAgeSeconds":-1}}`, `{"status":"error","class":"soft"}`, `{"status":"error","retryAfterMs":-1}`,
		`{"status":"error","violations":[{"rule":"a"}]}`} {
		assert.Error(t, schematest.Validate(t, outcome, []byte(text)), text)
	}
}

func documentSchema(t *testing.T) json.RawMessage {
	t.Helper()
	got, err := os.ReadFile(documentSchemaFile)
	require.NoError(t, err)
	return got
}
