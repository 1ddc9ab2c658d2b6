// Package verify compares what handlers do with what their contracts declare.
// It is for tests. To check contracts without calling handlers, use package
// contracttest.
//
// [Tool] calls a tool and compares what it observes with what the contract
// declares. It finds a read-only tool that writes, an idempotent tool that acts
// twice, and a failure that was never declared:
//
//	func TestSearch(t *testing.T) {
//		verify.Tool(t, Search) // inputs are drawn from the schema
//	}
//
// [CheckIdempotency] makes concurrent calls with few keys while handlers and
// the store fail. [Observe] returns what Tool concludes as an [Observation].
// [Claims] lists what is judged.
//
// Package verify/fuzz calls tools with many inputs, and in sequences. [Replay]
// repeats the calls of a failure it found.
//
// Packages verify/failurecheck and verify/effectcheck compare the source of
// handlers with their contracts. Package verify/storetest checks stores and
// audit sinks.
//
// # Guarantees
//
//   - Every call is made under a guard, as on a server.
//   - Nothing in this package writes files of its own.
//   - Everything here is safe for concurrent use.
//   - Tool waits for handlers, so it does not work in a testing/synctest
//     bubble.
//
// # Deviations and limits
//
//   - Nothing here is a proof. A handler that keeps its contract in some calls
//     may break it in others, and every witness has blind spots, which
//     [Observation].Unseen lists.
package verify
