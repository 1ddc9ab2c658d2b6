// Package keys writes the annotation keys of the Python package
// mcp-tool-contract into the tools/list answers of a server, at its transport.
// Gateways that know only these keys can then read the facts that the contracts
// declare. It imports no SDK and works with every SDK.
//
// A server author wraps the transport of the server. Over HTTP:
//
//	h, err := mcpgo.NewHandler("mail", "1.0.0", g, mcpgo.WithTools(tools...))
//	mux.Handle("/mcp", keys.Handler(h, keys.For(contract.Underscore, tools...)))
//
// Over stdio:
//
//	in, out := keys.Stdio(os.Stdin, os.Stdout, keys.For(contract.Underscore, tools...))
//	err := mcpgo.ServeStdio("mail", "1.0.0", g, mcpgo.WithTools(tools...), mcpgo.WithStreams(in, out))
//	err = errors.Join(err, out.Close())
//
// With these streams, the SDK's adapter can't see that it writes to standard
// output, so it doesn't keep the program's prints out of the protocol. Package
// program does.
//
// A server whose tools change while it serves passes its own [Lookup].
//
// # The keys
//
// For a tool with a contract, the annotations get risk_level,
// content_trust_risk and version, and deprecated_since and aliases if they are
// declared. The hints readOnlyHint, destructiveHint and idempotentHint follow
// the rules of that package; see [Keys]. They are less strict than those of
// [contract.Document.Hints], which other clients read, so use the keys only for
// the endpoint that such a gateway reads. A tool without a contract stays as it
// is: that package adds nothing to a tool that declares nothing.
//
// # What changes
//
// Only answers to tools/list change, and in them only the annotations of tools
// that the [Lookup] knows. Answers are recognised by the method and id of their
// requests, and by having a list of tools and no content. A tools/call result
// that looks like a list therefore stays as it is. All other bytes pass
// unchanged and at once.
//
// An answer is buffered until it is complete, up to 16 MiB. A longer one passes
// unchanged, and so does everything that cannot be read unambiguously: a
// malformed or compressed message, a request longer than 64 KiB, and a message
// with two members of the same name. A gateway that does not find the keys
// relies on its own rules and on the stricter hints, so a missing key is safe.
// An answer that an SDK replays to a GET request passes unchanged too.
package keys
