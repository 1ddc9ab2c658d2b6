package main

import (
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

func TestMain(m *testing.M) {
	exampletest.Main(m, func() int {
		main()
		return 0
	})
}

func TestAdd_ChecksArguments(t *testing.T) {
	t.Parallel()
	c := exampletest.Stdio(t, exampletest.Modern)
	tests := []struct {
		name, arguments string
		isError         bool
		want            any
	}{
		{"two numbers", `{"a":20,"b":22}`, false, map[string]any{"sum": 42.0}},
		{"a missing number", `{"a":20}`, true, nil},
		{"a text", `{"a":20,"b":"22"}`, true, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result, err := c.CallTool(t.Context(),
				mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "calc_add", Arguments: json.RawMessage(tt.arguments)}})
			require.NoError(t, err)
			assert.Equal(t, tt.isError, result.IsError)
			assert.Equal(t, tt.want, result.StructuredContent)
		})
	}
}
