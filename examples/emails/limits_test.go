package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/guard/people"
)

// An agreeable person approves everything and remembers the last question.
type agreeable struct {
	mu       sync.Mutex
	question string
}

func (a *agreeable) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.question = r.Params.Message
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{people.ConfirmKey: true},
	}}, nil
}

func (a *agreeable) last() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.question
}

// The confirmation of a call does not count a second time.
func TestRateLimit_AllowsTwentyEmailsAMinute(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			url := exampletest.Serve(t)
			c := exampletest.As(t, url, "alice", era, client.WithElicitationHandler(&agreeable{}))
			sent := 0
			var last contract.Outcome
			for i := range 40 { // on a slow machine, the limit refills meanwhile
				var result *mcp.CallToolResult
				result, last = exampletest.Call(t, c, "emails.send_external",
					fmt.Sprintf(`{"to":["anna@example.com"],"subject":"Number %d","body":"."}`, i))
				if result.IsError {
					break
				}
				sent++
			}
			assert.GreaterOrEqual(t, sent, 20)
			assert.Equal(t, contract.CodeRateLimitExceeded, last.Code)
			assert.Positive(t, last.RetryAfterMs)
			assert.LessOrEqual(t, last.RetryAfterMs, int64(3000), "one call is refilled every three seconds")
			_, outcome := exampletest.Call(t, c, "contacts.search", `{"query":"anna"}`)
			assert.Equal(t, contract.StatusOK, outcome.Status, "other tools are not limited")
		})
	}
}

func TestChangePermissions_HasTheRiskOfItsArguments(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			url := exampletest.Serve(t)
			person := &agreeable{}
			c := exampletest.As(t, url, "alice", era, client.WithElicitationHandler(person))
			for role, level := range map[string]string{"viewer": "Risk high", "admin": "Risk critical"} {
				arguments := fmt.Sprintf(`{"userId":"u_1","role":%q}`, role)
				result, outcome := exampletest.Call(t, c, "accounts.change_permissions", arguments)
				require.Equal(t, contract.StatusOK, outcome.Status, exampletest.Text(t, result))
				assert.JSONEq(t, arguments, exampletest.Text(t, result))
				assert.Contains(t, person.last(), level)
			}
			_, outcome := exampletest.Call(t, exampletest.As(t, url, "alice", era), "accounts.change_permissions",
				`{"userId":"u_1","role":"viewer"}`)
			assert.Equal(t, contract.CodeConfirmationRequired, outcome.Code)
			_, outcome = exampletest.Call(t, exampletest.As(t, url, "bob", era), "accounts.change_permissions",
				`{"userId":"u_1","role":"viewer"}`)
			assert.Equal(t, contract.CodePermissionDenied, outcome.Code)
		})
	}
}

// The answer names what is missing three times: for programs, for hosts and in
// words.
func TestStepUp_CampaignsNeedARecentAuthentication(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			url := exampletest.Serve(t, "-step-up")
			campaign := func(token string) (*mcp.CallToolResult, contract.Outcome) {
				c := exampletest.As(t, url, token, era, client.WithElicitationHandler(&agreeable{}))
				dryRun, _ := exampletest.Call(t, c, "emails.bulk_send", `{"templateId":"t","segmentId":"s","dryRun":true}`)
				var preview struct {
					DryRunToken string `json:"dryRunToken"`
				}
				require.NoError(t, json.Unmarshal([]byte(exampletest.Text(t, dryRun)), &preview))
				return exampletest.Call(t, c, "emails.bulk_send",
					fmt.Sprintf(`{"templateId":"t","segmentId":"s","dryRunToken":%q}`, preview.DryRunToken))
			}
			result, outcome := campaign("alice")
			assert.Equal(t, contract.CodeStepUpRequired, outcome.Code)
			assert.Equal(t, &contract.StepUp{MaxAge: 5 * time.Minute}, outcome.StepUp)
			assert.Equal(t, []any{
				`Bearer error="insufficient_user_authentication", error_description="A more recent or stronger authentication ` +
					`is required", max_age="300"`,
			},
				result.Meta.AdditionalFields["mcp/www_authenticate"])
			result, outcome = campaign("alice-mfa")
			assert.Equal(t, contract.StatusOK, outcome.Status, exampletest.Text(t, result))
		})
	}
}
