// Package client is a client of one MCP server. Package agent and gateways use
// it. It speaks JSON-RPC itself, in both versions of the protocol, so it needs
// no SDK: everything that a server writes stays as the server wrote it, and the
// size of every message is bounded.
//
//	a, err := agent.Connect(ctx, client.New(client.HTTP{URL: "https://tools.example.com/mcp"}), agent.Options{})
//
// A [Transport] reaches the server: [HTTP] at an address, [Command] over the
// input and output of a process, or [InProcess] in this process. For OAuth or
// certificates of your own, HTTP takes your http.Client.
//
// A [Client] connects when it is needed, and again when the connection has
// ended. [Client.Dial] opens a [Session] instead, which never repeats anything
// by itself.
//
// The package is experimental until v1.
package client
