// Package effectcheck compares what a tool's source can reach with its
// contract. It finds a read-only tool that can write files, a dry run or a
// precheck that can send a PUT, a tool with internal effects that can connect
// elsewhere.
//
//	func TestEffects(t *testing.T) {
//		effectcheck.Check(t, tools...) // all tools of the server
//	}
//
// It takes the name of each handler from the built tool, and loads the source
// of its package with everything it imports. Then it follows the calls from
// the handler, the dry run, the precheck and the function of Reconcile. It
// calls no handler. Because it runs the go command, it needs the source: run it
// in a test of the server.
//
// # Conclusions
//
// Each [Effect] is one [Capability] with one [Conclusion], and the shortest
// chain of calls that shows it, with files and lines.
//
//	contradicted  the source can do what the contract rules out
//	unknown       the source can do something whose effect it does not show
//	consistent    nothing was found that the contract rules out
//
// Contradicted and unknown fail the test. There are five rules:
//
//	readonly.effect   a read-only tool can write, or can do something unknown
//	dryrun.effect     a dry run can write, or can do something unknown
//	precheck.effect   a precheck can write, or can do something unknown
//	reconcile.effect  a reconciliation can write, or can do something unknown
//	reach.external    a tool with internal side effects can leave the system
//
// A sixth, source.missing, is about a function whose source was not found.
//
// The capabilities are those of capslock, with a few refinements. Whether files
// are read or written depends on the function, or on the flag of os.OpenFile.
// Requests of package net/http count by their method, and statements of package
// database/sql by their text, if the source shows them. A POST is unknown in a
// read-only tool, because it can be a query. So is a SELECT that contains
// several statements, calls a function not known to be pure, or is put together
// elsewhere. Starting a program, calling by reflection, cgo, and a database
// driver are unknown too. Logs do not count as effects: neither what packages
// log and log/slog write, nor what any package writes to os.Stdout and
// os.Stderr.
//
// A reconciliation that may answer CannotHappen has to make the system refuse a
// key. Its writes are unknown, because the source does not show that they do
// nothing else. Allow them with a reason.
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
// a dependency's function does.
//
// [Analysis.Capabilities] is for the Capabilities member of a compat.Snapshot.
// A tool that starts to reach more then fails contracttest.GoldenSnapshot, even
// if its contract permits it.
//
// # What it cannot see
//
//   - Memory: a handler that changes a variable or a map.
//   - What a view, an operator or a type of a database calls.
//   - Where a request goes, what a server does on a GET, and what a started
//     program does.
//   - Which of several branches runs. A call that never happens counts.
//   - Methods that only reflection calls, such as a result's MarshalJSON, and
//     methods of errors called Error.
//   - Arguments to standard library functions that it cannot trace to their
//     origin, and constructors of a sync.Pool.
//   - Other functions of a contract, such as those of Authorize and Resolve.
//   - Packages that are not loaded. An implementation that only the command
//     imports needs [WithPackages].
//   - Which tool is meant, if a helper wraps the handlers of several tools in
//     one function literal. The conclusion is then unknown, and [WithHandler]
//     names the functions.
//
// # Cost
//
// An analysis loads the standard library and everything a server imports. That
// takes most of the time and often more than a gigabyte of memory; each tool
// adds little. To measure both for a server, run
//
//	/usr/bin/time -v go test -run=TestEffects
//
// While it runs, it lowers the soft memory limit of the process; see
// [runtime/debug.SetMemoryLimit]. Analyze one server at a time.
package effectcheck
