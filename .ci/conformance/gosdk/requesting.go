package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/.ci/conformance/fixture"
)

// requestingTools returns tools whose handlers send requests to the client, in
// contrast to the questions of the guard. This works only before protocol
// version 2026-07-28.
func requestingTools() []plain {
	tools := []plain{
		{
			"test_sampling", "Asks the client's model.",
			`{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`, samples,
		},
		{
			"test_elicitation", "Asks the user.",
			`{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`, nil,
		},
		{"test_elicitation_sep1034_defaults", "Asks with defaults.", noArguments, nil},
		{"test_elicitation_sep1330_enums", "Asks for choices.", noArguments, nil},
	}
	forms := fixture.Forms()
	for i, t := range tools[1:] {
		tools[1+i].handler = elicits(forms[t.name])
	}
	return tools
}

func samples(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var arguments struct{ Prompt string }
	if err := json.Unmarshal(req.Params.Arguments, &arguments); err != nil {
		return nil, err
	}
	answer, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{ //nolint:staticcheck // of the older protocol
		Messages:  []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: arguments.Prompt}}},
		MaxTokens: 100,
	})
	if err != nil {
		return nil, err
	}
	said, ok := answer.Content.(*mcp.TextContent)
	if !ok {
		return nil, fmt.Errorf("the model's answer is not a text but a %T", answer.Content)
	}
	return text("LLM response: " + said.Text), nil
}

func elicits(properties map[string]any) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arguments := struct{ Message string }{"Provide your information"}
		if err := json.Unmarshal(req.Params.Arguments, &arguments); err != nil {
			return nil, err
		}
		answer, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
			Message:         arguments.Message,
			RequestedSchema: map[string]any{"type": "object", "properties": properties},
		})
		if err != nil {
			return nil, err
		}
		return text(fmt.Sprintf("User response: action=%s, content=%v", answer.Action, answer.Content)), nil
	}
}
