package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/examples/internal/longtest"
	"github.com/toolcontract/toolcontract/gateway/catalog"
)

// The example starts this binary again as the servers behind the gateway, so
// the roles come before the tests.
func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) != "" {
		os.Exit(run(nil, os.Stdout, os.Stderr))
	}
	exampletest.Main(m, func() int { return run(os.Args[1:], os.Stdout, os.Stderr) })
}

func TestGateway_RunsTheStory(t *testing.T) {
	t.Parallel()
	longtest.Only(t) // it builds the weather server
	var out, errs bytes.Buffer
	require.Equal(t, 0, run(nil, &out, &errs), errs.String())
	var calls []string
	for line := range strings.Lines(out.String()) {
		for _, tool := range []string{"contacts_search", "alerts_publish", "forecast_get", "notes_"} {
			if told := strings.Fields(line); strings.HasPrefix(line, "  "+tool) && !strings.Contains(line, "instead of") {
				calls = append(calls, strings.Join(told, " "))
			}
		}
	}
	assert.Equal(t, []string{
		"contacts_search ok",
		"alerts_publish ok, after a person agreed", "alerts_publish replayed",
		"forecast_get ok", "forecast_get ok", "forecast_get error rate_limit_exceeded",
		"notes_list ok", "notes_delete ok, after a person agreed", "notes_dump the tool does not exist",
		"notes_delete the tool does not exist",
		"notes_delete ok, after a person agreed",
	}, calls)
	assert.Empty(t, errs.String())
}

func TestGateway_PrintsTheFactsOfEachCycle(t *testing.T) {
	t.Parallel()
	longtest.Only(t) // it builds the weather server
	var out, errs bytes.Buffer
	require.Equal(t, 0, run([]string{"-json"}, &out, &errs), errs.String())
	var members []map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &members))
	for _, m := range members {
		for _, name := range []string{"cycle", "tool", "fact", "declared", "effective", "origin", "flag"} {
			assert.Contains(t, m, name)
		}
		assert.Len(t, m, 7)
	}
	var rows []catalog.Row
	require.NoError(t, json.Unmarshal(out.Bytes(), &rows))
	has := func(want catalog.Row) { assert.True(t, slices.Contains(rows, want), "%+v", want) }
	for cycle := range int64(3) {
		has(catalog.Row{
			Cycle: cycle + 1, Tool: "notes_dump", Fact: "risk", Declared: "low", Effective: "forbidden", Origin: "operator",
			Flag: catalog.Veto,
		})
		has(catalog.Row{
			Cycle: cycle + 1, Tool: "emails_send_external", Fact: "effect", Declared: "external-publication",
			Effective: "external-publication", Origin: "contract",
		})
		has(catalog.Row{
			Cycle: cycle + 1, Tool: "forecast_get", Fact: "effect", Declared: "read-only", Effective: "read-only", Origin: "hints",
		})
	}
	has(catalog.Row{
		Cycle: 1, Tool: "notes_delete", Fact: "effect", Declared: "destructive", Effective: "destructive", Origin: "annotations",
	})
	has(catalog.Row{
		Cycle: 2, Tool: "notes_delete", Fact: "effect", Declared: "read-only", Effective: "destructive", Origin: "memory",
		Flag: catalog.Downgrade,
	})
	has(catalog.Row{
		Cycle: 3, Tool: "notes_delete", Fact: "effect", Declared: "read-only", Effective: "destructive", Origin: "operator",
	})
	downgrades := slices.DeleteFunc(slices.Clone(rows), func(r catalog.Row) bool { return r.Flag != catalog.Downgrade })
	for _, r := range downgrades {
		assert.Equal(t, int64(2), r.Cycle)
		assert.Equal(t, "notes_delete", r.Tool)
	}
}

func TestGateway_ServesTheEndpointAndThePage(t *testing.T) {
	t.Parallel()
	longtest.Only(t) // it builds the weather server
	url := exampletest.Serve(t, "-gateway")
	alice := exampletest.As(t, url, "alice", exampletest.Modern)
	assert.Contains(t, exampletest.Names(t, alice), "alerts_publish")
	assert.Equal(t, []string{"contacts_search"},
		slices.DeleteFunc(exampletest.Names(t, exampletest.As(t, url, "bob", exampletest.Modern)), func(name string) bool {
			return name == "forecast_get" || strings.HasPrefix(name, "notes_")
		}), "what the server of emails declares, the gateway demands")
	result, outcome := exampletest.Call(t, alice, "contacts_search", `{"query":"anna"}`)
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.NotNil(t, result.StructuredContent)
	_, outcome = exampletest.Call(t, alice, "notes_delete", `{"title":"Milk"}`)
	assert.Equal(t, contract.CodeConfirmationRequired, outcome.Code, "this client cannot ask a person")
	_, err := alice.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "notes_dump"}})
	require.Error(t, err)

	page := strings.TrimSuffix(url, "/mcp") + catalog.PagePath
	for token, sees := range map[string]bool{"alice": false, "auditor": true} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, http.StatusOK, response.StatusCode)
		assert.Equal(t, sees, strings.Contains(string(text), "notes_dump"), token)
	}
	body := exampletest.SignIn(t, page, "auditor")
	assert.Contains(t, body, "notes_dump")
	assert.Contains(t, body, "alerts_publish", "an auditor sees all tools")
	assert.Contains(t, body, "<strong>Unknown:</strong>", "the servers of weather and notes do not declare what they read")
}

func TestGateway_RefusesAWrongCommandLine(t *testing.T) {
	t.Parallel()
	for args, code := range map[string]int{
		"-h": 0, "now": 2, "-weather http://127.0.0.1:1/mcp": 2, "-weather http://127.0.0.1:1/mcp -http nowhere": 2,
	} {
		var out, errs bytes.Buffer
		assert.Equal(t, code, run(strings.Fields(args), &out, &errs), args)
		assert.NotEmpty(t, errs.String())
		assert.NotContains(t, out.String(), "Cycle")
	}
}

func TestRole_UnknownRoleEnds(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 2, role("poems").run())
}
