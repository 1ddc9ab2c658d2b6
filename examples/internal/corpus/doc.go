// Package corpus records what the example servers show to the outside, byte for
// byte, and replays it as a test. It has no code of its own outside the tests.
//
// The corpus pins four things:
//
//   - answers: every byte that a client reads over stdio and over streamable
//     HTTP, in both protocol versions, with HTTP status and headers
//   - audit logs: the file that -audit writes, and the log lines on stderr
//   - command lines: stdout, stderr and exit code, also of -verify-audit
//   - stored data: snapshots of contracts with their digests, and the keys and
//     fields that a shared store holds
//
// # Files
//
// A script in testdata/scripts names a server and the requests for it. It runs
// once for each transport and protocol version that it names, each time against
// a new process. Without TOOLCONTRACT_LONG=1 only one of its runs is compared.
// The recording of one run is testdata/recordings/SCRIPT/RUN.txt. Lines that
// begin with ">" were sent and lines that begin with "<" were received. The
// audit log and stderr stand at the end. script_test.go describes the commands
// of a script.
//
// # Update
//
// To add a case, add a line to a script and record it:
//
//	go test ./examples/internal/corpus -update
//	git diff examples/internal/corpus/testdata
//
// A recording that changes without a change of its script is a change that
// clients or operators see. Record it only if that is intended.
//
// # The official SDK
//
// TestTwin plays the scripts of calculator, emails, files and invoices again,
// with -sdk official. Each answer must be equal to the recorded one, or equal
// except for the order of keys, or differ for one of the listed reasons.
//
// # Masks
//
// Values that differ in each run are replaced by placeholders. A placeholder is
// numbered by first appearance within a recording, so that equal values stay
// visible: call ids, ids of drafts, emails, links and sessions, sealed states,
// dry-run tokens, cursors, access tokens, addresses of approvals, and keyed
// digests of arguments. Times, durations, ports, hashes of the audit chain, the
// local user and temporary directories have one placeholder each. A delay is
// masked only if it is that of a rate limit. Lookup keys are masked over stdio,
// because they depend on the local user, and for examples/oauth, because they
// depend on its port. Elsewhere only the half that comes from the nonce of a
// question is masked. Everything else is compared as it is, in
// particular contract digests, the order of keys and all texts.
//
// Records of the audit log are sorted by call and then by event, because an
// intent is written at once and the other events through a queue. Before that,
// the test checks that each record has the hash of the one before it.
package corpus
