// Package contracttest helps tool authors test their contracts. Its neighbor,
// package verify, calls the handlers and compares what they do with their
// contracts. Two functions are enough to start with.
//
// [Check] finds clauses that are missing or do not fit together:
//
//	func TestContracts(t *testing.T) {
//		contracttest.Check(t, Search, Send) // all tools of the server
//	}
//
// [Golden] compares the contracts with a checked-in snapshot, and finds changes
// that the versions do not announce:
//
//	func TestSnapshot(t *testing.T) {
//		contracttest.Golden(t, "testdata/contracts.json", Search, Send)
//	}
//
// [CheckHosts] finds what hosts such as Codex and VS Code do with the tools.
//
// # More techniques
//
// [Inspect] returns the findings of Check as an [Inspection], to print or
// store. [MCPFirst] judges contracts by the MCP-first standard, and [AISVS] by
// OWASP's requirements for agents and MCP.
//
// A [Client] calls tools under a guard, with principals, idempotency keys, dry
// runs, and people who answer questions.
//
//	c := contracttest.NewClient(t, tools).As(contract.Principal{Subject: "anna"})
//	r := c.Answering(contracttest.Approve).Call("emails.send", SendInput{To: "ben@example.org"})
//	if r.Outcome.Status != contract.StatusOK {
//		t.Fatal(r.Text)
//	}
//
// # Rules
//
// Build already refuses contracts that are wrong on their own. These are the
// rules that Check adds; [Demands] returns them with their remedies. Errors
// fail a test; warnings and infos are logged.
//
//	error   tools.none, tool.nil    there is nothing to inspect
//	        accept.reason           an acceptance without a reason
//	        accept.stale            an acceptance without a finding
//	        serve.refused           an adapter would not list the tool
//	        name.duplicate          two tools with one name
//	        name.length             a name over 64 characters, which hosts refuse
//	        alias.shadow            an alias that is another tool's name or alias
//	        deprecated.future       deprecated since a later version
//	        deprecated.replacement  replaced by a deprecated or forbidden tool
//	        trust.undeclared        no trust in results
//	        sideEffects.missing     a write without a side effect
//	warning name.collision          two names that are one with underscores
//	        name.domain             names without a domain, once for a server
//	        trifecta.unconfirmed    tools that can leak private data together, once
//	        title.missing           no title, which the Claude directory demands
//	        deprecated.successor    deprecated without a replacement or a note
//	        hints.explicit          a hint that follows from an undeclared clause
//	        risk.external           external and irreversible below critical
//	        sideEffects.onRepeat    a write whose repetition is not described
//	        dryRun.bulk             a critical tool with a list and no dry run
//	        failures.missing        a write without failures of its own
//	        timeout.missing         external effects without a timeout
//	        input.undocumented      an input field without a description
//	        input.untyped           an input field that may hold anything
//	        input.open              an input object that accepts unnamed members
//	        patterns.unchecked      a pattern that nothing checks
//	        keywords.unknown        a schema keyword that nothing checks
//	        output.blob             an output field that may hold anything
//	        cost.tokens             more than 2000 tokens in tools/list
//	info    name.dots               names with dots, once for a server; some
//	                                hosts refuse a server that lists them
//	        effect.verb             a read-only tool named delete, send, pay …
//	        permissions.undeclared  no permissions, and no reason why
//	        confirmation.waived     a tool at high that asks nobody
//	        stepUp.critical         a critical tool without a step-up
//	        idempotency.none        a write whose repetition acts again
//	        reconcile.missing       a managed write that is critical or reaches out,
//	                                and whose lost calls nobody can ask about
//	        dryRun.critical         a critical tool without a dry run
//	        output.untyped          a result that is only text
//	        output.unchecked        JSON without a schema, once for a server
//
// # Guarantees
//
//   - Only a [Client] calls handlers and other functions of a contract.
//   - The same tools give the same report, in any order.
//   - Only [Golden] writes files, and only if CONTRACTTEST_UPDATE or the
//     package's own flag -update is set. An update never skips the checks of
//     versions and reasons.
//   - Everything here is safe for concurrent use, except two calls of Golden
//     with the same path.
//   - A Client uses no network and does not sleep, so it works in a
//     testing/synctest bubble.
//
// # Deviations and limits
//
//   - What hosts demand comes from their public issue trackers, and what tool
//     directories demand from their checklists, as of 2026. Except for the dot,
//     Build refuses every character that a host could refuse.
//   - The four hints are always on the wire. hints.explicit reports hints that
//     follow from undeclared clauses. Only package verify compares a hint with
//     the handler.
//   - effect.verb reads English names, and cost.tokens is an estimate: check
//     before you change anything.
//   - [Golden] compares with the last recorded contracts, not with the last
//     release, so between two releases every recorded change raises the
//     version. Deleting the snapshot, or editing it by hand, passes the test,
//     but shows in review.
package contracttest
