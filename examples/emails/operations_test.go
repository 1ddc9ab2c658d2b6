package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

// An agent whose session is gone asks in the next one, whatever the naming is.
func TestOperations_AreLookedUpInTheNextProcess(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.db")
	for _, naming := range []string{"dotted", "underscore"} {
		c := exampletest.Stdio(t, exampletest.Modern, "-state", file)
		_, outcome := exampletest.CallKeyed(t, c, "emails.create_draft", dinner, naming)
		require.NotEmpty(t, outcome.OperationID)
		asked, err := json.Marshal(map[string]string{"operationId": outcome.OperationID})
		require.NoError(t, err)

		next := exampletest.Stdio(t, exampletest.Modern, "-state", file, "-names", naming)
		found, looked := exampletest.Call(t, next, "operations_get", string(asked))
		assert.Equal(t, contract.StatusOK, looked.Status)
		assert.Empty(t, looked.OperationID, "a lookup is not recorded itself")
		told, ok := found.StructuredContent.(map[string]any)
		require.True(t, ok)
		assert.Equal(t, "succeeded", told["state"])
		assert.Equal(t, map[string]string{"dotted": "emails.create_draft", "underscore": "emails_create_draft"}[naming], told["tool"])
		assert.NotContains(t, told, "draftId")

		less := exampletest.Stdio(t, exampletest.Modern, "-state", file, "-permissions", "files:share")
		found, _ = exampletest.Call(t, less, "operations_get", string(asked))
		assert.Equal(t, map[string]any{"state": "unknown"}, found.StructuredContent)
	}
}
