package main

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveEnv makes the test binary the server that it tests.
const serveEnv = "SMALLEST_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestItAdds(t *testing.T) {
	t.Parallel()
	over := transport.NewStdio(os.Args[0], append(os.Environ(), serveEnv+"=1"))
	c := client.NewClient(over)
	t.Cleanup(func() { assert.NoError(t, c.Close(), "exits 0 when its input ends") })
	require.NoError(t, c.Start(context.WithoutCancel(t.Context())))
	_, err := c.Initialize(t.Context(), mcp.InitializeRequest{})
	require.NoError(t, err)

	tests := []struct {
		name, arguments string
		isError         bool
		want            any
	}{
		{"two numbers", `{"a":20,"b":22}`, false, map[string]any{"sum": 42.0}},
		{"one number", `{"a":20}`, true, nil},
		{"a word", `{"a":20,"b":"22"}`, true, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "calc.add", Arguments: json.RawMessage(tt.arguments)}})
			require.NoError(t, err)
			assert.Equal(t, tt.isError, result.IsError)
			assert.Equal(t, tt.want, result.StructuredContent)
		})
	}
}
