package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

// secret is the forbidden tool.
const secret = "secrets.read_private_key"

// visit returns the status and the body of a page.
func visit(t *testing.T, client *http.Client, address, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

func TestContracts_ThePageHasTheToolsOfTheList(t *testing.T) {
	t.Parallel()
	server := exampletest.Serve(t)
	page := strings.TrimSuffix(server, "/mcp") + "/contracts"
	for _, token := range []string{"", "bob", "alice", "mallory"} {
		want := exampletest.Names(t, exampletest.As(t, server, token, exampletest.Modern))
		status, raw := visit(t, http.DefaultClient, page+".json", token)
		require.Equal(t, http.StatusOK, status)
		var answer struct {
			Tools []struct{ Contract struct{ Name string } }
		}
		require.NoError(t, json.Unmarshal([]byte(raw), &answer))
		got := []string{}
		for _, tool := range answer.Tools {
			got = append(got, tool.Contract.Name)
		}
		assert.ElementsMatch(t, want, got, "as %s", token)
		status, body := visit(t, http.DefaultClient, page, token)
		require.Equal(t, http.StatusOK, status)
		for _, name := range want {
			assert.Contains(t, body, `id="tool-`+name+`"`)
		}
		assert.NotContains(t, raw+body, secret)
	}
}

func TestContracts_ThePageSendsAPersonToItsSignInAndShowsAllTools(t *testing.T) {
	t.Parallel()
	home := strings.TrimSuffix(exampletest.Serve(t), "/mcp")
	body := exampletest.SignIn(t, home+"/contracts", "auditor")
	assert.Contains(t, body, secret)
	assert.Contains(t, body, "8 tools.")
	assert.Contains(t, body, "<strong>No</strong>, not without a person.")
}
