// Package schematest helps tests that write JSON Schema files from Go types and
// their comments.
package schematest

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	validation "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
)

// Enum returns the schema of E's texts.
func Enum[E enumtest.Enum]() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range enumtest.All[E]() {
		s.Enum = append(s.Enum, v.String())
	}
	return s
}

var docLink = regexp.MustCompile(`\[([A-Za-z.]+)\]`)

// Tidy rewrites a schema's descriptions, which are comments of Go fields, in
// JSON terms. It also sets the minimum of every integer to zero.
func Tidy(schema any) {
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	if text, ok := s["description"].(string); ok {
		text = docLink.ReplaceAllString(strings.Join(strings.Fields(text), " "), "$1")
		for _, zero := range []string{"Nil", "Zero", "Empty", "Undeclared", "False"} {
			text = strings.ReplaceAll(text, " "+zero+": ", " Absent: ")
		}
		if text == "" {
			delete(s, "description")
		} else {
			s["description"] = text
		}
	}
	if s["type"] == "integer" {
		s["minimum"] = 0
	}
	for _, keyword := range []string{"properties", "items"} {
		sub, _ := s[keyword].(map[string]any)
		if keyword == "items" && sub != nil {
			Tidy(sub)
			continue
		}
		for _, property := range sub {
			Tidy(property)
		}
	}
}

// Text returns a schema as it appears in its file.
func Text(t testing.TB, schema map[string]any) []byte {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(schema))
	return out.Bytes()
}

// Validator returns a function that compiles a schema, or one of its
// definitions, with another library that reads schemas as strictly as it can.
// The fragment is, for example, "#/$defs/summary", or "" for the whole schema.
func Validator(t testing.TB, schema json.RawMessage) func(fragment string) *validation.Schema {
	t.Helper()
	parsed, err := validation.UnmarshalJSON(bytes.NewReader(schema))
	require.NoError(t, err)
	c := validation.NewCompiler()
	require.NoError(t, c.AddResource("mem:///schema", parsed))
	return func(fragment string) *validation.Schema { return c.MustCompile("mem:///schema" + fragment) }
}

// Validate validates data, a JSON text, against s.
func Validate(t testing.TB, s *validation.Schema, data []byte) error {
	t.Helper()
	v, err := validation.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	return s.Validate(v)
}
