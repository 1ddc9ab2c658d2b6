// Command agent is the client that the conformance suites test, built on
// package agent. Run it as "agent URL". It lists the tools of the server at the
// URL and calls those named in MCP_CONFORMANCE_CONTEXT, or all of them if it is
// unset. It accepts every question without filling in the form.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
)

// A toolCall is a call that the suite asks for.
type toolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: agent URL")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	accept := func(context.Context, agent.Question) (agent.Answer, error) {
		return agent.Answer{Action: agent.Accept}, nil
	}
	a, err := agent.Connect(ctx, client.New(client.HTTP{URL: url}), agent.Options{Host: agent.Host{Ask: accept}})
	if err != nil {
		return err
	}
	defer a.Close() //nolint:errcheck // the process ends
	calls, err := wanted(a)
	if err != nil {
		return err
	}
	for _, c := range calls {
		if len(c.Arguments) == 0 {
			c.Arguments = json.RawMessage(`{}`)
		}
		// The scenarios judge what the agent sends, so go on after a failed call.
		if _, err := a.Call(ctx, c.Name, c.Arguments); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", c.Name, err)
		}
	}
	return ctx.Err()
}

// wanted returns the calls that the scenario asks for.
func wanted(a *agent.Agent) ([]toolCall, error) {
	var scenario struct {
		ToolCalls []toolCall `json:"toolCalls"`
	}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &scenario); err != nil {
			return nil, err
		}
	}
	if scenario.ToolCalls != nil {
		return scenario.ToolCalls, nil
	}
	for _, t := range a.Tools() {
		c := toolCall{Name: t.Name}
		switch t.Name {
		case "add_numbers":
			c.Arguments = json.RawMessage(`{"a":5,"b":3}`)
		case "json_schema_echo": // it compares another tool's schema with what the agent sent
			focal, _ := a.Tool("json_schema_2020_12_tool")
			c.Arguments = fmt.Appendf(nil, `{"schema":%s}`, focal.Contract.InputSchema)
		}
		scenario.ToolCalls = append(scenario.ToolCalls, c)
	}
	return scenario.ToolCalls, nil
}
