// Package guard enforces contracts. Every call of a tool goes through a
// pipeline that checks the caller, the arguments, the handler and its result
// against the tool's contract.
//
// Server authors make a guard and hand it to an adapter such as package mcpgo.
// They need nothing else from it:
//
//	g, err := guard.New(
//		guard.WithPrincipal(mcpgo.Bearer(verify)), // who calls
//		guard.WithAudit(sink),                     // what is recorded
//		guard.WithStore(store),                    // what outlives the process
//		guard.WithSealingKeys(key))                // what replicas share
//	...
//	h, err := mcpgo.NewHandler("mail", "1.0.0", g, mcpgo.WithTools(tools...))
//
// Each option has a default that is safe for one process: anonymous callers,
// audit events in the log, a store in memory, a random key. Call [Guard.Close]
// when the server shuts down.
//
// The package depends on no transport and no MCP SDK. Adapters are built on
// package adapter, which can also call tools without an SDK.
//
// For a walk through a call, step by step, see docs/call.md in the repository.
// The rest of this comment is the reference: the order of the stages, the
// guarantees and the limits.
//
// # Order
//
// [Guard.Protect] picks the stages that a tool's contract needs, once per tool.
// The file internal/engine/pipeline.go lists them in this order. On the way
// out, Commit, Session, Budget, OpenState, Complete and Audit act, in
// this order, however the call ended.
//
//   - Audit writes one terminal event.
//   - Complete records how a managed call ended, even if its caller has
//     disconnected.
//   - Lookup finds the principal. For an agent, a forbidden tool does not
//     exist.
//   - OpenState opens the state that a client brings back from a question, if
//     the tool may ask one. State from another call is rejected, and the call
//     has no result. On the way out, if people answered within a call that
//     never began, OpenState keeps their answers for a retry.
//   - Authenticate refuses invalid credentials, and anonymous callers of a tool
//     that needs a principal.
//   - Admit checks permissions, then the rate limits, then the form and size of
//     the call. It comes before Validate, so that callers without permission
//     learn nothing about a tool, and so that a flood of invalid calls hits the
//     limit.
//   - Validate reads the arguments strictly, fills in defaults, and checks them
//     against the input schema. The handler gets exactly what was validated.
//   - Resolve determines the clauses that apply to these arguments, if the tool
//     author declared a function that can weaken the contract. If the function
//     returns a stricter contract, the call fails.
//   - Authorize checks the permissions that these arguments need. It calls the
//     policy of [WithAuthorizer] and that of the tool's author
//     ([contract.Builder.Authorize]), if they exist. Both must allow the call.
//   - Budget refuses a call that has failed too often; see
//     [contract.RetryBudget] and [WithRetryBudget]. If a managed call may have
//     an effect, asks no person and needs no preview, Begin checks the budget
//     when it claims the call. The audit log names the stage Budget either way.
//     On the way out, Budget counts a failure. If that exceeds the budget and
//     the handler did not run, Budget replaces the result.
//   - Preview answers a dry run by calling the tool author's dry-run function.
//     The handler does not run, no key is looked up, and no person is asked.
//     The caller must be authenticated. If the caller sees the tool but lacks
//     permissions, the answer names them and the function does not run. The
//     function ends after timeoutMs, by default a minute, or when its caller
//     disconnects.
//   - Replay answers a managed call that was made before, so that nobody is
//     asked about a call that will not run.
//   - RequireDryRun refuses a call without a preview's token, if the contract
//     requires one. The preview must be of this tool under this contract, for
//     this principal and exactly these arguments, and not older than
//     [Times.DryRunTTL].
//   - Precheck ends a call that the tool author's function knows would fail.
//     Nobody is asked, and nothing has happened; see
//     [contract.Builder.Precheck].
//   - Session counts the call in its principal's session, if the guard has
//     [WithSessionBound]. On the way out, it drops a call whose handler did
//     not start.
//   - Confirm asks a person to approve the call, or refuses it if no person can
//     be asked.
//   - StepUp requires an authentication as recent and as strong as the contract
//     demands, or sends the person to authenticate again. If the call waited
//     for a person, here or in Confirm, the guard then checks its caller again:
//     it calls the [PrincipalSource], checks the permissions, and authorizes
//     the caller.
//   - Intent, from high risk up, writes the call durably to the audit log
//     before it happens. It does the same for a medium-risk write if the store
//     outlives the process. It refuses a medium-risk call while the audit log
//     cannot be written; see [AuditLoss].
//   - Reserve takes one of the concurrency slots of maxConcurrent.
//   - Begin claims a managed call in the store, or answers a call that was made
//     before. If another call has spent the person's approval, the call goes
//     back to Confirm. It comes before Intent if the tool may ask a person,
//     because only the claim shows whether this is the call that the person
//     agreed to.
//   - SpendDryRun spends the preview's token, unless the claim has already
//     spent it. A call that an earlier stage ended leaves the token unspent.
//   - Mark records that a claimed call is starting, if the tool may ask a
//     person. For other tools, the claim has already recorded it.
//   - Run calls the handler, with its timeout.
//   - CheckResult turns an undeclared error into internal_error, sanitizes the
//     output, and checks its schema and size.
//   - Commit is for an atomic tool. After a success it commits what the handler
//     wrote, together with the record. Otherwise it undoes what the handler
//     wrote.
//
// # Guarantees
//
// A handler runs only for a caller that holds the contract's permissions, with
// arguments that fit its schema. From low-risk-write up, it keeps running when
// the caller disconnects, because a disconnect is not a decision. If a write
// fails after its handler began, the failure's text says that effects may have
// happened, unless the failure is declared without EffectPossible. Failures of
// reads, dry runs and atomic tools never have that text.
//
// After a panic, an undeclared error or a result that breaks its schema, the
// caller gets only a code, and none of the original text. The guard contains
// every function that a server author or a tool author supplies: if it panics,
// ends its goroutine or takes too long to answer, the call is refused.
//
// # Managed and keyed idempotency
//
// While the store is up, a managed or keyed tool has at most one execution at a
// time for a key, and the first recorded outcome is replayed until it expires.
// An atomic tool ([contract.Idempotency]) commits its effect together with its
// record. While the record exists, the effect happens at most once, and no
// outcome is unknown. The guarantee has these limits. The first does not apply
// to an atomic tool; the others apply to every tool:
//
//   - A crash between the effect and its record leaves an unknown outcome. If
//     the contract has a function that asks the system behind the handler
//     ([contract.Builder.Reconcile]), a repeated call finds out. Otherwise it is
//     refused, until [Guard.ResolveUnknown] is called or the retention ends. It
//     runs again only if the contract declares a rerun with onUnknown.
//   - Once a record has expired, the same call runs again. Records expire
//     sooner if all arguments are the key; see [contract.Idempotency].
//   - If the tool author's function decides that a recorded success no longer
//     holds ([contract.Builder.ReplayWhile]), or if a handler forgot it
//     ([Forget]), the same call runs again. It is then another operation, with
//     another [IdempotencyKey] and another [OperationID].
//   - The guarantee ends if the store loses records: a memory store when its
//     process ends, or a Redis that evicts or loses data. While the store is
//     down, nothing runs, except with [WithStoreFailOpen].
//   - The guard cannot deduplicate effects in the systems behind the handler.
//     The handler can pass [IdempotencyKey] to them.
//
// The key of a managed call is computed from the declared key fields, or else
// from the client's key if the contract takes one, or else from all arguments.
// The key of a keyed call is the client's. A keyed call without a key is not
// deduplicated, and runs again. A key belongs to one principal and one tool.
//
// A replay returns the recorded result, unchanged. The guard adds a text with
// the time of the recorded call, so that a model does not think the call ran
// again.
//
// How a call ended decides what happens to a later call with the same key:
//
//	the call ended with                              the same arguments    other arguments
//	a success, or output_invalid                     replayed              conflict
//	result_too_large of a read                       run                   run
//	result_too_large of a write                      replayed              conflict
//	a declared retryable failure                     run                   run
//	a declared fatal failure                         replayed              run
//	an error result of a wrapped tool, or an error   outcome_unknown       run
//	  that OtherErrors returns
//	a retryable failure with EffectPossible          outcome_unknown       conflict
//	a fatal failure with EffectPossible              replayed              conflict
//	a panic, a timeout, the end of the process,      outcome_unknown       conflict
//	  any other error
//
// If the contract declares a rerun with onUnknown, a call runs wherever the
// table says outcome_unknown. A call that runs with other arguments takes over
// the key. The outcome of the earlier arguments stays unknown until
// [Guard.ResolveUnknown] resolves all of them. A key remembers at most 64 such
// calls; after that, calls with other arguments get idempotency_key_conflict.
//
// If a result breaks its schema or the size limit, the effect has already
// happened, so the failure is replayed.
//
// Stored results are always sealed. Before a replay, the result is checked
// against the current contract, and the caller is authorized again.
//
// # Asking a person
//
// A question describes what will happen, with which effects, and on whose
// behalf. It shows the arguments that the call will run with, one per line,
// whatever their values. A character that would make a link in Markdown is
// written as a JSON escape. The question shows only the length of a secret, and
// says how many arguments it leaves out. A field tagged review is shown whole,
// or the call is refused. If the tool has a dry run, the question also shows
// its result. The tool author can add a sentence ([contract.Builder.Question]),
// which is marked as the tool's words.
//
// A client of MCP 2026-07-28 gets the question as a result and sends the answer
// in another call, with a sealed state. The state holds its times of issue and
// expiry, the server, the tool, the contract, the arguments, the principal, the
// call ID, the word to type and a nonce. The second call goes through every
// stage again. An answer without its state does not count. A state that was
// altered, or that belongs to another call, is rejected, with the same error
// for every cause. If the state has expired or is for an earlier contract, the
// question is asked again. Claiming the call also spends the nonce, in one
// step, so one answer allows one execution. If the tool is not managed, the
// nonce is the key: sending the same answer again returns the same outcome.
//
// An older client is asked within the call, which waits for at most
// [Times.QuestionTimeout]. A session has at most two questions waiting at once.
//
// Only the action accept with the boolean true approves a call. If the contract
// demands a typed confirmation, only the action accept with the word of the
// question does; see [contract.Builder.ConfirmTyping].
//
// A declined question is remembered for [Times.DeclineMemory]. Until then, the
// same call is refused without a question. After three declined calls of a
// tool, so is every call of the tool that needs a question. If a client has not
// declared that it can ask a person, its call is refused, unless there is an
// approver.
//
// A form proves only that the client reports an approval. The guard cannot
// detect a client that lies, or that answers by itself because its user has
// allowed that. An older client's answer is matched to the question by its
// session, not by its principal.
//
// # Deviations and limits
//
// Go cannot end a goroutine from outside. A handler that ignores its context
// runs on after its timeout. Its caller gets the code timeout, and its
// concurrency slot stays taken until it ends. When it ends, the audit log gets
// a late event. If no timeout is declared, such a handler also blocks its
// caller, unless the adapter isolates handlers.
//
// Handlers share goroutines, one after the other, as net/http's do. A handler
// that calls runtime.LockOSThread must unlock the thread before it returns.
//
// Sanitizing removes characters, not meaning. Text that a tool passes on can
// still try to persuade a model. That is why contracts declare how far their
// content can be trusted.
package guard
