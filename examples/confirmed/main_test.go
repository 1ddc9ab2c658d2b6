package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/guard/people"
)

func TestServer_TakesTheFlagOfThePage(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	assert.Equal(t, 2, server().Main([]string{"-approvals"}, &out, &errs), "a mistyped flag")
	assert.Contains(t, errs.String(), "-approval")
}

type agreeable struct{}

func (agreeable) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{people.ConfirmKey: true},
	}}, nil
}

func TestServer_OnBothSDKsAPersonApproves(t *testing.T) {
	t.Parallel()
	contracts := map[string]any{}
	for _, folder := range []string{".", "./official"} {
		binary, err := filepath.Abs(filepath.Join("..", "..", "bin", "confirmed", folder, "notes.exe"))
		require.NoError(t, err)
		out, err := exec.CommandContext(exampletest.Patient(t), "go", "build", "-o", binary, folder).CombinedOutput()
		require.NoError(t, err, string(out))
		for _, era := range exampletest.Eras() {
			for code, options := range map[string][]client.ClientOption{
				contract.CodeConfirmationRequired: nil,
				"":                                {client.WithElicitationHandler(agreeable{})},
			} {
				cmd := exec.CommandContext(exampletest.Patient(t), binary, "-tier", "full")
				c := exampletest.StdioOf(t, cmd, era, options...)
				_, outcome := exampletest.Call(t, c, "notes_delete", `{"id":"n1"}`)
				assert.Equal(t, code, outcome.Code, folder)
				list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
				require.NoError(t, err)
				require.Len(t, list.Tools, 1)
				contracts[folder] = list.Tools[0].Meta.AdditionalFields[contract.MetaKeyContract]
			}
		}
	}
	assert.NotNil(t, contracts["."])
	assert.Equal(t, contracts["."], contracts["./official"])
}
