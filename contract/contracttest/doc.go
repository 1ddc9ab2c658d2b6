// Package contracttest is for the go test of who writes tools: it finds what contracts leave out, and holds what changes
// in them to their versions.
//
//	func TestContracts(t *testing.T) {
//		tools := []*contract.Tool{Add, Send} // all tools of the server
//		contracttest.Check(t, tools...)
//		contracttest.Golden(t, "testdata/contracts.json", tools...)
//	}
//
// What is wrong in itself, Build has refused before: a contradiction, a typo in a tag. [Check] is about what is missing
// or does not fit together, by the rules below; [Inspect] returns the same as a [Report], for a tool that prints or
// stores it. [Golden] is about time: it compares the contracts with a snapshot that is checked in. [MCPFirst] judges them
// by the MCP-first standard and says what contracts cannot show.
//
// # Rules
//
// [Rules] has each with its remedy. An error fails a test, a warning and an info are logged.
//
//	error    tools.none, tool.nil        there is nothing to inspect
//	         accept.reason, accept.stale an acceptance without a reason, or of nothing
//	         serve.refused               mcpgo would not list the tool
//	         name.duplicate              two tools of one name
//	         name.length                 a name that hosts refuse: over 64 characters
//	         alias.shadow                an alias that is another tool's name or alias
//	         deprecated.future           deprecated since a version that is yet to come
//	         deprecated.replacement      replaced by itself, or by what is deprecated or forbidden
//	         trust.undeclared            no trust in what is returned
//	         sideEffects.missing         a write without a side effect
//	warning  name.collision              two names that are one where dots are underscores
//	         name.domain                 a name without a domain
//	         title.missing               no title, which the Claude directory demands
//	         deprecated.successor        deprecated, and nothing said of what to use
//	         hints.explicit              a hint that follows from what is not said
//	         risk.external               external and irreversible below critical
//	         sideEffects.onRepeat        a write that is not idempotent, and nothing said of repetitions
//	         dryRun.bulk                 a critical tool takes a list and cannot be tried
//	         failures.missing            a write without failures of its own
//	         timeout.missing             external effects without a timeout
//	         input.undocumented          an input field without a description
//	         input.untyped, output.blob  a field that may hold anything
//	         cost.tokens                 more than [MaxTokens] in tools/list
//	info     name.dots                   a name with dots, which some hosts refuse
//	         effect.verb                 a read-only tool that is called delete, send, pay …
//	         permissions.undeclared      anybody may call, and nothing says why
//	         confirmation.waived         a tool at high that asks nobody
//	         stepUp.critical             a critical tool without a step-up
//	         idempotency.none            a write that a repetition does again
//	         dryRun.critical             a critical tool that cannot be tried
//	         output.untyped              a result that is text alone
//
// # Guarantees
//
//   - No handler, and no other function of a contract, is called.
//   - The same tools give the same report, in whatever order they are given.
//   - Nothing is written but by [Golden], and by it only where [UpdateEnv] or a flag -update of the package itself says so;
//     an update never waives a version or a reason.
//   - Everything here is safe for concurrent use, except two Golden of one path.
//
// # Deviations and limits
//
//   - What hosts refuse is from their public issue trackers, and what directories demand from their checklists, as of
//     2026. Characters other than dots that a host could refuse do not pass Build.
//   - The four hints are derived and always written, so none can be missing on the wire; hints.explicit says which are
//     guessed. That a hint is true of the handler is the author's word.
//   - effect.verb reads English names, and cost.tokens an estimate: neither is more than a reason to look.
//   - [Golden] compares with the last recorded contracts, not with the last release: between two releases every recorded
//     change raises the version. Who deletes or edits the snapshot by hand passes, and shows it in review.
package contracttest
