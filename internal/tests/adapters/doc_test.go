// Package adapters_test checks that the adapters of both SDKs, and one without
// an SDK, follow the rules for adapters, judging by what they send and receive.
//
// An adapter connects an SDK, or a server of its own, to a guard. The suite
// gives it [Settings]: a guard, tools, and how to list them. The [Harness]
// returns a server for them: a connection that carries JSON-RPC messages as
// lines, an [http.Handler], or both. The suite is the client. It writes the
// messages itself, byte by byte, without an SDK.
//
// Each rule is a subtest named after the rule, such as "unknown-forbidden";
// [Rules] lists them. A rule is checked over every transport of the harness and
// in every protocol version that its [Capabilities] state. A failure shows the
// transport, the version, the message that was sent, the answer, and what the
// rule expects.
//
// # How to write a harness
//
// Stream starts a server and returns the client's end of two pipes; the server
// uses the other ends in place of standard input and output.
//
// HTTP returns the endpoint, and Bearer the function that creates a principal
// function for it. If the adapter puts an [adapter.Caller] into the context of
// each call, Bearer is [adapter.Bearer].
//
// State a capability only if the adapter has it, and start with few: rules that
// need others are skipped, and their names show what is missing. The adapter
// without an SDK, in raw_test.go, follows all rules over both transports. It is
// a good starting point.
//
// # Limits
//
// A busy machine must not make a good adapter fail. The suite waits ten seconds
// for each message, and a minute for each rule.
//
// The suite opens no event stream by GET. Over HTTP, an adapter must send its
// questions in the response to the call. The suite doesn't check how an adapter
// registers tools besides those with contracts, nor what wrapped handlers of
// its SDK receive.
package adapters_test
