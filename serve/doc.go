// Package serve runs the HTTP side of an MCP server: the address, the checks
// that every request must pass, and the order in which everything shuts down.
// It depends on no MCP SDK and serves any [http.Handler].
//
//	web, err := serve.Listen("127.0.0.1:8080", serve.Config{})
//	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(verify)))
//	mcp, err := mcpgo.NewHandler("mail", "1.0.0", g, mcpgo.WithTools(tools...))
//	web.Handle("/mcp", mcp)
//	err = web.Serve(ctx, g)
//
// # What every request must pass
//
//   - The Host header names this server. A name that an attacker points at it
//     (DNS rebinding) gets status 421.
//   - An Origin header names this server or one of AllowedOrigins in the
//     [Config]. Anything else gets status 403 (MCP 2025-11-25, Streamable HTTP,
//     Security Warning).
//   - The header arrives within 5 seconds, and the body within 30 or the
//     BodyTimeout. Responses have no deadline, because event streams last.
//
// Bounding the size of a body is up to the handler: mcpgo.NewHandler does it.
//
// # Where it may listen
//
// Without an Origin the server listens on the loopback interface only. At any
// other address, people and clients must reach it over https. It is also an
// error to serve anyone but the local machine with a guard that has no
// guard.WithPrincipal, because every caller would be anonymous.
//
// # Below a path
//
// A server that shares its host with others has a path in its Origin, such as
// https://example.com/mail. [Server.Origin] includes that path, so addresses
// built from it are right. Patterns of [Server.Handle], and the paths that
// handlers see, do not include it. The handlers of package pages and of
// catalog.Handler add the path to their links. Other handlers get requests as
// if behind [http.StripPrefix], and must add the path to their links.
//
// Patterns below /.well-known/ stay at the root of the host, as RFC 8615
// requires: the metadata of https://example.com/mail/mcp is at
// /.well-known/oauth-protected-resource/mail/mcp. The proxy must pass it on.
//
// Every page has one address. A path outside Origin's gets status 404, so that
// no spelling of a path evades the proxy's rules. Set ProxyStrips in the
// [Config] if the proxy removes the path.
//
// # Health
//
// /healthz answers 200 while the process serves. /readyz answers 200, and 503
// once the server starts to shut down; see DrainDelay. Both accept any Host,
// and are never below a path, because orchestrators call them by address.
//
// # Shutdown
//
// [Server.Serve] returns when its context ends, or when the process gets SIGINT
// or SIGTERM. It stops accepting connections. The guard refuses new calls,
// takes at most guard.Times.Drain to answer the running ones, and writes the
// rest of the audit log. Then open streams are cut, and idle connections are
// closed. A second signal ends the process at once. The guard closes neither
// its sink nor its store, so close those afterwards, the sink first. Deferred,
// [Close] does so in reverse order:
//
//	defer serve.Close(&err, store)
//	defer serve.Close(&err, log)
//	return web.Serve(ctx, g)
package serve
