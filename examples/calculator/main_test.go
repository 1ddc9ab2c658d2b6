package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

func TestMain(m *testing.M) { exampletest.Main(m, run, "-names", "dotted", "-tier", "full") }

// everyTransport runs a test for each transport and era.
func everyTransport(t *testing.T, test func(t *testing.T, c *client.Client)) {
	t.Helper()
	for _, era := range exampletest.Eras() {
		t.Run("stdio/"+era, func(t *testing.T) {
			t.Parallel()
			test(t, exampletest.Stdio(t, era))
		})
		t.Run("http/"+era, func(t *testing.T) {
			t.Parallel()
			test(t, exampletest.As(t, exampletest.Serve(t), "bob", era))
		})
	}
}

func TestCalls_ReturnResultsAndFailures(t *testing.T) {
	t.Parallel()
	calls := []struct {
		name, tool, arguments string
		want                  any
		code                  string
	}{
		{"a sum", "calculator.add", `{"a":20,"b":22.5}`, 42.5, ""},
		{"a difference", "calculator.subtract", `{"a":20,"b":22.5}`, -2.5, ""},
		{"a sum that is too large", "calculator.add", `{"a":1.7e308,"b":1.7e308}`, nil, ErrTooLarge.Code()},
		{"a difference that is too large", "calculator.subtract", `{"a":-1.7e308,"b":1.7e308}`, nil, ErrTooLarge.Code()},
		{"a missing number", "calculator.add", `{"a":20}`, nil, contract.CodeInvalidInput},
		{"a text", "calculator.subtract", `{"a":20,"b":"22"}`, nil, contract.CodeInvalidInput},
		{"an unknown argument", "calculator.add", `{"a":1,"b":2,"c":3}`, nil, contract.CodeInvalidInput},
	}
	everyTransport(t, func(t *testing.T, c *client.Client) {
		for _, tt := range calls {
			result, outcome := exampletest.Call(t, c, tt.tool, tt.arguments)
			assert.Equal(t, tt.code, outcome.Code, tt.name)
			assert.Equal(t, tt.code != "", result.IsError, tt.name)
			if tt.code == "" {
				assert.Equal(t, map[string]any{"result": tt.want}, result.StructuredContent, tt.name)
			}
		}
	})
}

func TestList_FollowsTheDocument(t *testing.T) {
	t.Parallel()
	everyTransport(t, func(t *testing.T, c *client.Client) {
		list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		require.NoError(t, err)
		require.Len(t, list.Tools, 2)
		subtract := list.Tools[1]
		assert.Equal(t, "calculator.subtract", subtract.Name)
		assert.Equal(t, "Subtracts the second number from the first", subtract.Description)
		data, err := json.Marshal(subtract)
		require.NoError(t, err)
		var listed struct {
			InputSchema  json.RawMessage
			OutputSchema struct{ Properties map[string]any } // mcp-go's client changes the rest
			Meta         map[string]contract.Document        `json:"_meta"`
		}
		require.NoError(t, json.Unmarshal(data, &listed))
		assert.JSONEq(t, `{"type":"object","additionalProperties":false,"required":["a","b"],"properties":{
			"a":{"type":"number","description":"First number"},"b":{"type":"number","description":"Second number"}}}`,
			string(listed.InputSchema))
		assert.Equal(t, map[string]any{"result": map[string]any{"type": "number"}}, listed.OutputSchema.Properties)
		d := listed.Meta[contract.MetaKeyContract]
		assert.Equal(t, "1.0.0", d.Version)
		assert.EqualValues(t, 1, d.SecurityLevel)
		assert.Equal(t, "utility", d.Metadata["category"])
	})
}

func TestCalls_WithoutATokenAreRefused(t *testing.T) {
	t.Parallel()
	url := exampletest.Serve(t)
	for _, era := range exampletest.Eras() {
		result, outcome := exampletest.Call(t, exampletest.As(t, url, "", era), "calculator.add", `{"a":1,"b":2}`)
		assert.True(t, result.IsError)
		assert.Equal(t, contract.CodeUnauthenticated, outcome.Code)
	}
}

func TestDocument_CanBeRestoredFromTheTools(t *testing.T) {
	t.Parallel()
	bound, err := tools()
	require.NoError(t, err)
	all, err := contract.DefinitionsOf(bound...)
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Empty(t, contract.Unbound(all[0], bound...), "every capability has its handler")
	written, err := json.Marshal(all[0])
	require.NoError(t, err)
	assert.JSONEq(t, string(document), string(written))
}

func TestAuditLog_CanBeVerified(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	p := exampletest.Start(t, "-audit", path)
	exampletest.Call(t, exampletest.As(t, p.URL, "alice", exampletest.Modern), "calculator.add", `{"a":1,"b":2}`)
	_, head, found := strings.Cut(p.Terminate(t), "head of the audit log: ")
	require.True(t, found)
	out, err := exampletest.Command(t, "-verify-audit", path, "-head", strings.TrimSpace(head)).Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "1 record")
	log, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(log), `"tool":"calculator.add"`)
}
