// Package compat compares a server's contracts between two versions.
//
// Take a [Snapshot] of the tools, check in its [Snapshot.Text], and compare the
// next version with it:
//
//	recorded, err := compat.ParseSnapshot(text)
//	built, err := compat.NewSnapshot(tools...)
//	for _, change := range compat.Diff(recorded, built) {
//		fmt.Println(change)
//	}
//
// In a server's tests, contracttest.Golden does all of this.
//
// # Classes and downgrades
//
// [Diff] classifies every [Change] by the part of the version number that it
// requires you to raise: [Patch], [Additive] (MINOR) or [Breaking] (MAJOR).
// Separately, it marks a change as a downgrade if the contract declares less
// care or protection than before, and as unknown if its direction cannot be
// determined. Unknown changes count as breaking. [Kinds] is the table of all
// rules with their classes and reasons. In short:
//
//	what                                more, stricter        less, weaker
//	tools, names, aliases               additive              breaking
//	titles, descriptions, other words   patch                 patch
//	risk, effect, side effects, trust   breaking              additive, downgrade
//	confirmation, step-up, permissions  breaking              additive, downgrade
//	idempotency, dry run                additive if optional  breaking, downgrade
//	rate, time, sizes, concurrency      breaking if tighter   additive if wider, downgrade
//	what the input accepts              additive              breaking
//	what the output allows              breaking              additive
//	defaults filled into the input      breaking              breaking
//	sensitive, secret, review fields    patch                 additive, downgrade
//
// [Weaker] reports downgrades alone, for an author's own tools and for what
// someone else's server claims. Adapters and gateways use it while they serve.
//
// # Versions
//
// [CheckVersions] reports the tools whose version was not raised far enough.
// Its comment has the rule, including 0.x and pre-releases. An alias may be
// removed in the next version that may break callers: see [RemovableFrom].
//
// Values of this package are plain data, safe for concurrent use unless one is
// being changed.
package compat
