// Package adapter has what an adapter for any MCP SDK needs to serve tools with
// contracts. It imports no SDK; packages mcpgo and gosdk build on it. It is for
// authors of adapters; server authors use an adapter. docs/adapters.md in the
// repository introduces it.
//
// The package is experimental until v1: its API can change in a minor version.
//
// # An adapter
//
// A [Table] holds the contracts that a server serves, and their names. Make it
// once; it can be registered with many servers.
//
//	t, err := adapter.NewTable(g, adapter.Config{Tools: tools, Server: "mail"})
//
// The adapter registers each of [Table.Entries] with its SDK. In tools/list it
// writes the [Definition] of each entry for which the function returned by
// [Table.Lists] is true; it is false for aliases. If the SDK's cursors hold
// tool names, the adapter seals them with [Table.SealCursor]. If [Table.Varies]
// is true, it marks the list as private.
//
// In tools/call it looks up the [Entry] with [Table.Entry], passes the
// arguments on exactly as they were sent, and writes the [CallResult]:
//
//	ctx = adapter.WithCaller(ctx, adapter.Caller{Header: r.Header})
//	e := t.Entry(name)
//	if e == nil {
//		t.Unknown(ctx, name)
//		... // the answer of the SDK to an unknown tool
//	}
//	answer, err := t.Call(ctx, e, adapter.Request{Arguments: arguments, Meta: meta, Client: client})
//	if errors.Is(err, guard.ErrUnknownTool) {
//		... // the same answer, byte for byte
//	}
//
// [Table.Unparsable] audits a call whose parameters could not be read.
//
// An adapter must also make sure that nothing bypasses the table. No other tool
// of the server or of a session may be listed or run under a name that
// [Table.Claims] reports. No part of the SDK may answer a call before the guard
// does.
//
// [Table.With] adds contracts to a server while it serves: the adapter
// registers [Table.Since], and calls go to the new table from then on.
//
// The identity of a caller comes only from the guard's [guard.PrincipalFunc],
// which reads it from the context. [Bearer] and [LocalUser] read the [Caller]
// that the adapter puts there with [WithCaller] for each request. A session's
// context must not carry it.
//
// # Tools that were written for the SDK
//
// [Annotate], [Wrap] and [Wrapper] put contracts on existing tools. An adapter
// converts the tools of its SDK to a [Definition], and their handlers to a
// [Handler].
//
// # Over HTTP
//
// [LimitHandler] bounds request bodies, and [Sessions] bounds the sessions that
// clients leave open.
//
// # A session over stdio
//
// [Streams] serves the process's streams until the process gets a signal. A
// [StdioSession] ends a session only after answering every request it has read.
package adapter
