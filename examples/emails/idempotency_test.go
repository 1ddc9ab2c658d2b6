package main

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

const dinner = `{"to":["max@example.com"],"subject":"Dinner","body":"Eight?"}`

// member returns a member of the structured content, or "" if it is missing.
func member(t *testing.T, result *mcp.CallToolResult, name string) string {
	t.Helper()
	data, err := json.Marshal(result.StructuredContent)
	require.NoError(t, err)
	var members map[string]string
	require.NoError(t, json.Unmarshal(data, &members))
	return members[name]
}

// draft creates a draft and returns its id.
func draft(t *testing.T, c *client.Client, email, key string) (string, contract.Outcome) {
	t.Helper()
	result, outcome := exampletest.CallKeyed(t, c, "emails.create_draft", email, key)
	return member(t, result, "draftId"), outcome
}

// onEveryTransport runs a test for each transport and era, each with its own
// server and a caller with all permissions.
func onEveryTransport(t *testing.T, test func(*testing.T, *client.Client)) {
	t.Helper()
	for _, era := range exampletest.Eras() {
		t.Run(era+"/stdio", func(t *testing.T) {
			t.Parallel()
			test(t, exampletest.Stdio(t, era))
		})
		t.Run(era+"/http", func(t *testing.T) {
			t.Parallel()
			test(t, exampletest.As(t, exampletest.Serve(t), "alice", era))
		})
	}
}

func TestDraft_IsCreatedOnceForEachKey(t *testing.T) {
	t.Parallel()
	onEveryTransport(t, func(t *testing.T, c *client.Client) {
		first, outcome := draft(t, c, dinner, "k1")
		assert.Equal(t, contract.StatusOK, outcome.Status)
		assert.NotEmpty(t, first)

		again, outcome := draft(t, c, dinner, "k1")
		assert.Equal(t, contract.StatusReplayed, outcome.Status)
		assert.Equal(t, first, again)

		other, outcome := draft(t, c, dinner, "k2")
		assert.Equal(t, contract.StatusOK, outcome.Status)
		assert.NotEqual(t, first, other, "another key makes another draft")

		result, outcome := exampletest.CallKeyed(t, c, "emails.create_draft", lunch, "k1")
		assert.True(t, result.IsError)
		assert.Equal(t, contract.StatusError, outcome.Status)
		assert.Equal(t, contract.CodeKeyConflict, outcome.Code)
		assert.NotContains(t, exampletest.Text(t, result), first, "the first result stays secret")

		again, outcome = draft(t, c, dinner, "k1")
		assert.Equal(t, contract.StatusReplayed, outcome.Status, "the conflict changed nothing")
		assert.Equal(t, first, again)
	})
}

func TestDraft_WithoutAKeyIsCreatedOnceForEachEmail(t *testing.T) {
	t.Parallel()
	onEveryTransport(t, func(t *testing.T, c *client.Client) {
		first, outcome := exampletest.Call(t, c, "emails.create_draft", lunch)
		assert.Equal(t, contract.StatusOK, outcome.Status)
		// The order of members and white space do not matter.
		again, outcome := exampletest.Call(t, c, "emails.create_draft",
			`{ "projectId":"p_1", "attachments":["f_menu"], "body":"Noon?", "subject":"Lunch", "to":["anna@example.com"] }`)
		assert.Equal(t, contract.StatusReplayed, outcome.Status)
		assert.Equal(t, member(t, first, "draftId"), member(t, again, "draftId"))
		other, outcome := exampletest.Call(t, c, "emails.create_draft", dinner)
		assert.Equal(t, contract.StatusOK, outcome.Status)
		assert.NotEqual(t, member(t, first, "draftId"), member(t, other, "draftId"))
	})
}

func TestDraft_ReplaysOnlyFatalFailures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, email, code string
		again             contract.Status
	}{
		{"the relay is down", `{"to":["anna@example.com"],"subject":"[relay-down]","body":"x"}`, "relay_down", contract.StatusReplayed},
		{
			"a subject that violates the policy", `{"to":["anna@example.com"],"subject":"[policy]","body":"x"}`,
			"policy_violation", contract.StatusReplayed,
		},
		{"an invalid recipient", `{"to":["x@invalid.example"],"subject":"x","body":"y"}`, "invalid_recipient", contract.StatusError},
		{"invalid arguments", `{"to":[]}`, "invalid_input", contract.StatusError},
	}
	onEveryTransport(t, func(t *testing.T, c *client.Client) {
		for _, tt := range tests {
			first, outcome := exampletest.CallKeyed(t, c, "emails.create_draft", tt.email, tt.code)
			assert.Equal(t, tt.code, outcome.Code, tt.name)
			assert.Equal(t, contract.StatusError, outcome.Status, tt.name)
			again, outcome := exampletest.CallKeyed(t, c, "emails.create_draft", tt.email, tt.code)
			assert.Equal(t, tt.code, outcome.Code, tt.name)
			assert.Equal(t, tt.again, outcome.Status, tt.name)
			assert.True(t, again.IsError, tt.name)
			assert.Equal(t, exampletest.Text(t, first), exampletest.Text(t, again), tt.name)
		}
		_, outcome := draft(t, c, dinner, "invalid_recipient")
		assert.Equal(t, contract.StatusOK, outcome.Status, "a retryable failure does not use up its key")
	})
}

func TestKey_InvalidOrNotNeeded(t *testing.T) {
	t.Parallel()
	onEveryTransport(t, func(t *testing.T, c *client.Client) {
		for _, key := range []string{"", "schlüssel", "a\nb"} {
			_, outcome := exampletest.CallKeyed(t, c, "emails.create_draft", dinner, key)
			assert.Equal(t, contract.CodeInvalidInput, outcome.Code, "%q", key)
		}
		_, outcome := exampletest.CallKeyed(t, c, "contacts.search", `{"query":"anna"}`, "k1")
		assert.Equal(t, contract.StatusOK, outcome.Status)
		assert.True(t, outcome.KeyIgnored, "the tool takes no key")
	})
}

func TestLink_IsCreatedOnceForEachFileAndExpiry(t *testing.T) {
	t.Parallel()
	onEveryTransport(t, func(t *testing.T, c *client.Client) {
		end := time.Now().Add(time.Hour)
		link := func(file, key string) (string, contract.Outcome) {
			result, outcome := exampletest.CallKeyed(t, c, "files.create_download_link",
				fmt.Sprintf(`{"fileId":%q,"expiresAt":%q}`, file, end.Format(time.RFC3339)), key)
			return member(t, result, "url"), outcome
		}
		first, outcome := link("f_abc123", "k1")
		assert.Equal(t, contract.StatusOK, outcome.Status)
		assert.True(t, outcome.KeyIgnored, "fields of the arguments are the key")
		assert.NotEmpty(t, first)
		again, outcome := link("f_abc123", "k2")
		assert.Equal(t, contract.StatusReplayed, outcome.Status)
		assert.Equal(t, first, again)
		other, outcome := link("f_def456", "k1")
		assert.Equal(t, contract.StatusOK, outcome.Status)
		assert.NotEqual(t, first, other)
	})
}

func TestReplay_NeedsThePermissionsOfTheCall(t *testing.T) {
	t.Parallel()
	url := exampletest.Serve(t)
	first, _ := draft(t, exampletest.As(t, url, "alice", exampletest.Modern), dinner, "k1")
	_, outcome := draft(t, exampletest.As(t, url, "bob", exampletest.Modern), dinner, "k1")
	assert.Equal(t, contract.CodePermissionDenied, outcome.Code)
	_, outcome = draft(t, exampletest.As(t, url, "", exampletest.Modern), dinner, "k1")
	assert.Equal(t, contract.CodeUnauthenticated, outcome.Code)
	again, outcome := draft(t, exampletest.As(t, url, "alice-mfa", exampletest.Legacy), dinner, "k1")
	assert.Equal(t, contract.StatusReplayed, outcome.Status, "the same principal, although she authenticated differently")
	assert.Equal(t, first, again)
}
