// Package agent calls tools the way their contracts demand. It is the caller's
// side of this library: a host or an agent loop uses it in place of an MCP
// SDK's plain client.
//
//	a, err := agent.Connect(ctx, client.New(client.HTTP{URL: url}), agent.Options{Host: host})
//	if err != nil {
//		return err
//	}
//	defer a.Close()
//	sum, err := agent.Call[AddOutput](ctx, a, "calculator_add", AddInput{A: 1, B: 2})
//
// A failed call returns one of two errors. A [*RetryError] goes back to the
// model, which can correct the call or do something else. A [*FatalError] ends
// the run. Find them with errors.As.
//
// [Agent.Call] does what the contract of the tool demands:
//
//   - It refuses forbidden and quarantined tools before anything is sent.
//   - It makes the dry run that a tool requires, and uses its token for the
//     call.
//   - Before a call that must be confirmed, it shows the arguments to a person,
//     and relays the answer to the server. It opens pages that a person must
//     visit. See [Host].
//   - It waits as long as the server demands and repeats the call, within
//     bounds. Every attempt has the same idempotency key.
//   - If the connection is lost, it repeats the call only if the contract rules
//     out a second effect. Otherwise it looks up what became of the call, if
//     the server has named its operation, and reports what it knows in a
//     FatalError. See [Agent.Operation].
//   - It checks the result's size, and the result against the output schema,
//     and labels it for a prompt according to its trust; see [Result.Prompt].
//
// All that is known about a tool without a contract is its hints. Whatever the
// hints leave out counts as the stricter value, a person confirms each call
// that may write, and a lost call is never repeated. See
// [Options.TrustedHints].
//
// # Deciding, and continuing after a restart
//
// A [Policy] decides what a host does with a call: run it, ask a person, ask
// for a typed word, or refuse it. It gives the reason in words.
//
// A [SentCall] is a call in a form that can be stored. With it, [Continue]
// makes the call again in another process, with the same key, if that is safe.
// If not, it looks up what became of the call.
//
// The model loop is not part of the package, because each host has its own. The
// example agentloop has one to copy, with state from which a run continues
// after a restart.
//
// # Deviations and limits
//
// A server can lie in its contract. The agent refuses contracts that contradict
// themselves, and calls a tool only under the definition that the decision was
// based on. It cannot know whether a tool that declares itself idempotent
// really is. Nor can it trust what a server says about an operation, so it never
// sends a call again because of that.
//
// Arguments are not validated against the input schema before they are sent.
// The server does that, and its failure lists the violations; a host that wants
// to show them earlier can use [Tool.Violations]. The size of a result is
// checked once the client has received all of it. Package client bounds each
// message; a transport of your own must bound its messages itself.
//
// The package is experimental until v1.
package agent
