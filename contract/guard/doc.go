// Package guard keeps contracts: every call of a tool goes through a pipeline
// that holds the caller, the arguments, the handler and its result to what the
// tool's contract says. It knows no transport and no MCP SDK; package mcpgo
// puts it in front of a server of mark3labs/mcp-go.
//
//	g, err := guard.New(guard.WithPrincipal(principalFromContext), guard.WithAudit(sink))
//	tools, err := g.Protect(add, send)
//	result, err := tools.Call(ctx, guard.Request{Tool: "calc.add", Arguments: raw})
//
// # Order
//
// The stages of a tool are chosen once, by its contract:
//
//		Call = Audit( Complete( Lookup → OpenState → Authenticate → Admit → Validate → Resolve → Authorize → Budget →
//			Preview → Replay → RequireDryRun → Confirm → StepUp → Intent → Reserve → Begin → SpendDryRun → Run → CheckResult ) )
//
//	  - Lookup finds the principal. A forbidden tool does not exist for an agent.
//	  - OpenState opens what a client carried from a question, where the tool may
//	    ask one: a state that is not its own ends the call with [ErrRejectedState].
//	  - Authenticate refuses credentials that are not valid, and anonymous
//	    callers of a tool that needs a principal.
//	  - Admit checks permissions, then how often the tool was called, then the form
//	    and size of the call. It stands before Validate, so that nobody learns
//	    anything of a tool they may not use, and floods of calls that are not valid
//	    meet the limit.
//	  - Validate reads the arguments strictly, fills in defaults, and holds them
//	    to the input schema; the handler gets exactly what was validated.
//	  - Resolve finds out what holds for these arguments, where the author says that
//	    it may be milder than what is declared. Wilder is a broken contract.
//	  - Authorize checks the permissions that are needed for these arguments, and
//	    asks the author's [Authorizer], if there is one.
//	  - Budget refuses a call that has failed too often, see [WithRetryBudget]. A
//	    managed call that nobody is asked about and that needs no preview is held to
//	    it by Begin, in the step that claims it; the log has it under Budget.
//	  - Preview answers a dry run, by the author's other function: the handler is
//	    never entered, no key is looked up, nobody is asked. Its caller is
//	    authenticated. One who sees the tool and lacks permissions is told which;
//	    the function does not run then. It ends with timeoutMs, or after a minute,
//	    and with its caller.
//	  - Replay answers a managed call that was made before, where a person would
//	    have to be asked: nothing will happen, so nobody is.
//	  - RequireDryRun, where the contract does, holds the call to the token of a
//	    preview: of this tool under this contract, for this principal and exactly
//	    these arguments, given within [WithDryRunTTL].
//	  - Confirm has a person agree to the call, or refuses it where the client
//	    cannot ask one.
//	  - StepUp holds the caller to an authentication as recent and strong as the
//	    contract says, or sends the person to make one.
//	  - Intent, from high up, has the audit log durably hold the call before it
//	    happens.
//	  - Reserve takes one of the places of maxConcurrent.
//	  - Begin claims a managed call in the store, last before its handler, or
//	    answers one that was made before. A tool that may ask claims before its
//	    intent, and says in the record (Mark) after it that it starts: only the
//	    claim tells whether this is the call that a person agreed to.
//	  - SpendDryRun uses the token up, unless the claim has done so in one step: a
//	    call that was refused or asked about before keeps it.
//	  - Run calls the handler, with its timeout.
//	  - CheckResult turns an undeclared error into internal_error, sanitises the
//	    output, and holds it to its schema and size.
//	  - Complete records how a managed call ended, whoever still listens.
//	  - Audit writes one terminal event, whatever ended the call.
//
// # Guarantees
//
// A handler runs only for a caller that holds the contract's permissions, with
// arguments that fit its schema. From low-risk-write up it is detached from the
// caller's cancellation: a client that hangs up decides nothing. A panic, an
// error that is not declared, and a result that breaks its schema leave as a
// code, with nothing of their text. Every function of the author's is contained:
// a panic, the end of its goroutine, or no answer in time is a refusal.
//
// # Managed idempotency
//
// While the store is up, a managed tool has at most one execution at a time for
// a key, and the first recorded outcome is replayed until it expires. It is never
// "exactly once":
//
//   - A crash between the effect and its record leaves an outcome that nobody
//     knows. The contract's onUnknown says what a repetition then does: refuse,
//     until [Guard.ResolveUnknown] or the end of the retention, or run again.
//   - An expired record is none: the same call runs again.
//   - A store that forgets (a memory store that ends with its process, a Redis
//     that evicts or loses data) forgets the promise. While the store is down
//     nothing runs, unless [WithStoreFailOpen] says otherwise.
//   - What the handler does downstream is its own: it may pass on
//     [IdempotencyKey].
//
// The key is made of the declared key fields, else of the client's key where the
// contract takes one, else of all arguments; for the principal and the tool
// alone. The same key with other arguments is a conflict.
//
// A success is replayed, and so is a fatal failure. A retryable failure of the
// contract's releases the key, unless it says EffectPossible. A panic, a timeout,
// an error that the contract does not declare (also one that leaves by
// OtherErrors) and the end of the process leave the outcome unknown. A result
// that broke its schema was preceded by its effect, and is replayed as the
// failure that it was.
//
// Stored results are sealed, always. Each is checked against the contract of the
// day before it is replayed, and the permissions of the caller too.
//
// # Asking a person
//
// The question says what will happen, with which effects, on whose behalf, and
// shows the arguments that will run, each in a line that no value can break out
// of. Secrets show their length; what is cut is counted; a field tagged review is
// shown whole, or the call is refused. Where the tool has a dry run the question
// also shows what it says.
//
// A client of MCP 2026-07-28 gets the question as a result and brings the answer
// in another call, with a sealed state: issue and expiry, server, tool, contract,
// arguments, principal, call id and a nonce. The second call goes through every
// stage again. An answer without its state is none; a state that was altered, or
// is another call's, is [ErrRejectedState]; one that has expired, or is for an
// earlier contract, is asked again. The nonce is spent in the step that claims the
// call, so that one answer is one execution, and on a tool without keys it is the
// key: the same answer again gets the one outcome.
//
// An older client is asked within the call, for [WithQuestionTimeout], and at
// most two questions of a session wait at once.
//
// Exactly accept with the boolean true is a yes. A no is remembered for ten
// minutes: the same call is not asked about again, and after three of them the
// tool is not. A client that did not declare that it can ask is refused, unless
// there is an approver.
//
// A form proves that the client says that a person agreed. A client that lies, or
// whose user has it answer by itself, is believed; and an older client's answer
// is matched to the question by its session, not by its principal.
//
// # Asking outside the client
//
// With [WithApprover] a person is asked by another way, such as the page of
// package approval, where the client cannot, and with [WithApproverFrom] also
// where it could: that answer comes from whom the approver has authenticated, and
// the client has no part in it. The call answers confirmation_pending with a delay
// and an address, which decides nothing by itself. The question stands sealed in
// the store, so that any replica with the same store and keys shows it, takes the
// answer, and runs the call.
//
// A question is about one call: server, tool, contract, arguments and principal.
// Repeating the call meanwhile is the same question, with one expiry. Agents,
// nobody, and people of another tenant do not decide; [WithDeciders] narrows it
// further. The first answer counts, and is in the audit log before it does, under
// the call's id. A yes is spent in the step that claims the call, as the answer to
// a form is: further repetitions get the one outcome until the question expires,
// and where there is none (a failure that may be repeated, another idempotency
// key) they are asked about anew. Of the questions of one principal at most ten
// wait, counted since a person last decided one.
//
// # Rate limits
//
// Each principal has a limit for each tool: the contract's rateLimit, else
// [WithRateLimit]. A contract may also limit all callers of a tool together. Both
// are token buckets; see [ratelimit.Bucket]. What is refused says after how long
// it would be let through if nobody else called. Calls count as they come: also
// those that are not valid, that are replayed, or that are dry runs; not those of
// callers who may not use the tool. The answer to a question is paid for by the call that
// asked, once. Limits are those of one process, unless [WithLimiter] has one that
// is shared; what a limiter is told names nobody.
//
// # Contracts that depend on the arguments
//
// A tool that does many things may say of each call how mild it is
// (contract.Resolution): effect, risk, confirmation and permissions. The guard
// keeps what holds for the call, the question and the audit log say it, and
// [Guard.Effective] tells it beforehand. A caller that holds the permissions of
// discoverWith finds the tool, and may call it where no others are needed.
// Whether the tool is restricted or forbidden, and everything else, is as
// declared.
//
// # Step-up
//
// The authentication that counts is the one that [WithPrincipal] vouches for:
// AuthTime within maxAgeSeconds, by this server's clock, and exactly the ACR.
// Nothing in a request is one. With [WithStepUp], a client that opens addresses
// (elicitation in URL mode) is sent to a page of the author's, with an id that is
// of this call, this principal and one use; that the client accepts the address
// means that it may be opened, and nothing more. The page authenticates the person,
// shows what [Guard.OpenStepUp] tells of the call, and calls
// [Guard.CompleteStepUp]; the call then goes on, once. A client that accepts waits
// for that, 20 seconds at a time. A no is remembered, as one to a question is. Other
// clients get step_up_required, which names what is missing.
//
// # Introducing a contract
//
// [WithAuditOnly] has some clauses of a tool below critical watched instead of kept,
// so that the audit log tells whom they would refuse.
//
// # Deviations and limits
//
// Go cannot end a goroutine from outside. A handler that ignores its context
// runs on after its timeout: its caller has the answer timeout, its end is a
// late event in the audit log, and its concurrency slot stays taken until then.
// Where no timeout is declared and [Request].Isolate is not set, such a handler
// also holds its caller.
//
// Sanitising removes characters, not meaning: text that a tool passes on can
// still try to talk a model into something, which is why contracts declare
// their content's trust.
package guard
