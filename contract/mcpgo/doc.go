// Package mcpgo serves contracts over the Model Context Protocol with
// github.com/mark3labs/mcp-go: it publishes them in tools/list and keeps them,
// through a guard, on every tools/call.
//
//	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("mail:read")))
//	if err != nil {
//		log.Fatal(err)
//	}
//	if err := mcpgo.ServeStdio("mail", "1.0.0", g, mcpgo.WithTools(Search, Draft)); err != nil {
//		log.Fatal(err)
//	}
//
// Over HTTP, [NewServer] makes the server, mcp-go the transport:
//
//	s, err := mcpgo.NewServer("mail", "1.0.0", g, mcpgo.WithTools(Search, Draft))
//	...
//	h := mcpgo.LimitHandler(server.NewStreamableHTTPServer(s), 0)
//
// # In the list
//
// A tool's annotations are its title and the four hints, all of them always
// written; its contract stands in _meta under [contract.MetaKeyContract], as
// [WithTier] says. A caller sees the tools whose permissions it holds. A forbidden
// tool is not registered with the server at all.
//
// # In a call
//
// The result's text is what the model reads, its structuredContent what the
// output schema promises, exactly as the guard checked it, and _meta has
// the [contract.Outcome] under [contract.MetaKeyOutcome]. A refused call is a
// result with isError; a name that does not exist for the caller is the
// JSON-RPC error -32602.
//
// An alias may be called, as long as its tool is registered, and is not listed.
// It is registered with mcp-go under its own name, for the server's tool filters
// to see the tool it stands for.
//
// Behind the text stands the content of a [contract.Reply], and its _meta. Where
// the tool's trust says that what it returns may talk a model into something,
// plain text is delimited as foreign, and so is the text of an embedded resource;
// a text that is the JSON of structuredContent is not, nor are names, titles and
// descriptions of links, which are sanitised as everything else is.
//
// Where the server has a tracer (server.WithTracer), the span of the call, as far
// as the tracer puts it into the context with tracing.ContextWithSpan, gets the
// attributes toolcontract.risk, toolcontract.status and toolcontract.code.
//
// # Adoption
//
// A server that exists takes contracts tool by tool, and nothing else of it
// changes: [Annotate] publishes what is known of a tool and enforces nothing;
// [Wrap] puts a contract around the tool as it is; [contract.New] gives it typed
// input and output. [Register] puts contracts onto the server, [RegisterSession]
// into one session of it. [WithClosedWorld] closes the server in the end. [Report]
// says what contracts cost in the list, [WithNames] writes names for hosts that do
// not take dots.
//
// # Guarantees
//
//   - The world of [NewServer], and of [WithClosedWorld], is closed: only what [WithTools]
//     named is listed or run. A tool that is added to the server or to a session
//     later, or that replaces one of ours, answers as unknown; [Verify] names it.
//     In the open world of [Register] that holds for the names of contracts;
//     tools under other names stay, byte for byte, what they were.
//   - A call of a forbidden tool gets what a call of a name that does not exist
//     gets, byte for byte but for the name.
//   - Nothing that a client writes into a message, such as _meta, clientInfo,
//     arguments or a session id, makes it somebody: only the guard's
//     [guard.PrincipalFunc] does.
//   - Integers keep every digit, from the wire to the handler and back.
//   - A page of the list ends with a sealed cursor, for mcp-go's own is the name
//     of a tool, perhaps of one that the caller may not see.
//   - A list that depends on who asks is never marked for shared caches.
//   - What mcp-go refuses before a handler (an unknown name, parameters that
//     cannot be parsed) is audited, without the raw message.
//
// # Deviations and limits
//
//   - What mcp-go refuses at the envelope (bad JSON, a wrong protocol version,
//     headers that do not match, a null id) never reaches a hook and is not
//     audited. Parameters that cannot be parsed are audited as an anonymous
//     caller's, for mcp-go does not hand their header over.
//   - A handler cannot choose the code of a JSON-RPC error. Where a name is
//     found to be unknown only by the guard, the answer has the usual text and
//     the code -32603.
//   - mcp-go reads the envelope with encoding/json, which takes the last of two
//     equal keys and ignores case: a gateway that inspects bodies may see another
//     tool named than the one that runs. Arguments are not concerned.
//   - mcp-go's in-flight requests of protocol version 2026-07-28 have no owner
//     over HTTP: a notifications/cancelled with the same id reaches another
//     principal's call. Writes are finished and recorded all the same; drop that
//     notification at the edge to protect reads.
//   - server.WithInputSchemaValidation answers before the guard does: such
//     refusals are not audited, and they tell of a schema to callers without
//     permission. The guard validates; leave it off.
//   - Middleware (server.WithToolHandlerMiddleware) runs outside the guard. One
//     that changes arguments must change RawArguments, and one that refuses must
//     audit by itself.
//   - Filters that a server had before [Register] see an alias that is called
//     under that alias.
//   - A wrapped handler that asks the client for input (a multi round trip) gets
//     no answer, and the call is internal_error.
//   - A session's contracts are known by the session's tools in mcp-go. When
//     mcp-go ends a session, nothing stands in the way of another tool under
//     their names there.
//   - A cursor opens in the process that sealed it.
//   - inputResponses count only with the requestState of a question that the guard
//     asked; see package guard. A wrapped handler sees neither.
//   - Where a client lacks the capability to be asked the answer is a result,
//     confirmation_required: mcp-go cannot send the error -32021 that MCP
//     2026-07-28 has for it.
//   - Lists count their pages over all tools: a page can be short, or empty.
package mcpgo
