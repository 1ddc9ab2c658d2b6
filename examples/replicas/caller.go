package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
)

const protocolVersion = "2026-07-28"

// answerLost marks the context of a call whose answer the balancer loses.
type answerLost struct{}

// connect returns a client with alice's token.
func connect(ctx context.Context, url string) (*client.Client, error) {
	over, err := transport.NewStreamableHTTP(url, transport.WithHTTPHeaderFunc(func(ctx context.Context) map[string]string {
		headers := map[string]string{"Authorization": "Bearer alice"}
		if _, lost := ctx.Value(answerLost{}).(bool); lost {
			headers[lostHeader] = "1"
		}
		return headers
	}))
	if err != nil {
		return nil, err
	}
	// Wait for the answer, so that a slow server is not taken for a legacy one.
	c := client.NewClient(over, client.WithProtocolVersion(protocolVersion), client.WithDiscoverTimeout(-1))
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	_, err = c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: protocolVersion, ClientInfo: mcp.Implementation{Name: "replicas", Version: "1.0.0"},
	}})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// place calls orders.place. An error means that there was no answer. The output
// is zero if the call failed.
func place(ctx context.Context, c *client.Client, order string, quantity int) (contract.Outcome, placeOutput, error) {
	result, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{
		Name: contract.Underscore.Listed(placeTool), Arguments: placeInput{Order: order, Quantity: quantity},
	}})
	if err != nil {
		return contract.Outcome{}, placeOutput{}, err
	}
	o, err := outcomeOf(result)
	if err != nil || result.IsError {
		return o, placeOutput{}, err
	}
	var out placeOutput
	return o, out, reread(result.StructuredContent, &out)
}

func outcomeOf(result *mcp.CallToolResult) (contract.Outcome, error) {
	if result.Meta == nil {
		return contract.Outcome{}, errors.New("the result has no outcome")
	}
	var o contract.Outcome
	if err := reread(result.Meta.AdditionalFields[contract.MetaKeyOutcome], &o); err != nil {
		return contract.Outcome{}, fmt.Errorf("the outcome cannot be read: %w", err)
	}
	return o, nil
}

// reread reads a decoded JSON value into another one.
func reread(from, into any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
