// Package gosdk serves tools with contracts over the Model Context Protocol
// (MCP) with the official SDK, github.com/modelcontextprotocol/go-sdk. It
// publishes the contracts in tools/list and enforces them, through a guard, on
// every tools/call. Package mcpgo does the same with another SDK, and what
// clients see of both is equal except for the order of keys and the members
// that the SDK adds.
//
// It is a module of its own, so that users of one SDK do not get the other.
// Until v1 it is experimental, as package adapter is, on which it rests.
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
// runs it:
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
// The annotations of a tool are its title and the four hints, which are always
// written. Its contract is in _meta under [contract.MetaKeyContract], as much
// of it as [WithTier] sets. A caller sees the tools whose permissions it holds.
// A forbidden tool is not registered with the server at all.
//
// # In a call
//
// The text of a result is for the model. Its structuredContent fits the output
// schema, exactly as the guard checked it, and _meta has the [contract.Outcome]
// under [contract.MetaKeyOutcome]. A refused call is a result with isError. A
// name that does not exist for the caller is the JSON-RPC error -32602.
//
// An alias can be called while its tool is registered, and is never listed.
//
// The content of a [contract.Reply] follows the text, and its _meta is added.
// If the tool's trust level means that its results may inject instructions,
// some texts are delimited as untrusted. Keys of _meta under
// io.modelcontextprotocol/ belong to the protocol and are dropped.
//
// Clients of protocol version 2026-07-28 get a question as the result of a
// call, and send the answer with another. Older clients are asked within the
// call. A person who must authenticate again is sent to an address.
//
// # Adoption
//
// An existing server can adopt contracts with one call before it serves:
// [WrapAll] puts a contract around each of its tools, by rules and by the hints
// of the tools. It reports its guesses, the decisions that are left, and the
// changes for clients. [ToolsOf] returns the contracts for tests.
//
// Or it adopts them tool by tool, and the rest of it does not change.
// [Annotate] publishes the known clauses of a tool and enforces nothing. [Wrap]
// and [WrapFor] put a contract around an existing handler. [contract.New] gives
// it typed input and output. [Register] adds contracts to the server, and [Add]
// adds more while it serves. [WithClosedWorld] closes the server at the end of
// the migration. [ServeStdioServer] serves it with the drain of [ServeStdio].
//
// # Guarantees
//
//   - The world of [NewServer] and of [WithClosedWorld] is closed: only the
//     tools of [WithTools] and [Add] are listed or run. A tool without a
//     contract may be added to the server later, or may replace one with a
//     contract. It answers as unknown, and [Verify] names it. In the open world
//     of [Register] this holds for the names of contracts; tools under other
//     names stay as they were, byte for byte. [WrapAll] wraps later tools by
//     its rules, and leaves the others only if the rules do.
//   - A call of a forbidden tool gets the same answer as a call of a name that
//     does not exist, byte for byte except for the name.
//   - Nothing that a client writes into a message, such as _meta, clientInfo,
//     arguments or a session id, sets its identity. Only the guard's
//     [guard.PrincipalFunc] does. It gets the header and the token info of the
//     request that calls, also in a session that another caller began.
//   - Integers keep every digit, from the wire to the handler and back.
//   - A page of the list ends with an encrypted cursor, because the SDK's own
//     cursor is the name of a tool, which may be hidden from the caller.
//   - A list that depends on the caller is never marked for shared caches.
//   - A call of an unknown name is audited. A call with parameters that cannot
//     be read is audited too, and its answer repeats none of them, if it
//     arrives through [NewHandler], [Table.Handler], [ServeStdio] or
//     [ServeStdioServer].
//   - A handler with a contract that panics, or that ends its goroutine, ends
//     only its call.
//   - On stdio, a bad line does not end the session, and the end of the input
//     does not cancel what runs.
//
// # Deviations and limits
//
// The places are those of version 1.8.0 of the SDK.
//
//   - The SDK writes an unknown tool as unknown tool "name"
//     (mcp/server.go:1008), and package mcpgo as tool 'name' not found.
//   - Through the SDK's own transports, and in a batch of 2025-03-26,
//     parameters that cannot be read do not reach middleware. They are then not
//     audited, and the SDK's error has all of them (mcp/shared.go:206 and 349).
//   - The SDK drops the member task of a call, so the call runs without one
//     (mcp/protocol.go:241).
//   - The SDK writes ttlMs and cacheScope into lists of every version
//     (mcp/protocol.go:1192).
//   - A session of which the first request is one of 2026-07-28 cannot be
//     initialized for an older version afterwards (mcp/server.go:1993).
//   - A client that requests 2026-07-28 in initialize gets resultType in the
//     results of its older requests (mcp/mrtr.go:65).
//   - An input response of no known form is a parameter that cannot be read
//     (mcp/protocol.go:191); package mcpgo takes it for an answer that approves
//     nothing.
//   - In an older version over HTTP, a client that closes its connection
//     cancels nothing, as the protocol has it (MCP 2025-11-25, transports). It
//     sends notifications/cancelled. Package mcpgo cancels reads.
//   - In a session of an older version over HTTP, every caller that knows the
//     id of the session can answer a question. The SDK passes no caller with
//     the answer. Behind auth.RequireBearerToken, with a UserID in each token
//     info, only the user who began a session can use it
//     (mcp/streamable.go:559).
//   - Contracts with permissions cannot have x-mcp-header in their input
//     schema, because the SDK compares these headers before its middleware
//     (mcp/streamable.go:1618). [WrapAll] drops it.
//   - The SDK has no tools of single sessions and no tracer, so there is no
//     RegisterSession, and no span has the outcome.
//   - Middleware that the server author added before [Register] sees the whole
//     list. It can hide tools. Its changes to tools with contracts are dropped.
//   - Each list and each call reads the registered tools, because the SDK has
//     no function that finds one (mcp/server.go:999). A tool that takes the
//     place of another while a call of it begins can get that call.
//   - SetCacheable of the SDK is also called when the tools are read so. It
//     must not call the server, whose lock is held.
//   - A handler of a tool without a contract that panics ends the process
//     (internal/jsonrpc2/conn.go:656), as it did before.
//   - A wrapped handler that asks the client for input needs [wrap.WithRounds].
//   - [ServeStdio] bounds lines of input by the largest arguments of the
//     contracts that it starts with, also for tools that are added later.
//   - An id of a request is a string, or an integer of at most 2^53, because
//     the SDK rounds others (internal/jsonrpc2/jsonrpc2.go).
//   - A cursor opens only in the process that made it.
//   - Pages of the list are counted over all tools and aliases, so a page can
//     have few tools or none.
package gosdk
