// Package guard enforces contracts: every call of a tool goes through a
// pipeline that holds the caller, the arguments, the handler and its result to
// the tool's contract. It knows no transport and no MCP SDK; package mcpgo puts
// it in front of a server of mark3labs/mcp-go.
//
//	g, err := guard.New(guard.WithPrincipal(principalFromContext), guard.WithAudit(sink))
//	tools, err := g.Protect(add, send)
//	result, err := tools.Call(ctx, guard.Request{Tool: "calc.add", Arguments: raw})
//
// # Order
//
// The contract of a tool decides once which of these stages it needs. The file
// pipeline.go has them as data, in this order. Audit and Complete act after all
// other stages, whatever ended the call.
//
//   - Audit writes one terminal event.
//   - Complete records how a managed call ended, whether or not its caller
//     still listens.
//   - Lookup finds the principal. A forbidden tool does not exist for an agent.
//   - OpenState opens the state that a client carries from a question, if the
//     tool may ask one. A state of another call ends the call with
//     [ErrRejectedState].
//   - Authenticate refuses invalid credentials, and anonymous callers of a tool
//     that needs a principal.
//   - Admit checks permissions, then the rate limits, then the form and size of
//     the call. It comes before Validate, so that no one learns anything of a
//     tool that they may not use, and so that a flood of invalid calls meets
//     the limit.
//   - Validate reads the arguments strictly, fills in defaults, and holds them
//     to the input schema. The handler gets exactly what was validated.
//   - Resolve finds out what holds for these arguments, if the tool author
//     declares that it may be less than the contract. A resolution that is
//     stricter than the contract breaks it.
//   - Authorize checks the permissions that these arguments need, and asks the
//     server author's [Authorizer], if there is one.
//   - Budget refuses a call that has failed too often; see [WithRetryBudget].
//     For a managed call that asks no person and needs no preview, Begin does
//     so in the step that claims it. The log has such a refusal under Budget.
//   - Preview answers a dry run, by another function of the tool author. The
//     handler is never entered, no key is looked up, and no person is asked.
//     Its caller is authenticated. A caller that sees the tool and lacks
//     permissions gets their names, and the function does not run. It ends with
//     timeoutMs, or after a minute, and with its caller.
//   - Replay answers a managed call that was made before, if a person would
//     have to be asked: nothing will happen, so no one is.
//   - RequireDryRun holds the call to the token of a preview, if the contract
//     requires one: of this tool under this contract, for this principal and
//     exactly these arguments, given within [WithDryRunTTL].
//   - Confirm has a person agree to the call, or refuses it if no person can be
//     asked.
//   - StepUp holds the caller to an authentication as recent and strong as the
//     contract demands, or sends the person to make one.
//   - Intent, from high risk up, has the audit log durably hold the call before
//     it happens.
//   - Reserve takes one of the concurrency slots of maxConcurrent.
//   - Begin claims a managed call in the store, or answers a call that was made
//     before. A call that finds its agreement spent by another goes back to
//     Confirm. It comes before Intent if the tool may ask a person, because
//     only the claim shows whether this is the call that the person agreed to.
//   - SpendDryRun uses the token of the preview up, unless the claim has done
//     so in the same step. A call that was refused or asked about before keeps
//     it.
//   - Mark records that a claimed call starts, if the tool may ask a person.
//     Otherwise the claim has done so.
//   - Run calls the handler, with its timeout.
//   - CheckResult turns an undeclared error into internal_error, sanitizes the
//     output, and holds it to its schema and size.
//
// # Guarantees
//
// A handler runs only for a caller that holds the contract's permissions, with
// arguments that fit its schema. From low-risk-write up it is detached from the
// caller's cancellation: a client that hangs up decides nothing. A panic, an
// undeclared error, and a result that breaks its schema leave as a code,
// without any of their text. Every function of an author is contained: a panic,
// the end of its goroutine, or no answer in time is a refusal.
//
// # Managed idempotency
//
// While the store is up, a managed tool has at most one execution at a time for
// a key, and the first recorded outcome is replayed until it expires. It is
// never "exactly once":
//
//   - A crash between the effect and its record leaves an unknown outcome. The
//     contract's onUnknown decides what a repetition then does: refuse, until
//     [Guard.ResolveUnknown] or the end of the retention, or run again.
//   - An expired record is none: the same call runs again.
//   - A store that forgets also forgets the promise: a memory store that ends
//     with its process, or a Redis that evicts or loses data. While the store
//     is down nothing runs, except with [WithStoreFailOpen].
//   - The effects of the handler downstream are its own. It may pass on
//     [IdempotencyKey].
//
// The key is made of the declared key fields, else of the client's key if the
// contract takes one, else of all arguments. It belongs to one principal and
// one tool. The same key with other arguments is a conflict.
//
// A success is replayed, and so is a fatal failure. A retryable failure of the
// contract releases the key, unless it declares EffectPossible. These leave the
// outcome unknown: a panic, a timeout, an error that the contract does not
// declare (also one that leaves by OtherErrors), and the end of the process. A
// result that breaks its schema comes after its effect, so it is replayed as
// that failure.
//
// Stored results are always sealed. Each is checked against the current
// contract before it is replayed, and so are the permissions of the caller.
//
// # Asking a person
//
// A question describes what will happen, with which effects, and on whose
// behalf. It shows the arguments that will run, each in a line that no value
// can break out of. Secrets show their length, and omissions are counted. A
// field tagged review is shown whole, or the call is refused. If the tool has a
// dry run, the question also shows its result.
//
// A client of MCP 2026-07-28 gets the question as a result and carries the
// answer in another call, with a sealed state: issue and expiry, server, tool,
// contract, arguments, principal, call id and a nonce. The second call goes
// through every stage again. An answer without its state does not count. A
// state that was altered, or belongs to another call, is [ErrRejectedState]. A
// state that has expired, or is for an earlier contract, is asked again. The
// nonce is spent in the step that claims the call, so that one answer is one
// execution. On a tool without keys the nonce is the key: the same answer again
// gets the one outcome.
//
// An older client is asked within the call, for [WithQuestionTimeout]. At most
// two questions of a session wait at once.
//
// Only accept with the boolean true agrees. A declined question is remembered,
// for ten minutes unless [WithDeclineMemory] sets another time: the same call
// is not asked about again, and after three declined calls of a tool no other
// call of it is. A client that did not declare that it can ask is refused,
// unless there is an approver.
//
// A form proves that the client reports that a person agreed. A client that
// lies, or whose user has it answer by itself, is believed. An older client's
// answer is matched to the question by its session, not by its principal.
//
// # Asking outside the client
//
// With [WithApprover] a person is asked by another way, such as the page of
// package approval, if the client cannot ask. With [WithApproverFrom] that way
// is used even if the client could. The answer is given by a person whom the
// approver has authenticated, and the client has no part in it. The call
// answers confirmation_pending with a delay and an address, which decides
// nothing by itself. The question is sealed in the store, so that any replica
// with the same store and keys shows it, takes the answer, and runs the call.
//
// A question is about one call: server, tool, contract, arguments and
// principal. Repeating the call meanwhile is the same question, with one
// expiry. Agents, anonymous principals, and people of another tenant do not
// decide; [WithDeciders] narrows it further. The first answer counts, and it is
// in the audit log before it does, under the call's id. An approval is spent in
// the step that claims the call, as the answer to a form is: further
// repetitions get the one outcome until the question expires. If there is no
// such outcome (a failure that may be repeated, another idempotency key), they
// are asked about anew. At most ten questions of one principal wait, counted
// since a person last decided one.
//
// # Rate limits
//
// Each principal has a limit for each tool: the contract's rateLimit, else
// [WithRateLimit]. A contract may also limit all callers of a tool together.
// Both are token buckets; see [ratelimit.Bucket]. A refused call gets the time
// after which it would be allowed if no other call came. Invalid calls, replays
// and dry runs count too. Calls of callers that may not use the tool do not.
// The answer to a question is paid for by the call that asked, once. Limits are
// those of one process, unless [WithLimiter] has a shared limiter. The names of
// buckets do not disclose the caller.
//
// # Contracts that depend on the arguments
//
// A tool that does many things may declare for each call that less holds
// ([contract.Resolution]): effect, risk, confirmation and permissions. The
// guard enforces what holds for the call; the question and the audit log have
// it, and [Guard.Effective] returns it beforehand. A caller that holds the
// permissions of discoverWith finds the tool, and may call it if no others are
// needed. Whether the tool is restricted or forbidden, and everything else, is
// as declared.
//
// # Step-up
//
// The authentication that counts is the one that [WithPrincipal] vouches for:
// AuthTime within maxAgeSeconds, by this server's clock, and exactly the ACR.
// Nothing in a request is one.
//
// With [WithStepUp], a client that opens addresses (elicitation in URL mode) is
// sent to a page of the server author, with an id of this call, this principal
// and one use. That the client accepts the address means that it may be opened,
// and nothing more. The page authenticates the person, shows the result of
// [Guard.OpenStepUp], and calls [Guard.CompleteStepUp]. The call then goes on,
// once. A client that accepts waits for that, 20 seconds at a time. A declined
// step-up is remembered, as a declined question is. Other clients get
// step_up_required, which names what is missing.
//
// # Introducing a contract
//
// [WithAuditOnly] has some clauses of a tool below critical audited and not
// enforced, so that the audit log shows which calls they would refuse.
//
// # Deviations and limits
//
// Go cannot end a goroutine from outside. A handler that ignores its context
// runs on after its timeout: its caller has the answer timeout, its end is a
// late event in the audit log, and its concurrency slot stays taken until then.
// If no timeout is declared and [Request].Isolate is not set, such a handler
// also holds its caller.
//
// Sanitizing removes characters, not meaning. Text that a tool passes on can
// still try to talk a model into something, which is why contracts declare
// their content's trust.
package guard
