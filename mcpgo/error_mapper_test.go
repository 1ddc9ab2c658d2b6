package mcpgo_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

var (
	errTaken  = contract.Retryable("taken", "The name is taken.")
	errFrozen = contract.Fatal("frozen", "Nothing can be created now.")
)

// mapping returns the builder of a tool whose handler returns an error result,
// which a mapper maps.
func mapping(mapper mcpgo.ErrorMapper) *wrappedBuilder {
	handler := returning(mcp.NewToolResultError("the upstream's words"), nil)
	return mcpgo.Wrap(plain("create", mcp.WithString("name")), handler, mcpgo.WithErrorMapper(mapper)).
		Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Failures(errTaken, errFrozen)
}

func TestErrorMapper_MapsErrorResultsToDeclaredFailures(t *testing.T) {
	t.Parallel()
	undeclared := contract.Retryable("undeclared", "It is not in the contract.")
	for name, test := range map[string]struct {
		mapped          error
		without, others string // the text without and with OtherErrors(contract.ClassRetryable)
		class           contract.Class
	}{
		"a failure": {errFrozen, "[FATAL] frozen: Nothing can be created now.", "", contract.ClassFatal},
		"an error of a failure": {errTaken.Errorf("by Max").At("/name").After(time.Second), "taken: by Max\nAt /name in the " +
			"arguments.\nTry again in 1s.", "", contract.ClassRetryable},
		"a wrapped failure": {fmt.Errorf("create: %w", errTaken), "taken: The name is taken.", "", contract.ClassRetryable},
		"nil":               {nil, "tool_retry: the upstream's words", "tool_retry: the upstream's words", contract.ClassRetryable},
		"a nil failure": {(*contract.Failure)(nil),
			"tool_retry: the upstream's words", "tool_retry: the upstream's words", contract.ClassRetryable},
		"a nil error": {(*contract.Error)(nil),
			"tool_retry: the upstream's words", "tool_retry: the upstream's words", contract.ClassRetryable},
		"an undeclared failure": {undeclared, "", "tool_retry: undeclared: It is not in the contract.", contract.ClassFatal},
		"another error":         {errors.New("the mapper's words"), "", "tool_retry: the mapper's words", contract.ClassFatal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mapper := func(mcp.CallToolRequest, *mcp.CallToolResult) error { return test.mapped }
			internal := "[FATAL] internal_error: The tool failed in a way that it does not declare."
			k := newKit(t, []*contract.Tool{mapping(mapper).MustBuild()})
			sdktest.EachEra(t, func(t *testing.T, e era) {
				result := sdktest.Parse(t, k.call(e, "", "create", `{}`)).Result
				if test.without == "" {
					test.without = internal
				}
				assert.True(t, result.IsError)
				assert.Equal(t, test.without, result.Content[0].Text)
				assert.Equal(t, test.class, sdktest.Outcome(t, k.call(e, "", "create", `{}`)).Class)
			})
			k = newKit(t, []*contract.Tool{mapping(mapper).OtherErrors(contract.ClassRetryable).MustBuild()})
			if test.others == "" {
				test.others = test.without
			}
			assert.Equal(t, test.others, sdktest.Parse(t, k.call(modern, "", "create", `{}`)).Result.Content[0].Text)
			if errors.Is(test.mapped, undeclared) {
				assert.Contains(t, k.events(audit.Terminal)[0].Error, "undeclared")
			}
		})
	}
}

func TestErrorMapper_GetsTheRequestAndTheResult(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{mapping(func(request mcp.CallToolRequest, result *mcp.CallToolResult) error {
		text, _ := mcp.AsTextContent(result.Content[0])
		return errTaken.Errorf("%s of %s", text.Text, request.GetString("name", ""))
	}).MustBuild()})
	assert.Equal(t, "taken: the upstream's words of Max", sdktest.Parse(t, k.call(modern, "", "create",
		`{"name":"Max"}`)).Result.Content[0].Text)
}

func TestErrorMapper_GetsOnlyErrorResults(t *testing.T) {
	t.Parallel()
	mapper := mcpgo.WithErrorMapper(func(mcp.CallToolRequest, *mcp.CallToolResult) error { return errTaken })
	for name, handler := range map[string]func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error){
		"":                         returning(mcp.NewToolResultText("created"), nil),
		contract.CodeInternalError: returning(mcp.NewToolResultError("both"), errors.New("both")),
	} {
		tool := mcpgo.Wrap(plain("create"), handler,
			mapper).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Failures(errTaken)
		k := newKit(t, []*contract.Tool{tool.MustBuild()})
		assert.Equal(t, name, sdktest.Outcome(t, k.call(legacy, "", "create", `{}`)).Code)
	}
}

func TestErrorMapper_PanicIsContained(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{mapping(func(mcp.CallToolRequest,
		*mcp.CallToolResult) error {
		panic("pq: password")
	}).MustBuild()})
	raw := k.call(legacy, "", "create", `{}`)
	sdktest.AssertRefused(t, raw, contract.CodeInternalError)
	assert.NotContains(t, raw, "pq")
}

func TestErrorMapper_NilIsAnErrorOfBuild(t *testing.T) {
	t.Parallel()
	_, err := mapping(nil).Build()
	assert.Equal(t, []string{"serve.option create"}, sdktest.Rules(err))
}

// An upstream describes its errors only in words.
func ExampleWithErrorMapper() {
	notFound := contract.Fatal("not_found", "The issue does not exist.")
	closeIssue := func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("404: no such issue"), nil
	}
	tool := mcpgo.Wrap(mcp.NewTool("close_issue", mcp.WithDescription("Closes an issue.")), closeIssue,
		mcpgo.WithErrorMapper(func(_ mcp.CallToolRequest, result *mcp.CallToolResult) error {
			if text, ok := mcp.AsTextContent(result.Content[0]); ok && strings.HasPrefix(text.Text, "404") {
				return notFound
			}
			return nil
		})).Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Untrusted).NoPermissions("anybody may close issues").
		Failures(notFound).MustBuild()

	table, err := adapter.NewTable(nil, adapter.Config{Tools: []*contract.Tool{tool}})
	if err != nil {
		panic(err)
	}
	answer, err := table.Call(context.Background(), table.Entry("close_issue"), adapter.Request{})
	fmt.Println(answer.Outcome.Code, answer.Outcome.Class, err)
	// Output: not_found fatal <nil>
}
