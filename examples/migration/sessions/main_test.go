package main

import (
	"context"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/examples/migration/desk"
)

// serve returns the address of a server whose tools have contracts.
func serve(t *testing.T, opts ...server.StreamableHTTPOption) string {
	t.Helper()
	s := newServer(desk.New())
	require.NoError(t, wrapServer(s))
	web := httptest.NewServer(server.NewStreamableHTTPServer(s, opts...))
	t.Cleanup(web.Close)
	return web.URL
}

// A person counts the questions and accepts each.
type person struct{ asked atomic.Int64 }

func (p *person) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p.asked.Add(1)
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"confirm": true},
	}}, nil
}

func TestSession_GetsAToolWithItsContract(t *testing.T) {
	t.Parallel()
	url, p := serve(t), &person{}
	anna := exampletest.As(t, url, "anna", exampletest.Legacy, client.WithElicitationHandler(p))
	ben := exampletest.As(t, url, "ben", exampletest.Legacy)
	_, outcome := exampletest.Call(t, anna, "start_shift", `{}`)
	require.Equal(t, contract.StatusOK, outcome.Status)
	assert.Equal(t, []string{"cancel_order", "list_orders", "start_shift"}, exampletest.Names(t, anna))
	assert.Equal(t, []string{"list_orders", "start_shift"}, exampletest.Names(t, ben))

	_, outcome = exampletest.Call(t, anna, "cancel_order", `{"id":"o_2"}`)
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.EqualValues(t, 1, p.asked.Load())
}

func TestClientWithoutASession_GetsNoTool(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*client.Client{
		"of 2026-07-28":         exampletest.As(t, serve(t), "anna", exampletest.Modern),
		"of a stateless server": exampletest.As(t, serve(t, server.WithStateLess(true)), "anna", exampletest.Legacy),
	} {
		_, outcome := exampletest.Call(t, c, "start_shift", `{}`)
		assert.Equal(t, contract.ClassFatal, outcome.Class, name)
		assert.Equal(t, []string{"list_orders", "start_shift"}, exampletest.Names(t, c), name)
	}
}
