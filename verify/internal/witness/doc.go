// Package witness observes what a handler did: the files it created, wrote,
// removed or renamed, the addresses it connected to, the programs it started.
//
// [Run] gives a test a [Recorder], and each [Recorder.Window] returns the
// events of one run of a handler. There are three witnesses:
//
//   - The kernel, on Linux amd64 and arm64. The test runs again in a child
//     process under a seccomp filter, and the kernel notifies the parent of
//     each call that has an effect. It sees all goroutines, programs that the
//     handler starts, and attempts whose error the handler ignores. It needs no
//     privileges and no cgo.
//   - A folder, on every system: [Tree] compares a folder before and after.
//   - HTTP requests, on every system: [Requests] records method and host.
//
// A witness sees some effects and misses others, so an observation without
// effects is not a proof. [Result.Unseen] describes its limits for the report.
// A witness observes code that cooperates; it is not a sandbox.
package witness
