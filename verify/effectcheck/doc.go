// Package effectcheck compares what the source of a tool can reach with its
// contract: a read-only tool that can write files, a dry run or a precheck that
// can send a PUT, a tool with internal effects that can connect elsewhere.
//
//	func TestEffects(t *testing.T) {
//		effectcheck.Check(t, tools...) // all tools of the server
//	}
//
// It takes the name of each handler from the built tool, and loads the source
// of its package with all imports. Then it follows the calls from the handler,
// from the dry run and from the precheck. It calls no handler. It runs the go
// command, so it runs if the source is there: in a test of the server.
//
// # Conclusions
//
// Each [Effect] is one [Capability] with one [Conclusion], and the shortest
// chain of calls that shows it, with files and lines.
//
//	contradicted  the source can do what the contract excludes
//	unknown       the source can do something whose effect it does not show
//	consistent    nothing was found that the contract excludes
//
// Contradicted and unknown fail the test. There are four rules:
//
//	readonly.effect  a read-only tool can write, or can do something unknown
//	dryrun.effect    a dry run can write, or can do something unknown
//	precheck.effect  a precheck can write, or can do something unknown
//	reach.external   a tool with internal side effects can leave the system
//
// A fifth, source.missing, is about a function whose source was not found.
//
// The capabilities are those of capslock, with these refinements. Files are
// read or written, by the function, or by the flag of os.OpenFile. Requests of
// package net/http count by their method, and statements of package
// database/sql by their words, if the source shows them. A POST is unknown in a
// read-only tool, because it can be a query. So is a SELECT that has several
// statements, a function that is not known to be pure, or a text that is made
// elsewhere. A started program, a call by reflection, cgo, and a database
// driver are unknown too. Logs are no effect: what packages log and log/slog
// write, and what any package writes to os.Stdout and os.Stderr.
//
// # Allowances
//
// An author who knows more gives a reason, which stays in the source:
//
//	report, err := effectcheck.Analyze(tools)
//	...
//	report.Allow("NETWORK/POST", "The search of the index is a POST.", "mail.search").
//		Assert(t)
//
// An allowance that nothing needs fails the test. [WithFunction] declares what
// a function of a dependency does.
//
// [Analysis.Capabilities] is for the member Capabilities of a compat.Snapshot.
// A tool that begins to reach more then fails contracttest.GoldenSnapshot, even
// if its contract permits it.
//
// # What it cannot see
//
//   - Memory: a handler that changes a variable or a map.
//   - What a view, an operator or a type of a database calls.
//   - Where a request goes, what a server does with a GET, and what a program
//     does that is started.
//   - Which of several branches runs. A call that never happens counts.
//   - Methods that only reflection calls, such as MarshalJSON of a result, and
//     methods called Error of errors.
//   - Arguments of functions of the standard library that it cannot follow to
//     their origin, and constructors of a sync.Pool.
//   - Other functions of a contract, such as those of Authorize and Resolve.
//   - Packages that are not loaded. An implementation that only the command
//     imports needs [WithPackages].
//   - Which tool is meant, if a helper wraps the handlers of several tools in
//     one function literal. The conclusion is then unknown, and [WithHandler]
//     names the functions.
//
// # Cost
//
// An analysis loads the standard library and all imports of a server, which
// takes most of its time and often more than a gigabyte of memory; each tool
// then adds little. Measure both for a server with
//
//	/usr/bin/time -v go test -run=TestEffects
//
// While it runs, it lowers the soft memory limit of the process; see
// [runtime/debug.SetMemoryLimit]. Analyze one server at a time.
package effectcheck
