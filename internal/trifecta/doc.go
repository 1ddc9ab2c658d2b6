// Package trifecta finds tools that together can leak private data: one reads
// untrusted data, one reads private data, and one sends data out. A stranger's
// text that the first returns can then instruct a model to read with the second
// and send with the third.
//
// [Find] takes the contracts of the tools that one model can call: those of a
// server, or of all servers behind a gateway. A tool that sends should ask a
// person about every call; [Combination.Unconfirmed] has the tools that do not.
// guard.WithTrifectaConfirmation makes that a condition for serving the tools.
//
// # Limits
//
// The report covers only what contracts declare: the clauses reads and sends,
// and what follows from contentTrust, effect and sideEffects. The package does
// not see
//
//   - the data: which of it flows through the model, and whether it does;
//   - other servers and other tools of the host, such as a browser or a shell;
//   - results of tools that declare neither public nor private data; see
//     [Combination.Undeclared];
//   - private data that the person or the host puts into the conversation;
//   - the arguments: what a tool may do for some of them counts for all. If a
//     contract can waive the confirmation for some arguments
//     (contract.Builder.Resolve), not every call is confirmed.
package trifecta
