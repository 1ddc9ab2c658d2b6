package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

var everything = []string{"account.read", "operations_get", "payouts.list", "payouts.release"}

func TestScopes_ArePermissions(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	tests := []struct {
		name, scope string
		want        []string
	}{
		{"all", allScopes, everything},
		{"one", "account:read", []string{"account.read"}},
		{"known and unknown", "admin payouts:read payouts:*", []string{"payouts.list"}},
		{"none", "", []string{}},
	}
	for _, era := range exampletest.Eras() {
		for _, tt := range tests {
			t.Run(era+"/"+tt.name, func(t *testing.T) {
				c := exampletest.As(t, k.url, k.fresh("scope", tt.scope), era)
				assert.Equal(t, tt.want, exampletest.Names(t, c))
				for tool, arguments := range map[string]string{
					"account.read": `{}`, "payouts.list": `{}`, "payouts.release": `{"payoutId":"po_9"}`,
				} {
					listed := false
					for _, name := range tt.want {
						listed = listed || name == tool
					}
					result, outcome := exampletest.Call(t, c, tool, arguments)
					switch {
					case !listed:
						assert.Equal(t, contract.CodePermissionDenied, outcome.Code, tool)
						assert.True(t, result.IsError)
					case tool == "payouts.release":
						assert.Equal(t, "unknown_payout", outcome.Code)
					default:
						assert.Equal(t, contract.StatusOK, outcome.Status, tool)
					}
				}
			})
		}
	}
	assert.EqualValues(t, 20_000_00, k.balance("account.read"))
}

func TestRelease_RunsOnceAfterARecentAuthentication(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			c := exampletest.As(t, k.url, k.fresh(), era)
			first, outcome := exampletest.Call(t, c, "payouts.release", `{"payoutId":"po_1001"}`)
			require.Equal(t, contract.StatusOK, outcome.Status, exampletest.Text(t, first))
			again, outcome := exampletest.Call(t, c, "payouts.release", `{"payoutId":"po_1001"}`)
			assert.Equal(t, contract.StatusReplayed, outcome.Status)
			assert.Equal(t, first.StructuredContent, again.StructuredContent)
			assert.EqualValues(t, 18_750_00, k.balance("account.read"))

			// The replay is only for the same principal. An Alice of another
			// tenant is another principal.
			for _, other := range [][]string{{"subject", "bob"}, {"tenant", "acme"}} {
				_, outcome = exampletest.Call(t, exampletest.As(t, k.url, k.fresh(other...), era), "payouts.release",
					`{"payoutId":"po_1001"}`)
				assert.Equal(t, "payout_released", outcome.Code)
				assert.Equal(t, contract.ClassFatal, outcome.Class)
			}
			assert.EqualValues(t, 18_750_00, k.balance("account.read"))
		})
	}
}

func TestRelease_NamesTheDemandThatTheAuthenticationDoesNotMeet(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	const (
		age   = "within the last 5m0s"
		class = "in the authentication class mfa"
	)
	tests := []struct {
		name      string
		fields    []string
		lacks     contract.StepUp
		text      []string
		challenge string
	}{
		{
			"an unknown authentication", nil, contract.StepUp{MaxAge: 5 * time.Minute, ACR: "mfa"}, []string{age, class},
			`acr_values="mfa", max_age="300", `,
		},
		{
			"a password, an hour ago", []string{"acr", "pwd", "authenticated_ago", "3600"},
			contract.StepUp{MaxAge: 5 * time.Minute, ACR: "mfa"}, []string{age, class}, `acr_values="mfa", max_age="300", `,
		},
		{
			"a second factor, six minutes ago", []string{"acr", "mfa", "authenticated_ago", "360"},
			contract.StepUp{MaxAge: 5 * time.Minute}, []string{age}, `max_age="300", `,
		},
		{
			"a password, just now", []string{"acr", "pwd", "authenticated_ago", "0"}, contract.StepUp{ACR: "mfa"},
			[]string{class}, `acr_values="mfa", `,
		},
	}
	for _, era := range exampletest.Eras() {
		for _, tt := range tests {
			t.Run(era+"/"+tt.name, func(t *testing.T) {
				c := exampletest.As(t, k.url, k.token(tt.fields...), era)
				result, outcome := exampletest.Call(t, c, "payouts.release", `{"payoutId":"po_1001"}`)
				assert.True(t, result.IsError)
				assert.Equal(t, contract.CodeStepUpRequired, outcome.Code)
				assert.Equal(t, contract.ClassFatal, outcome.Class)
				require.NotNil(t, outcome.StepUp)
				assert.Equal(t, tt.lacks, *outcome.StepUp)
				for _, want := range tt.text {
					assert.Contains(t, exampletest.Text(t, result), want)
				}
				assert.Equal(t, len(tt.text), strings.Count(exampletest.Text(t, result), "within the last")+
					strings.Count(exampletest.Text(t, result), "class"))
				assert.Equal(t, []any{
					`Bearer error="insufficient_user_authentication", error_description="A more recent or stronger authentication ` +
						`is required", ` +
						tt.challenge + `resource_metadata="` + k.origin + `/.well-known/oauth-protected-resource/mcp"`,
				}, result.Meta.AdditionalFields["mcp/www_authenticate"])
				_, outcome = exampletest.Call(t, c, "account.read", `{}`)
				assert.Equal(t, contract.StatusOK, outcome.Status, "other tools need no step-up")
			})
		}
	}
	assert.EqualValues(t, 20_000_00, k.balance("account.read"))
	_, outcome := exampletest.Call(t, exampletest.As(t, k.url, k.fresh(), exampletest.Modern), "payouts.release",
		`{"payoutId":"po_1001"}`)
	assert.Equal(t, contract.StatusOK, outcome.Status, "earlier refusals do not count against the caller")
}

func TestRelease_ChecksArgumentsBeforeStepUp(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for _, era := range exampletest.Eras() {
		_, outcome := exampletest.Call(t, exampletest.As(t, k.url, k.token(), era), "payouts.release", `{"payoutId":"1001"}`)
		assert.Equal(t, contract.CodeInvalidInput, outcome.Code)
	}
}

func TestList_HasTheContracts(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	result, err := exampletest.As(t, k.url, k.token(), exampletest.Modern).ListTools(t.Context(), mcp.ListToolsRequest{})
	require.NoError(t, err)
	require.Len(t, result.Tools, len(everything))
	raw, err := json.Marshal(result.Tools[3].Meta.AdditionalFields[contract.MetaKeyContract])
	require.NoError(t, err)
	var doc contract.Document
	require.NoError(t, json.Unmarshal(raw, &doc))
	assert.Equal(t, &contract.StepUp{When: "Every release.", MaxAge: 5 * time.Minute, ACR: "mfa"}, doc.StepUp)
	assert.EqualValues(t, 8, doc.SecurityLevel)
	assert.NotEmpty(t, doc.ConfirmationReason)
}

func TestStdio_HasTheLocalUserAsPrincipal(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		c := exampletest.Stdio(t, era)
		assert.Equal(t, everything, exampletest.Names(t, c))
		_, outcome := exampletest.Call(t, c, "payouts.list", `{"status":"on_hold"}`)
		assert.Equal(t, contract.StatusOK, outcome.Status)
		_, outcome = exampletest.Call(t, c, "payouts.release", `{"payoutId":"po_1001"}`)
		assert.Equal(t, contract.CodeStepUpRequired, outcome.Code)
		assert.Equal(t, []string{"account.read"}, exampletest.Names(t, exampletest.Stdio(t, era, "-permissions", "account:read")))
	}
}

func TestServer_ListensOnlyOnLoopbackAddresses(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"0.0.0.0:0", "[::]:0", ":0"} {
		cmd := exampletest.Command(t, "-http", host)
		out, err := cmd.CombinedOutput()
		assert.Error(t, err, host)
		assert.Equal(t, 2, cmd.ProcessState.ExitCode(), host)
		assert.Contains(t, string(out), "loopback")
		assert.NotContains(t, string(out), "listening")
	}
}

func TestServer_RefusesOtherHostNames(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for _, path := range []string{
		"/mcp", "/issuer/token", "/issuer/jwks", "/step-up?id=x", "/.well-known/oauth-protected-resource/mcp",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			resp := k.send(method, k.origin+path, nil, "Host", "payouts.evil.example")
			assert.Equal(t, http.StatusMisdirectedRequest, resp.status, path)
		}
	}
}

func TestAuditLog_HasTheStepUpAndTheCallUnderOneID(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/audit.jsonl"
	var callID string
	t.Run("serve", func(t *testing.T) {
		k := newKit(t, "-audit", file)
		asked := k.release(k.token(), "po_1001", "", "")
		k.stepUp(asked.url, "alice")
		done := k.release(k.token(), "po_1001", asked.state, "accept")
		require.Equal(t, contract.StatusOK, done.outcome.Status, done.text)
		callID = done.outcome.CallID
	})
	log := exampletest.Command(t, "-verify-audit", file)
	out, err := log.CombinedOutput()
	require.NoError(t, err, string(out))
	var events []string
	for _, line := range readLines(t, file) {
		var e struct{ Event, CallID, Stage, Decision, Principal, Tool string }
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		if e.CallID == callID {
			assert.Equal(t, "alice", e.Principal)
			assert.Equal(t, "payouts.release", e.Tool)
			events = append(events, fmt.Sprint(e.Event, " ", e.Stage))
		}
	}
	assert.Equal(t, []string{"asked stepup", "decided completestepup", "intent intent", "terminal checkresult"}, events)
}
