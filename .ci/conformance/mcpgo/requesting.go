package main

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/.ci/conformance/fixture"
)

// requestingTools returns tools whose handlers send requests to the client, in
// contrast to the questions of the guard. This works only before protocol
// version 2026-07-28.
func requestingTools() []plain {
	forms := fixture.Forms()
	form := func(name, description string, options ...mcp.ToolOption) plain {
		return plain{mcp.NewTool(name, append(options, mcp.WithDescription(description))...), elicits(forms[name])}
	}
	return []plain{
		{
			mcp.NewTool("test_sampling", mcp.WithDescription("Asks the client's model."), mcp.WithString("prompt", mcp.Required())),
			samples,
		},
		form("test_elicitation", "Asks the user.", mcp.WithString("message", mcp.Required())),
		form("test_elicitation_sep1034_defaults", "Asks with defaults."),
		form("test_elicitation_sep1330_enums", "Asks for choices."),
	}
}

func samples(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s := server.ServerFromContext(ctx)
	answer, err := s.RequestSampling(ctx, mcp.CreateMessageRequest{ //nolint:staticcheck // of the older protocol
		Request: mcp.Request{Method: string(mcp.MethodSamplingCreateMessage)},
		CreateMessageParams: mcp.CreateMessageParams{
			Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(req.GetString("prompt", ""))}},
			MaxTokens: 100,
		},
	})
	if err != nil {
		return nil, err
	}
	text, ok := answer.Content.(mcp.TextContent)
	if !ok {
		return nil, fmt.Errorf("the model's answer is not a text but a %T", answer.Content)
	}
	return mcp.NewToolResultText("LLM response: " + text.Text), nil
}

func elicits(properties map[string]any) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := server.ServerFromContext(ctx).RequestElicitation(ctx, mcp.ElicitationRequest{
			Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)},
			Params: mcp.ElicitationParams{
				Message:         req.GetString("message", "Provide your information"),
				RequestedSchema: map[string]any{"type": "object", "properties": properties},
			},
		})
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(fmt.Sprintf("User response: action=%s, content=%v", answer.Action, answer.Content)), nil
	}
}
