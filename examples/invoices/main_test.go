package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
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

func TestMain(m *testing.M) {
	exampletest.MainOnSDKs(m, serve, "-names", "dotted", "-tier", "full", "-pace", "1ms")
}

var everything = []string{
	"customers.get", "customers.list", "invoices.create", "invoices.image", "invoices.search", "invoices.send",
	"invoices.void", "operations_get", "refunds.issue", "reports.revenue",
}

func TestList_HasTheToolsThatTheCallerMayUse(t *testing.T) {
	t.Parallel()
	url := exampletest.Serve(t)
	for _, era := range exampletest.Eras() {
		assert.Equal(t, everything, exampletest.Names(t, exampletest.Stdio(t, era)))
		for token, want := range map[string][]string{"alice": everything, "alice-mfa": everything, "bob": {}, "": {}} {
			assert.Equal(t, want, exampletest.Names(t, exampletest.As(t, url, token, era)), token)
		}
	}
	clerk := exampletest.Stdio(t, exampletest.Modern, "-permissions", "customers:read,reports:read")
	assert.Equal(t, []string{"customers.get", "customers.list", "reports.revenue"}, exampletest.Names(t, clerk))
}

const bread = `{"customer":"c_anna","currency":"EUR","dueDate":null,"lines":[{"description":"Bread","quantity":2,` +
	`"unitPrice":"1.25"}]}`

// calls are answered alike over every transport, for a caller with all
// permissions whose client cannot ask anybody.
var calls = []struct {
	name, tool, arguments string
	code                  string // empty for success
	status                contract.Status
	pointer               string // of the only violation
}{
	{"customers", "customers.list", `{}`, "", contract.StatusOK, ""},
	{"a customer", "customers.get", `{"customer":"c_max"}`, "", contract.StatusOK, ""},
	{"a customer of another account", "customers.get", `{"customer":"c_selma"}`, "permission_denied", contract.StatusError, ""},
	{"a search by customer", "invoices.search", `{"by":{"customer":"c_max"}}`, "", contract.StatusOK, ""},
	{
		"a search by two things", "invoices.search", `{"by":{"customer":"c_max","number":"AC-1001"}}`, "invalid_input",
		contract.StatusError, "/by",
	},
	{"a new invoice", "invoices.create", bread, "", contract.StatusOK, ""},
	{"the same invoice", "invoices.create", bread, "", contract.StatusReplayed, ""},
	{
		"half a cent", "invoices.create", strings.Replace(bread, "1.25", "1.255", 1), "invalid_input",
		contract.StatusError, "/lines/0/unitPrice",
	},
	{"voiding without a preview", "invoices.void", `{"invoice":"AC-1002"}`, "dry_run_required", contract.StatusError, ""},
	{"a preview", "invoices.void", `{"invoice":"AC-1002","dryRun":true}`, "", contract.StatusDryRun, ""},
	{"sending", "invoices.send", `{"invoice":"AC-1002"}`, "confirmation_required", contract.StatusError, ""},
	{
		"a refund without a recent authentication", "refunds.issue", `{"invoice":"AC-1001","refund":{"full":{}}}`,
		"step_up_required", contract.StatusError, "",
	},
	{"a report", "reports.revenue", `{"year":2025,"currency":"EUR"}`, "", contract.StatusOK, ""},
}

func TestCalls_ReturnResultsAndFailures(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		for name, c := range map[string]*client.Client{
			"stdio": exampletest.Stdio(t, era), "http": exampletest.As(t, exampletest.Serve(t), "alice", era),
		} {
			for _, tt := range calls {
				t.Run(era+"/"+name+"/"+tt.name, func(t *testing.T) {
					result, outcome := exampletest.Call(t, c, tt.tool, tt.arguments)
					assert.Equal(t, tt.code, outcome.Code)
					assert.Equal(t, tt.status, outcome.Status)
					assert.Equal(t, tt.code != "", result.IsError)
					assert.Equal(t, tt.code == "", result.StructuredContent != nil)
					if tt.pointer != "" {
						require.Len(t, outcome.Violations, 1)
						assert.Equal(t, tt.pointer, outcome.Violations[0].Pointer)
					}
				})
			}
			_, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "data.export_all"}})
			require.ErrorIs(t, err, mcp.ErrInvalidParams, "a forbidden tool does not exist")
		}
	}
}

// Over stdio, a refund is never possible, and the next session does not know
// the calls of this one.
func TestServer_OverStdioWarnsOfWhatItCannotDo(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	t.Run("session", func(t *testing.T) { // which ends with it
		c := exampletest.StdioLogged(t, &stderr, exampletest.Modern)
		_, outcome := exampletest.Call(t, c, "refunds.issue", `{"invoice":"AC-1001","refund":{"full":{}}}`)
		assert.Equal(t, contract.CodeStepUpRequired, outcome.Code)
		assert.Contains(t, outcome.Hint, "over HTTP")
	})
	stepUp, repeated := "cannot authenticate again tools=[refunds.issue]", `this process tools="[invoices.create `
	for _, warning := range []string{stepUp, repeated} {
		assert.Equal(t, 1, strings.Count(stderr.String(), warning), stderr.String())
	}
	web := exampletest.Start(t).Terminate(t)
	assert.NotContains(t, web, "over stdio")
}

func TestRefund_OverHTTPNeedsTheSecondFactor(t *testing.T) {
	t.Parallel()
	url := exampletest.Serve(t)
	for _, era := range exampletest.Eras() {
		c := exampletest.As(t, url, "alice-mfa", era)
		_, outcome := exampletest.CallKeyed(t, c, "refunds.issue", `{"invoice":"AC-1001","refund":{"partial":{"amount":"10.00"}}}`, era)
		assert.Equal(t, contract.StatusOK, outcome.Status)
	}
}

func TestImage_IsPartOfTheResult(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		result, _ := exampletest.Call(t, exampletest.Stdio(t, era), "invoices.image", `{"invoice":"AC-1001"}`)
		require.Len(t, result.Content, 2)
		picture, ok := result.Content[1].(mcp.ImageContent)
		require.True(t, ok)
		assert.Equal(t, "image/png", picture.MIMEType)
		assert.True(t, strings.HasPrefix(picture.Data, "iVBORw0KGgo"), "the signature of a PNG in base64")
	}
}

// A person answers each question in the same way.
type person struct{ answer mcp.ElicitationResponse }

func (p person) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: p.answer}, nil
}

func TestSend_IsDecidedByAPerson(t *testing.T) {
	t.Parallel()
	approves := mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{people.ConfirmKey: true},
	}
	declines := mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}
	for _, era := range exampletest.Eras() {
		url := exampletest.Serve(t)
		for _, tt := range []struct {
			answer  mcp.ElicitationResponse
			invoice string
			status  contract.Status
		}{{declines, "AC-1002", contract.StatusError}, {approves, "AC-1004", contract.StatusOK}} {
			c := exampletest.As(t, url, "alice", era, client.WithElicitationHandler(person{tt.answer}))
			_, outcome := exampletest.Call(t, c, "invoices.send", `{"invoice":"`+tt.invoice+`"}`)
			assert.Equal(t, tt.status, outcome.Status)
		}
	}
}

// A model creates an invoice, voids it and creates it again, without a key.
func TestCreate_AfterAVoidIsAnotherInvoice(t *testing.T) {
	t.Parallel()
	approves := person{mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{people.ConfirmKey: true},
	}}
	for _, era := range exampletest.Eras() {
		c := exampletest.As(t, exampletest.Serve(t), "alice", era, client.WithElicitationHandler(approves))
		create := func(status contract.Status) (number string) {
			result, outcome := exampletest.Call(t, c, "invoices.create", bread)
			assert.Equal(t, status, outcome.Status)
			invoice, _ := result.StructuredContent.(map[string]any)
			number, _ = invoice["number"].(string)
			return number
		}
		first := create(contract.StatusOK)
		assert.Equal(t, first, create(contract.StatusReplayed))

		preview, _ := exampletest.Call(t, c, "invoices.void", `{"invoice":"`+first+`","dryRun":true}`)
		shown, _ := preview.StructuredContent.(map[string]any)
		token, _ := shown["dryRunToken"].(string)
		_, voided := exampletest.Call(t, c, "invoices.void", `{"invoice":"`+first+`","dryRunToken":"`+token+`"}`)
		require.Equal(t, contract.StatusOK, voided.Status, voided.Code)

		second := create(contract.StatusOK)
		assert.NotEqual(t, first, second)
		assert.Equal(t, second, create(contract.StatusReplayed))
	}
}

func TestApproval_AnswersAClientThatCannotAsk(t *testing.T) {
	t.Parallel()
	url := exampletest.Serve(t, "-approval")
	for _, era := range exampletest.Eras() {
		_, outcome := exampletest.Call(t, exampletest.As(t, url, "alice", era), "invoices.send", `{"invoice":"AC-1004"}`)
		assert.Equal(t, contract.CodeConfirmationPending, outcome.Code)
		assert.True(t, strings.HasPrefix(outcome.URL, strings.TrimSuffix(url, "/mcp")+"/approvals/question/"))
	}
}

// report calls reports.revenue and sends the client's notifications of progress
// to the returned channel.
func report(ctx context.Context, c *client.Client) (<-chan mcp.JSONRPCNotification, <-chan error) {
	heard, answered := make(chan mcp.JSONRPCNotification, 100), make(chan error, 1)
	c.OnNotification(func(n mcp.JSONRPCNotification) { heard <- n })
	go func() {
		_, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{
			Name: "reports.revenue", Arguments: json.RawMessage(`{"year":2025,"currency":"EUR"}`), Meta: &mcp.Meta{ProgressToken: "p"},
		}})
		answered <- err
	}()
	return heard, answered
}

func TestReport_ReportsItsProgress(t *testing.T) {
	t.Parallel()
	url := exampletest.Serve(t)
	for _, era := range exampletest.Eras() {
		for name, c := range map[string]*client.Client{
			"stdio": exampletest.Stdio(t, era), "http": exampletest.As(t, url, "alice", era),
		} {
			heard, answered := report(t.Context(), c)
			require.NoError(t, <-answered)
			months, last := 12, 0.0
			if name == "http" {
				months = 11 // mcp-go may drop one of those that come just before the answer
			}
			for range months {
				n := <-heard
				assert.Equal(t, "notifications/progress", n.Method, name)
				month, _ := n.Params.AdditionalFields["progress"].(float64)
				assert.Greater(t, month, last, name)
				last = month
			}
			assert.GreaterOrEqual(t, last, float64(months), name)
			assert.LessOrEqual(t, last, 12.0, name)
		}
	}
}

func TestReport_EndsWhenTheCallerCancels(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		for _, transport := range []string{"stdio", "http"} {
			t.Run(era+"/"+transport, func(t *testing.T) {
				t.Parallel()
				log := filepath.Join(t.TempDir(), "audit.jsonl")
				flags := []string{"-pace", "1h", "-audit", log}
				t.Run("call", func(t *testing.T) { // the server ends with it
					var c *client.Client
					if transport == "stdio" {
						c = exampletest.Stdio(t, era, flags...)
					} else {
						c = exampletest.As(t, exampletest.Serve(t, flags...), "alice", era)
					}
					ctx, cancel := context.WithCancel(t.Context())
					heard, answered := report(ctx, c)
					<-heard
					cancel()
					require.Error(t, <-answered)
					// Over stdio the client notifies the server later.
					assert.Eventually(t, func() bool { return len(statuses(t, log)) > 0 }, time.Minute, time.Millisecond)
				})
				assert.Equal(t, []string{"cancelled"}, statuses(t, log))
			})
		}
	}
}

// statuses returns the status of each terminal event of an audit log. The last
// line may not be complete yet.
func statuses(t *testing.T, log string) []string {
	t.Helper()
	content, err := os.ReadFile(log)
	require.NoError(t, err)
	var all []string
	for line := range strings.Lines(string(content)) {
		if !strings.HasSuffix(line, "\n") {
			break
		}
		var e struct{ Event, Status string }
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		if e.Event == "terminal" {
			all = append(all, e.Status)
		}
	}
	return all
}
