// Package gosdk serves tools with contracts over the Model Context Protocol
// (MCP) with the official SDK, github.com/modelcontextprotocol/go-sdk. It
// publishes the contracts in tools/list and enforces them, through a guard, on
// every tools/call. Package mcpgo does the same with another SDK. Clients see
// the same from both, except for the order of keys and the members that the SDK
// adds.
//
// It is a separate module, so that users of one SDK do not depend on the other.
//
// Over standard input and output:
//
//	g, err := guard.New(guard.WithPrincipal(gosdk.LocalUser("mail:read")))
//	if err != nil {
//		log.Fatal(err)
//	}
//	if err := gosdk.ServeStdio("mail", "1.0.0", g, gosdk.WithTools(Search, Draft)); err != nil {
//		log.Fatal(err)
//	}
//
// Over HTTP, [NewHandler] makes the server and its endpoint, and package serve
// runs them:
//
//	web, err := serve.Listen("127.0.0.1:8080", serve.Config{})
//	...
//	h, err := gosdk.NewHandler("mail", "1.0.0", g, gosdk.WithTools(Search, Draft))
//	...
//	web.Handle("/mcp", h)
//	err = web.Serve(ctx, g)
//
// A program that makes a server for each request makes one [Table] and
// registers it with all of them.
//
// # In the list
//
// A tool's annotations are its title and the four hints, which are always
// written. Its contract is in _meta under [contract.MetaKeyContract], in as
// much detail as [WithTier] sets. A caller sees the tools whose permissions it
// holds. A forbidden tool is not registered with the server at all.
//
// # In a call
//
// The text of a result is for the model. Its structuredContent fits the output
// schema, exactly as the guard checked it, and _meta has the [contract.Outcome]
// under [contract.MetaKeyOutcome]. A refused call is a result with isError. A
// name that does not exist for the caller is the JSON-RPC error -32602.
//
// An alias can be called while its tool is registered. It is never listed.
//
// The content of a [contract.Reply] follows the text, and its _meta is added.
// If the tool's trust level means that results may inject instructions, some
// texts are delimited as untrusted. _meta keys under io.modelcontextprotocol/
// belong to the protocol and are dropped.
//
// Clients of protocol version 2026-07-28 get a question as the result of a call
// and send the answer with another call. Older clients are asked within the
// call. A person who must authenticate again is sent to a URL.
//
// # Adoption
//
// [Protect] contains the calls of all tools of an existing server and needs no
// decision about any of them. [AddTool] adds a tool as mcp.AddTool does, with
// its contract.
//
// An existing server can adopt contracts with one call before it serves:
// [WrapAll] puts a contract around each of its tools, following your rules and
// the tools' hints. It reports its guesses, the decisions left to you, and what
// changes for clients. [ToolsOf] returns the contracts for tests.
//
// Or it can adopt them tool by tool, while the rest stays as it was. [Annotate]
// publishes the known clauses of a tool and enforces nothing. [Wrap] and
// [WrapFor] put a contract around an existing handler. [contract.New] gives it
// typed input and output. [Register] adds contracts to the server, and [Add]
// adds more while it serves. [WithClosedWorld] closes the server at the end of
// the migration. [ServeStdioServer] serves it and drains it as [ServeStdio]
// does.
//
// # Guarantees
//
//   - A server of [NewServer], or with [WithClosedWorld], is closed: only the
//     tools of [WithTools] and [Add] are listed or run. A tool without a
//     contract that is added later, or that replaces one with a contract,
//     answers as unknown, and [Verify] names it. After [Register] alone, this
//     applies only to the names that contracts claim; tools under other names
//     stay as they were, byte for byte. [WrapAll] wraps later tools by its
//     rules and leaves a tool alone only if the rules do.
//   - A call to a forbidden tool gets the same answer as a call to a name that
//     does not exist, byte for byte except for the name.
//   - Nothing that a client writes into a message, such as _meta, clientInfo,
//     arguments or a session id, sets its identity. Only the guard's
//     [guard.PrincipalFunc] does. It gets the header and the token info of the
//     request that makes the call, even in a session that another caller began.
//   - Integers keep every digit, from the wire to the handler and back.
//   - The cursor of a page is encrypted, because the SDK's own cursor is the
//     name of a tool, which may be hidden from the caller.
//   - A list that depends on the caller is never marked for shared caches.
//   - A call to an unknown name is audited. So is a call whose parameters
//     cannot be read, and its answer repeats none of them, if it arrives
//     through [NewHandler], [Table.Handler], [ServeStdio] or
//     [ServeStdioServer].
//   - If a handler with a contract panics or ends its goroutine, only its call
//     ends.
//   - On stdio, a bad line does not end the session, and the end of input does
//     not cancel calls in progress.
//
// # Deviations and limits
//
// File and line references are to version 1.8.0 of the SDK.
//
//   - For an unknown tool, the SDK writes unknown tool "name"
//     (mcp/server.go:1008), and package mcpgo writes tool 'name' not found.
//   - Through the SDK's own transports, and in a batch of 2025-03-26,
//     parameters that cannot be read do not reach middleware. They are then not
//     audited, and the SDK's error repeats them in full (mcp/shared.go:206 and
//     349).
//   - The SDK drops a call's task member, so the call runs without a task
//     (mcp/protocol.go:241).
//   - The SDK writes ttlMs and cacheScope into lists in every version
//     (mcp/protocol.go:1192).
//   - A session whose first request is of 2026-07-28 cannot be initialized for
//     an older version afterwards (mcp/server.go:1993).
//   - A client that requests 2026-07-28 in initialize gets resultType in the
//     results of its older requests (mcp/mrtr.go:65).
//   - An input response of an unknown form counts as an unreadable parameter
//     (mcp/protocol.go:191); package mcpgo takes it as an answer that approves
//     nothing.
//   - In older versions over HTTP, closing the connection cancels nothing if
//     the option EventStore keeps the answer for the client. Otherwise it
//     cancels reads, as in package mcpgo.
//   - In a session of an older version over HTTP, every caller that knows the
//     session id can answer a question, because the SDK does not pass on who
//     answered. Behind auth.RequireBearerToken, if each token info has a
//     UserID, only the user who began a session can use it
//     (mcp/streamable.go:559).
//   - Contracts with permissions cannot have x-mcp-header in their input
//     schema, because the SDK compares these headers before its middleware
//     (mcp/streamable.go:1618). [WrapAll] drops it.
//   - The SDK has no per-session tools, so there is no RegisterSession. It has
//     no tracer: package otel has the spans of calls, and the span of a
//     middleware around a call gets the outcome from it.
//   - Middleware that the server author added before [Register] sees the whole
//     list. It can hide tools. Its changes to tools with contracts are dropped,
//     and it sees {"type":"object"} in place of their schemas, unless they have
//     x-mcp-header.
//   - Each list and each call reads the list of the registered tools, because
//     the SDK has no function that looks one up (mcp/server.go:999). This takes
//     about 20 µs of a call if there are 1,000 tools. A tool that replaces
//     another just as a call begins may receive that call.
//   - The SDK calls SetCacheable for such a read too. It must not call the
//     server, whose lock is held.
//   - If the handler of a tool without a contract panics, the process ends
//     (internal/jsonrpc2/conn.go:656), as it did before.
//   - A wrapped handler that asks the client for input needs [wrap.WithRounds].
//   - [ServeStdio] bounds input lines by the largest arguments of the contracts
//     it starts with, even if tools are added later.
//   - A request id is a string or an integer of at most 2^53, because the SDK
//     rounds other numbers (internal/jsonrpc2/jsonrpc2.go).
//   - A cursor is valid only in the process that made it.
//   - List pages are counted over all tools and aliases, so a page can have few
//     tools or none.
package gosdk
