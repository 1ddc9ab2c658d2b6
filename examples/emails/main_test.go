package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

func TestMain(m *testing.M) { exampletest.MainOnSDKs(m, serve, "-names", "dotted", "-tier", "full") }

var everything = []string{
	"accounts.change_permissions", "contacts.search", "emails.bulk_send", "emails.create_draft",
	"emails.send_external", "files.create_download_link", "operations_get",
}

func TestList_OverHTTPHasTheToolsThatTheCallerMayUse(t *testing.T) {
	t.Parallel()
	url := exampletest.Serve(t)
	tests := []struct {
		name, token string
		want        []string
	}{
		{"alice", "alice", everything},
		{"alice with a second factor", "alice-mfa", everything},
		{"bob", "bob", []string{"contacts.search"}},
		{"the auditor", "auditor", []string{}},
		{"an unknown token", "mallory", []string{}},
		{"anonymous", "", []string{}},
	}
	for _, era := range exampletest.Eras() {
		for _, tt := range tests {
			t.Run(era+"/"+tt.name, func(t *testing.T) {
				assert.Equal(t, tt.want, exampletest.Names(t, exampletest.As(t, url, tt.token, era)))
			})
		}
	}
}

func TestList_OverStdioHasTheToolsOfThePermissions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		want []string
	}{
		{"all permissions", nil, everything},
		{"two permissions", []string{"-permissions", "contacts:read,emails:draft"}, []string{"contacts.search", "emails.create_draft",
			"operations_get"}},
		{"one permission", []string{"-permissions", "files:share"}, []string{"files.create_download_link", "operations_get"}},
		{
			"some of the permissions of a tool", []string{"-permissions", "emails:send,contacts:read"},
			[]string{"contacts.search", "emails.bulk_send"},
		},
		{"no permission", []string{"-permissions", ""}, []string{}},
	}
	for _, era := range exampletest.Eras() {
		for _, tt := range tests {
			t.Run(era+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				assert.Equal(t, tt.want, exampletest.Names(t, exampletest.Stdio(t, era, tt.args...)))
			})
		}
	}
}

const lunch = `{"to":["anna@example.com"],"subject":"Lunch","body":"Noon?","attachments":["f_menu"],"projectId":"p_1"}`

// calls are answered alike over every transport, for a caller with all
// permissions.
var calls = []struct {
	name, tool, arguments string
	code                  string // empty for status ok
	class                 contract.Class
	pointers              []string
}{
	{"a search", "contacts.search", `{"query":"anna"}`, "", 0, nil},
	{"a search without a query", "contacts.search", `{}`, "invalid_input", contract.ClassRetryable, []string{"/query"}},
	{"a draft", "emails.create_draft", lunch, "", 0, nil},
	{
		"a draft without recipients, with a misspelt member", "emails.create_draft", `{"to":[],"subject":"x","bdy":"y"}`,
		"invalid_input", contract.ClassRetryable, []string{"/bdy", "/body", "/to"},
	},
	{
		"a subject of two lines", "emails.create_draft",
		`{"to":["anna@example.com"],"subject":"x\r\nBcc: eve@example.net","body":"y"}`, "invalid_input",
		contract.ClassRetryable, []string{"/subject"},
	},
	{
		"a recipient that the relay refuses", "emails.create_draft",
		`{"to":["x@invalid.example"],"subject":"x","body":"y"}`, "invalid_recipient", contract.ClassRetryable, []string{"/to/0"},
	},
	{
		"a huge attachment", "emails.create_draft",
		`{"to":["anna@example.com"],"subject":"x","body":"y","attachments":["f_huge"]}`, "attachment_too_large",
		contract.ClassRetryable, []string{"/attachments/0"},
	},
	{
		"a subject that violates the policy", "emails.create_draft",
		`{"to":["anna@example.com"],"subject":"[policy]","body":"y"}`, "policy_violation", contract.ClassFatal, nil,
	},
	{
		"the relay is down", "emails.create_draft", `{"to":["anna@example.com"],"subject":"[relay-down]","body":"y"}`,
		"relay_down", contract.ClassFatal, nil,
	},
	{"a sending", "emails.send_external", lunch, "confirmation_required", contract.ClassFatal, nil},
	{
		"a sending with mistakes is not asked about", "emails.send_external", `{"to":["anna@example.com"]}`,
		"invalid_input", contract.ClassRetryable, []string{"/body", "/subject"},
	},
	{
		"a campaign without a dry run", "emails.bulk_send",
		`{"templateId":"tmpl_newsletter_q3","segmentId":"seg_active_customers"}`, "dry_run_required", contract.ClassRetryable, nil,
	},
	{"a link", "files.create_download_link", `{"fileId":"f_abc123","expiresAt":"2999-12-31T23:59:00Z"}`, "", 0, nil},
	{
		"a link that has expired", "files.create_download_link",
		`{"fileId":"f_abc123","expiresAt":"2025-12-31T23:59:00Z"}`, "expires_in_past", contract.ClassRetryable, []string{"/expiresAt"},
	},
	{
		"a link that expires on a date without a time", "files.create_download_link",
		`{"fileId":"f_abc123","expiresAt":"2999-12-31"}`, "invalid_input", contract.ClassRetryable, []string{"/expiresAt"},
	},
	{
		"a link that expires in no time zone", "files.create_download_link",
		`{"fileId":"f_abc123","expiresAt":"2999-12-31T23:59:00"}`, "invalid_input", contract.ClassRetryable, []string{"/expiresAt"},
	},
	{
		"a link without a file", "files.create_download_link", `{"fileId":"","expiresAt":"2999-12-31T23:59:00Z"}`,
		"invalid_input", contract.ClassRetryable, []string{"/fileId"},
	},
}

func TestCalls_ReturnResultsAndFailures(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		url := exampletest.Serve(t) // one for each era: a second draft of alice would be a replay
		for name, c := range map[string]*client.Client{
			"stdio": exampletest.Stdio(t, era), "http": exampletest.As(t, url, "alice", era),
		} {
			for _, tt := range calls {
				t.Run(era+"/"+name+"/"+tt.name, func(t *testing.T) {
					result, outcome := exampletest.Call(t, c, tt.tool, tt.arguments)
					assert.Equal(t, tt.code, outcome.Code)
					assert.Equal(t, tt.class, outcome.Class)
					assert.Equal(t, tt.code != "", result.IsError)
					assert.NotEmpty(t, outcome.CallID)
					assert.Equal(t, "1.0.0", outcome.ContractVersion)
					assert.Equal(t, tt.class == contract.ClassFatal, strings.HasPrefix(exampletest.Text(t, result), "[FATAL] "))
					if tt.code == "" {
						assert.NotNil(t, result.StructuredContent)
						assert.Equal(t, contract.StatusOK, outcome.Status)
						return
					}
					assert.Nil(t, result.StructuredContent)
					assert.Equal(t, contract.StatusError, outcome.Status)
					assert.Contains(t, exampletest.Text(t, result), tt.code+": ")
					var pointers []string
					for _, v := range outcome.Violations {
						pointers = append(pointers, v.Pointer)
					}
					assert.Equal(t, tt.pointers, pointers)
				})
			}
		}
	}
}

func TestCalls_OverHTTPNeedPermissions(t *testing.T) {
	t.Parallel()
	url := exampletest.Serve(t)
	tests := []struct{ name, token, tool, arguments, code string }{
		{"an anonymous search", "", "contacts.search", `{"query":"anna"}`, "unauthenticated"},
		{"an anonymous sending with invalid arguments", "", "emails.send_external", `{}`, "unauthenticated"},
		{"an unknown token", "mallory", "contacts.search", `{"query":"anna"}`, "unauthenticated"},
		{"a draft by bob", "bob", "emails.create_draft", lunch, "permission_denied"},
		{"a link by bob with invalid arguments", "bob", "files.create_download_link", `{}`, "permission_denied"},
		{"a sending by bob with invalid arguments", "bob", "emails.send_external", `{}`, "permission_denied"},
		{"a search by the auditor", "auditor", "contacts.search", `{"query":"anna"}`, "permission_denied"},
	}
	for _, era := range exampletest.Eras() {
		for _, tt := range tests {
			t.Run(era+"/"+tt.name, func(t *testing.T) {
				result, outcome := exampletest.Call(t, exampletest.As(t, url, tt.token, era), tt.tool, tt.arguments)
				assert.True(t, result.IsError)
				assert.Equal(t, tt.code, outcome.Code)
				assert.Equal(t, contract.ClassFatal, outcome.Class)
				assert.Empty(t, outcome.Violations)
			})
		}
		t.Run(era+"/a search by bob", func(t *testing.T) {
			_, outcome := exampletest.Call(t, exampletest.As(t, url, "bob", era), "contacts.search", `{"query":"anna"}`)
			assert.Equal(t, contract.StatusOK, outcome.Status)
		})
	}
}

func TestForbiddenTool_AnswersAsAnUnknownName(t *testing.T) {
	t.Parallel()
	url := exampletest.Serve(t)
	refusal := func(t *testing.T, c *client.Client, tool string) string {
		t.Helper()
		_, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool}})
		require.ErrorIs(t, err, mcp.ErrInvalidParams)
		return strings.ReplaceAll(err.Error(), tool, "NAME")
	}
	for _, era := range exampletest.Eras() {
		for name, c := range map[string]*client.Client{
			"stdio": exampletest.Stdio(t, era), "alice": exampletest.As(t, url, "alice", era),
			"auditor": exampletest.As(t, url, "auditor", era), "anonymous": exampletest.As(t, url, "", era),
		} {
			t.Run(era+"/"+name, func(t *testing.T) {
				assert.Equal(t, refusal(t, c, "secrets.read_nothing"), refusal(t, c, "secrets.read_private_key"))
			})
		}
	}
}

func TestTier_SetsHowMuchOfTheContractIsPublished(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tier  string
		wants []string // members of the contract in _meta
	}{
		{"full", []string{"format", "name", "risk", "failureModes", "sideEffects"}},
		{"summary", []string{"format", "risk", "effect", "contentTrust", "confirmation", "version"}},
		{"hints", nil},
	}
	for _, tt := range tests {
		t.Run(tt.tier, func(t *testing.T) {
			t.Parallel()
			result, err := exampletest.Stdio(t, exampletest.Modern, "-tier", tt.tier).ListTools(t.Context(), mcp.ListToolsRequest{})
			require.NoError(t, err)
			require.Len(t, result.Tools, len(everything))
			for _, tool := range result.Tools {
				require.NotNil(t, tool.Annotations.DestructiveHint)
				if tt.wants == nil {
					assert.True(t, tool.Meta == nil || tool.Meta.AdditionalFields[contract.MetaKeyContract] == nil)
					continue
				}
				require.NotNil(t, tool.Meta)
				published, ok := tool.Meta.AdditionalFields[contract.MetaKeyContract].(map[string]any)
				require.True(t, ok)
				for _, member := range tt.wants {
					if member == "sideEffects" && *tool.Annotations.ReadOnlyHint {
						continue // a read-only tool has no side effects
					}
					assert.Contains(t, published, member, tool.Name)
				}
				assert.Equal(t, tt.tier == "full", published["name"] != nil, "the tool beside it has it")
			}
		})
	}
}

func TestNames_WithUnderscoresReplaceDottedNames(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		for name, c := range map[string]*client.Client{
			"stdio": exampletest.Stdio(t, era, "-names", "underscore"),
			"http":  exampletest.As(t, exampletest.Serve(t, "-names", "underscore"), "alice", era),
		} {
			t.Run(era+"/"+name, func(t *testing.T) {
				assert.Equal(t, []string{
					"accounts_change_permissions", "contacts_search", "emails_bulk_send", "emails_create_draft",
					"emails_send_external", "files_create_download_link", "operations_get",
				}, exampletest.Names(t, c))
				_, outcome := exampletest.Call(t, c, "emails_create_draft", lunch)
				assert.Equal(t, contract.StatusOK, outcome.Status)
				_, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "emails.create_draft"}})
				assert.ErrorIs(t, err, mcp.ErrInvalidParams, "only the listed name works")
			})
		}
	}
}

// A server without flags suits the most hosts: no dots, and a small list.
func TestServer_ListsShortContractsUnderNamesWithoutDotsByDefault(t *testing.T) {
	t.Parallel()
	cmd := exampletest.Command(t)
	require.Equal(t, []string{"-names", "dotted", "-tier", "full"}, cmd.Args[1:5], "the flags of the other tests")
	cmd.Args = slices.Delete(cmd.Args, 1, 5)
	c := exampletest.StdioOf(t, cmd, exampletest.Modern)
	result, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	require.NoError(t, err)
	for _, tool := range result.Tools {
		published, ok := tool.Meta.AdditionalFields[contract.MetaKeyContract].(map[string]any)
		require.True(t, ok)
		assert.NotContains(t, published, "failureModes")
		if tool.Name == "operations_get" {
			continue // the contract has the same name
		}
		assert.Equal(t, strings.Replace(tool.Name, "_", ".", 1), published["name"], "the contract keeps its name")
	}
	refused, outcome := exampletest.Call(t, c, "emails_create_draft",
		`{"to":["x@invalid.example"],"subject":"Lunch","body":"Noon?"}`)
	assert.Equal(t, "Look the address up with contacts_search.", outcome.Hint)
	assert.Contains(t, exampletest.Text(t, refused), outcome.Hint)
}

func TestServer_EndsWithItsInput(t *testing.T) {
	t.Parallel()
	cmd := exampletest.Command(t)
	cmd.Stdin = strings.NewReader("")
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Empty(t, string(out), "stdout carries only the protocol")
}
