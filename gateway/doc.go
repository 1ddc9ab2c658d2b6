// Package gateway keeps one endpoint in step with a catalogue: it serves the
// tools of many servers under one guard, and follows the servers as they
// change.
//
//	s, err := mcpgo.NewServer("gateway", "1.0.0", g)
//	...
//	gw, err := gateway.New([]gateway.Upstream{
//		{Name: "mail", Client: client.New(client.Command{Path: "mail-server"})},
//		{Name: "crm", Client: client.New(client.HTTP{URL: "https://crm.example.com/mcp"})},
//	}, func(tools []*contract.Tool) error { return mcpgo.Replace(s, tools...) },
//		gateway.Options{Catalog: catalog.Options{Overrides: overrides, StateFile: "state.json"}})
//	...
//	_, err = gw.Refresh(ctx) // before the first client connects
//	go gw.Run(ctx)
//
// Callers of the endpoint get the guard's confirmation, limits, audit and
// idempotency, even for tools of servers that know nothing about contracts. A
// tool that the operator vetoes or the catalogue quarantines is not served. Nor
// is a tool whose definition has changed, until its digest is accepted, such as
// by [Gateway.Accept], or unless its server is the operator's own.
//
// A gateway's guard sees what a caller does on all servers. With
// guard.WithSessionBound, it asks a person about every change once these calls
// together reach a bound:
//
//	g, err := guard.New(guard.WithSessionBound(risk.Chain{Irreversible: 4}), ...)
//
// # Servers that die
//
// A server that dies is restarted or reconnected at the next call to one of its
// tools. A call in progress ends at once. If the tool is read-only or
// inherently idempotent, the failure is [ErrInterrupted], and the call can be
// repeated. Otherwise it is [ErrUnanswered]: the effect is unknown, and a
// managed call is refused until an operator resolves it. Calls to other servers
// are not affected.
//
// The operations that callers look up are those of the gateway's guard; see
// [contract.Outcome.OperationID]. Those of a server stay behind the gateway, and
// so does the server's lookup tool. Any other tool of a server with the name
// operations_get gets the server's name as a prefix.
//
// The package is experimental until v1: its API can change in a minor version.
package gateway
