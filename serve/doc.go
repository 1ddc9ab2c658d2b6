// Package serve runs the HTTP side of an MCP server: the address, the checks
// that every request must pass, and the order in which everything ends. It
// knows no MCP SDK and serves any [http.Handler].
//
//	web, err := serve.Listen("127.0.0.1:8080", serve.Config{})
//	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(verify)))
//	mcp, err := mcpgo.NewHandler("mail", "1.0.0", g, mcpgo.WithTools(tools...))
//	web.Handle("/mcp", mcp)
//	err = web.Serve(ctx, g)
//
// # What every request must pass
//
//   - The Host header names this server, so that a name that an attacker
//     points at it (DNS rebinding) is refused with status 421.
//   - An Origin header is that of this server or one of AllowedOrigins in the
//     [Config]. Anything else gets status 403 (MCP 2025-11-25, Streamable HTTP,
//     Security Warning).
//   - The header arrives within 5 seconds, and the body within 30 or the
//     BodyTimeout. Answers have no deadline, because event streams last.
//
// The size of a body is for the handler to bound: mcpgo.NewHandler does it.
//
// # Where it may listen
//
// Without an Origin the server listens on the loopback interface only. At any
// other address, people and clients must reach it over https. It is also an
// error to serve others than the local machine with a guard that has no
// guard.WithPrincipal, because every caller would be anonymous.
//
// # Below a path
//
// A server that shares its host with others has a path in its Origin, such as
// https://example.com/mail. [Server.Origin] returns it with that path, so that
// addresses that begin with it are right. Patterns of [Server.Handle], and the
// paths that handlers see, do not have it. The handlers of package pages and of
// catalog.Handler add the path to their links. Other handlers get requests like
// those behind [http.StripPrefix], and must add the path to their links.
//
// Patterns below /.well-known/ stay at the root of the host, as RFC 8615
// demands: the metadata of https://example.com/mail/mcp is at
// /.well-known/oauth-protected-resource/mail/mcp. The proxy must pass it on.
//
// Every page has one address. A path without that of Origin gets status 404, so
// that no rule of the proxy is evaded by another spelling. ProxyStrips of the
// [Config] is for a proxy that removes the path.
//
// # Health
//
// /healthz answers 200 while the process serves. /readyz answers 200, and 503
// from the moment the server begins to end; see DrainDelay. Both accept any
// Host, and are never below a path, because orchestrators call them by address.
//
// # How it ends
//
// [Server.Serve] ends when its context does, or when the process gets SIGINT or
// SIGTERM. It stops accepting connections. The guard refuses new calls, answers
// the running ones, at most as long as guard.Times.Drain allows, and writes the
// rest of the audit log. Then open streams are cut, and connections without a
// request are closed. A second signal ends the process at once. The guard
// closes neither its sink nor its store, so close those afterwards, the sink
// first. [Close] does it in the reverse order of the defer statements:
//
//	defer serve.Close(&err, store)
//	defer serve.Close(&err, log)
//	return web.Serve(ctx, g)
package serve
