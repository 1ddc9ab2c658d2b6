package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/examples/agentloop/loop"
)

// maxAnswer bounds the answer of the endpoint.
const maxAnswer = 4 << 20

// A chat is a model behind a chat completions endpoint, in the form that OpenAI
// introduced and others serve too.
type chat struct {
	url, model, key string
}

// The messages of the endpoint.
type (
	chatMessage struct {
		Role       string     `json:"role"`
		Content    string     `json:"content"`
		ToolCalls  []chatCall `json:"tool_calls,omitempty"`
		ToolCallID string     `json:"tool_call_id,omitempty"`
	}
	chatCall struct {
		ID       string       `json:"id"`
		Type     string       `json:"type"`
		Function chatFunction `json:"function"`
	}
	chatFunction struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	chatTool struct {
		Type     string         `json:"type"`
		Function chatDefinition `json:"function"`
	}
	chatDefinition struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	chatAnswer struct {
		Choices []struct {
			Message struct {
				Content   string     `json:"content"`
				ToolCalls []chatCall `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
	}
)

// turn implements loop.Model. Its errors contain neither the key nor what the
// endpoint wrote, because that can repeat the key.
func (c chat) turn(ctx context.Context, conversation []loop.Message, tools []agent.Tool) (loop.Message, error) {
	raw, err := c.post(ctx, map[string]any{"model": c.model, "messages": messages(conversation), "tools": definitions(tools)})
	if err != nil {
		return loop.Message{}, err
	}
	var answer chatAnswer
	if json.Unmarshal(raw, &answer) != nil || len(answer.Choices) == 0 {
		return loop.Message{}, errors.New("the answer of the endpoint is no chat completion")
	}
	message := answer.Choices[0].Message
	turn := loop.Message{Text: message.Content}
	for i, call := range message.ToolCalls {
		call.ID = cmp.Or(call.ID, fmt.Sprintf("call-%d", i+1))
		turn.Calls = append(turn.Calls, loop.ToolCall{ID: call.ID, Tool: call.Function.Name, Arguments: call.Function.Arguments})
	}
	return turn, nil
}

func (c chat) post(ctx context.Context, question map[string]any) ([]byte, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	address, err := c.endpoint()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the address of the endpoint is not a URL")
	}
	request.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok { // its text has the address, which can contain a key
			err = failed.Err
		}
		return nil, fmt.Errorf("reach the endpoint: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the endpoint answered with the HTTP status %d", response.StatusCode)
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer of the endpoint: %w", err)
	}
	if len(raw) > maxAnswer {
		return nil, fmt.Errorf("the answer of the endpoint is larger than %d bytes", maxAnswer)
	}
	return raw, nil
}

// endpoint returns the address for chat completions below a base address.
func (c chat) endpoint() (string, error) {
	const path = "/chat/completions"
	u, err := url.Parse(c.url)
	if err != nil || u.Host == "" {
		return "", errors.New("the address of the endpoint is not a URL")
	}
	if !strings.HasSuffix(u.Path, path) {
		u = u.JoinPath(path)
	}
	return u.String(), nil
}

// messages returns the conversation in the form of the endpoint.
func messages(conversation []loop.Message) []chatMessage {
	list := make([]chatMessage, 0, len(conversation))
	for _, m := range conversation {
		sent := chatMessage{Role: string(m.Role), Content: m.Text, ToolCallID: m.CallID}
		if m.Role == loop.RoleModel {
			sent.Role = "assistant"
		}
		for _, call := range m.Calls {
			sent.ToolCalls = append(sent.ToolCalls,
				chatCall{ID: call.ID, Type: "function", Function: chatFunction{call.Tool, call.Arguments}})
		}
		list = append(list, sent)
	}
	return list
}

// definitions returns the tools in the form of the endpoint.
func definitions(tools []agent.Tool) []chatTool {
	list := make([]chatTool, 0, len(tools))
	for _, t := range tools {
		parameters := t.Contract.InputSchema
		if len(parameters) == 0 {
			parameters = json.RawMessage(`{"type":"object"}`)
		}
		list = append(list, chatTool{Type: "function", Function: chatDefinition{t.Name, t.Contract.Description, parameters}})
	}
	return list
}
