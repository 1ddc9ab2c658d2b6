package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

// A desktop host starts the server for each window, with the same flags.
func TestAudit_TwoSessionsOverStdioAtOnceBothHaveALog(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a folder", "a file"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := folder
			if name == "a file" {
				path = filepath.Join(folder, "audit.jsonl")
			}
			var stderr [2]bytes.Buffer
			t.Run("sessions", func(t *testing.T) { // they end with it
				first := exampletest.StdioLogged(t, &stderr[0], exampletest.Modern, "-audit", path)
				second := exampletest.StdioLogged(t, &stderr[1], exampletest.Legacy, "-audit", path)
				for range 3 {
					for _, session := range []*client.Client{first, second} {
						_, outcome := exampletest.Call(t, session, "contacts.search", `{"query":"anna"}`)
						assert.Equal(t, contract.StatusOK, outcome.Status)
					}
				}
			})
			files, err := audit.VerifyFolder(folder, "")
			require.NoError(t, err)
			require.Len(t, files, 2)
			for _, f := range files {
				assert.Equal(t, 3, f.Report.Records)
				assert.Contains(t, stderr[0].String()+stderr[1].String(), "head of the audit log: "+f.Report.Last)
				assert.NotContains(t, stderr[0].String(), f.Name)
				if name == "a file" && f.Name != filepath.Base(path) {
					assert.Contains(t, stderr[1].String(), f.Name, "the second session has a file of its own")
				}
			}
		})
	}
}
