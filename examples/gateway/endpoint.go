package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/gateway/keys"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
)

//go:embed operator.json
var operatorFile []byte

// operatorDecision is what the operator records in the last cycle: the notes
// server declares that deleting only reads, and the operator knows better. The
// digest accepts the new definition.
const operatorDecision = `"notes_delete": {"reason": "The server calls it read-only. It deletes.", "effect": ` +
	`"destructive", "risk": "critical", "confirmation": "always", "digest": %q}, "notes_dump"`

// decisions returns the operator's file. With a digest, it includes the
// decision about the tool that became weaker.
func decisions(digest string) (catalog.Overrides, error) {
	file := operatorFile
	if digest != "" {
		file = bytes.Replace(file, []byte(`"notes_dump"`), fmt.Appendf(nil, operatorDecision, digest), 1)
	}
	return catalog.ParseOverrides(file)
}

// An endpoint is the gateway with the MCP server at which clients find it.
type endpoint struct {
	guard   *guard.Guard
	server  *server.MCPServer
	gateway *gateway.Gateway
	keys    atomic.Pointer[keys.Lookup] // of the tools that are served now
}

// publish serves tools in place of those before.
func (e *endpoint) publish(tools []*contract.Tool) error {
	lookup := keys.For(contract.Underscore, tools...)
	e.keys.Store(&lookup)
	return mcpgo.Replace(e.server, tools...)
}

// open makes the endpoint and lists the servers once. An endpoint needs only a
// guard, a server of mcp-go and the gateway.
func open(ctx context.Context, s *servers, digest string, g *guard.Guard) (*endpoint, catalog.Cycle, error) {
	overrides, err := decisions(digest)
	if err != nil {
		return nil, catalog.Cycle{}, err
	}
	e := &endpoint{guard: g}
	if e.server, err = mcpgo.NewServer("gateway", "1.0.0", g); err != nil {
		return nil, catalog.Cycle{}, err
	}
	e.gateway, err = gateway.New(s.upstreams(), e.publish, gateway.Options{
		Catalog: catalog.Options{Overrides: overrides, StateFile: s.state()},
		Base:    contract.Base{Permissions: []string{"gateway:call"}},
	})
	if err != nil {
		return nil, catalog.Cycle{}, err
	}
	cycle, err := e.refresh(ctx)
	if err != nil {
		return nil, cycle, errors.Join(err, e.gateway.Close())
	}
	return e, cycle, nil
}

// refresh lists the servers. All of them must answer.
func (e *endpoint) refresh(ctx context.Context) (catalog.Cycle, error) {
	cycle, err := e.gateway.Refresh(ctx)
	for _, s := range cycle.Servers {
		for _, p := range s.Problems {
			err = errors.Join(err, fmt.Errorf("gateway: the server %s: %s", s.Name, p.Message))
		}
	}
	return cycle, err
}
