// Package agent calls tools as their contracts demand. It is the caller's side
// of this library: a host or an agent loop uses it in place of the plain client
// of an MCP SDK.
//
//	a, err := agent.Connect(ctx, client.New(client.HTTP{URL: url}), agent.Options{Host: host})
//	if err != nil {
//		return err
//	}
//	defer a.Close()
//	sum, err := agent.Call[AddOutput](ctx, a, "calculator_add", AddInput{A: 1, B: 2})
//
// A failed call is one of two errors. A [*RetryError] goes back to the model,
// which can correct the call or do something else. A [*FatalError] ends the
// run. Find them with errors.As.
//
// [Agent.Call] does what the contract of the tool demands:
//
//   - It refuses forbidden and quarantined tools before anything is sent.
//   - It makes the dry run that a tool requires, and makes the call with its
//     token.
//   - It shows the arguments to a person before a call that must be confirmed,
//     and relays the answer to the server. It opens pages that a person must
//     visit. See [Host].
//   - It waits as long as the server demands and repeats the call, within
//     bounds. Every attempt has the same idempotency key.
//   - If the connection is lost, it repeats the call only if the contract
//     excludes a second effect. Otherwise the outcome is unknown, which is a
//     FatalError.
//   - It checks the result against the output schema and its size, and labels
//     it for a prompt by its trust; see [Result.Prompt].
//
// Tools without a contract are known by their hints only. Everything that the
// hints leave out counts as the stricter value, a person confirms each call
// that may write, and a lost call is never repeated. See
// [Options.TrustedHints].
//
// # Deciding, and continuing after a restart
//
// A [Policy] decides what a host does with a call: run it, ask a person, ask by
// typing, or refuse it, and gives the reason in words.
//
// A [SentCall] is a call in a form that can be stored. With it, [Continue]
// makes the call again in another process if that is safe, and with the same
// key.
//
// The loop of a model is not part of the package, because each host has its
// own. The example agentloop has one to copy, with a state that continues a run
// after a restart.
//
// # Deviations and limits
//
// A server can lie in its contract. The agent refuses contracts that contradict
// themselves, and calls a tool only by the definition that it was decided by.
// It cannot know whether a tool that declares itself idempotent is.
//
// Arguments are not validated against the input schema before they are sent. A
// server does that, and its failure has the violations; see [Tool.Violations]
// for a host that shows them earlier. The size of a result is checked when the
// client has received it whole. Package client bounds each message; a transport
// of your own bounds its messages itself.
//
// The package is experimental until v1.
package agent
