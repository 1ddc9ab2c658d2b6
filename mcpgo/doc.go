// Package mcpgo serves tools with contracts over the Model Context Protocol
// (MCP) with github.com/mark3labs/mcp-go. It publishes the contracts in
// tools/list and enforces them, through a guard, on every tools/call. Package
// adapter has the parts that need no SDK.
//
// Over standard input and output:
//
//	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("mail:read")))
//	if err != nil {
//		log.Fatal(err)
//	}
//	if err := mcpgo.ServeStdio("mail", "1.0.0", g, mcpgo.WithTools(Search, Draft)); err != nil {
//		log.Fatal(err)
//	}
//
// Over HTTP, [NewHandler] makes the server and its endpoint, and package serve
// runs it:
//
//	web, err := serve.Listen("127.0.0.1:8080", serve.Config{})
//	...
//	h, err := mcpgo.NewHandler("mail", "1.0.0", g, mcpgo.WithTools(Search, Draft))
//	...
//	web.Handle("/mcp", h)
//	err = web.Serve(ctx, g)
//
// An existing server gets contracts with one call, [WrapAll]. The manual, in
// the repository's docs folder, begins with both kinds of servers. The rest of
// this comment is the reference.
//
// # Listing tools
//
// A tool's annotations are its title and the four hints, which are always
// written. Its contract is in _meta under [contract.MetaKeyContract], in as
// much detail as [WithTier] sets. A caller sees the tools whose permissions it
// holds. A forbidden tool is not registered with the server at all.
//
// # Calling tools
//
// The text of a result is for the model. Its structuredContent fits the output
// schema, exactly as the guard checked it, and _meta has the [contract.Outcome]
// under [contract.MetaKeyOutcome]. A refused call is a result with isError. A
// name that does not exist for the caller is the JSON-RPC error -32602.
//
// An alias can be called while its tool is registered, and is never listed. It
// is registered with mcp-go under its own name, so that the server's tool
// filters see the alias's tool.
//
// The content of a [contract.Reply] follows the text, and its _meta is added.
// If the tool's trust level means that its results may inject instructions,
// some texts are delimited as untrusted: plain text, the text of an embedded
// resource, and the handler's words in an error. [contract.Builder.Delimit]
// declares another choice. A text that is the JSON of structuredContent is
// delimited only if all texts are. Names, titles and descriptions of links are
// not delimited, but are sanitised like everything else. Keys of _meta under
// io.modelcontextprotocol/ belong to the protocol and are dropped.
//
// If the server has a tracer (server.WithTracer) that puts its span into the
// context with tracing.ContextWithSpan, a call's span gets the attributes
// toolcontract.risk, toolcontract.status and toolcontract.code.
//
// # Adoption
//
// [Protect] contains the calls of all tools of an existing server and needs no
// decision about any of them. [AddTool] adds a tool with a typed handler of
// mcp-go, and its contract.
//
// An existing server can adopt contracts with one call before it serves:
// [WrapAll] puts a contract around each of its tools, following your rules and
// the tools' hints. It reports its guesses, the decisions left to you, and what
// changes for clients. [ToolsOf] returns the contracts for tests.
//
// Or it can adopt them tool by tool, while the rest of it stays the same.
// [Annotate] publishes the known clauses of a tool and enforces nothing. [Wrap]
// puts a contract around an existing tool. [contract.New] gives it typed input
// and output. [Register] adds contracts to the server, [Add] adds more while it
// serves, and [RegisterSession] adds some to one session. [WithClosedWorld]
// closes the server at the end of the migration. [ServeStdioServer] serves it
// and drains it as [ServeStdio] does. contracttest.Measure measures what
// contracts cost in the list. [WithNames] writes names for hosts that refuse
// dots.
//
// # Guarantees
//
//   - A server of [NewServer], or with [WithClosedWorld], is closed: only the
//     tools of [WithTools] and [Add] are listed or run. If a tool without a
//     contract is added later, to the server or to a session, or replaces one
//     with a contract, it answers as unknown, and [Verify] names it. After
//     [Register] alone, this applies only to the names that contracts claim;
//     tools under other names stay as they were, byte for byte. [WrapAll] wraps
//     later tools by its rules, and leaves a tool alone only if the rules do.
//   - A call to a forbidden tool gets the same answer as a call to a name that
//     does not exist, byte for byte except for the name.
//   - Nothing that a client writes into a message, such as _meta, clientInfo,
//     arguments or a session id, sets its identity. Only the guard's
//     [guard.PrincipalFunc] does.
//   - Integers keep every digit, from the wire to the handler and back.
//   - The cursor of a page is encrypted, because mcp-go's own cursor is the
//     name of a tool, which may be hidden from the caller.
//   - A list that depends on the caller is never marked for shared caches.
//   - A call that mcp-go refuses before a handler (an unknown name, parameters
//     that cannot be parsed) is audited, without the raw message.
//
// # Deviations and limits
//
//   - A message that mcp-go refuses at the envelope (bad JSON, a wrong protocol
//     version, headers that do not match, a null id) reaches no hook and is not
//     audited. Parameters that cannot be parsed are audited as an anonymous
//     caller's, because mcp-go does not pass on their header.
//   - A handler cannot choose the code of a JSON-RPC error. If only the guard
//     finds a name unknown, the answer has the usual text and the code -32603.
//   - mcp-go reads the envelope with encoding/json, which takes the last of two
//     equal keys and ignores case. A gateway that inspects bodies may therefore
//     read a tool name other than that of the tool that runs. Arguments are not
//     affected.
//   - In protocol version 2026-07-28 over HTTP, mcp-go does not know who sent a
//     running request: a notifications/cancelled with the same id reaches the
//     call of another principal. The handlers of this package therefore drop
//     it; a call ends when its client closes the stream. An HTTP server that
//     mcp-go itself makes does not drop it.
//   - server.WithInputSchemaValidation answers before the guard does. Such
//     refusals are not audited, and reveal a schema to callers without
//     permission. Leave it off; the guard validates.
//   - Middleware (server.WithToolHandlerMiddleware) runs outside the guard.
//     Middleware that changes arguments must change RawArguments. Middleware
//     that refuses a call must audit it itself.
//   - If a call uses an alias, filters that the server had before [Register]
//     see the alias.
//   - A wrapped handler that asks the client for input (a multi round trip)
//     needs [wrap.WithRounds]. Otherwise it gets no answer, and the call fails
//     with internal_error.
//   - A tool filter of mcp-go cannot add a tool for one request, because mcp-go
//     looks for the tool before it asks the filters.
//   - [ServeStdio] and [ServeStdioServer] bound lines of input by the largest
//     arguments of the contracts that they start with. This bound also holds
//     for tools without a contract and for tools that are added later.
//   - A session's contracts are recognised by its tools in mcp-go. Once mcp-go
//     has ended a session, another tool can take their names there.
//   - A cursor is valid only in the process that made it.
//   - inputResponses count only with the requestState of a question that the
//     guard asked, or of a handler with [wrap.WithRounds]; see package guard.
//     Other wrapped handlers see neither.
//   - If a client lacks the capability to be asked, the answer is a result,
//     confirmation_required, because mcp-go cannot send the error -32021 that
//     MCP 2026-07-28 defines for it.
//   - List pages are counted over all tools, so a page can have few tools or
//     none.
package mcpgo
