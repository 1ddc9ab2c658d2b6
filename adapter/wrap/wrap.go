// Package wrap has the rules and the report of WrapAll, the function of
// packages mcpgo and gosdk that puts contracts around the tools of an existing
// server. It depends on no SDK, so the same rules work with either.
package wrap

import (
	"encoding/json"
	"reflect"

	"github.com/toolcontract/toolcontract/contract"
)

// A Builder builds the contract of a tool that was written for an SDK. An
// adapter's Wrap returns one.
type Builder = contract.Builder[json.RawMessage, contract.Reply[json.RawMessage]]

// Rules declare the clauses of the tools that a WrapAll wraps. The zero value
// declares none: each tool then has only what its hints imply.
//
// The first of these that declares a clause wins: Declare of the tool's rule,
// Base of the tool's rule, Base of all tools, the tool's hints.
type Rules struct {
	// Base has the clauses of all tools, such as the version.
	Base contract.Base
	// Options apply to all tools. A rule's options come after them.
	Options []Option
	// Tools has the rules of single tools, by the name that the tool is
	// registered under. A name that the server does not have is an error,
	// unless its rule has Later.
	Tools map[string]Rule
	// MaskErrors sets MaskErrors for every rule.
	MaskErrors bool
	// AllowUncontracted leaves a tool as it is if its contract cannot be built;
	// the report names it. Default: such a tool is an error of WrapAll, and one
	// that is added later is neither listed nor run.
	AllowUncontracted bool
}

// A Rule has the clauses of one tool. The zero value declares none.
type Rule struct {
	// Base has the clauses of the tool.
	Base contract.Base
	// Declare adds what a Base cannot express, such as a dry run or a
	// resolution. It runs again if the tool is registered again. Nil: nothing
	// is added.
	Declare func(b *Builder)
	// Options apply to the tool, such as the adapter's WithErrorMapper.
	Options []Option
	// MaskErrors hides the texts of the tool's own error results, just as those of
	// Go errors are hidden: both become internal_error. Set it for a tool whose
	// error texts were not written for callers. It doesn't affect failures that an
	// error mapper returns, and has no effect if the contract has OtherErrors.
	// Default: callers get the text of an error result, without the values of
	// secret and sensitive arguments.
	MaskErrors bool
	// Uncontracted leaves the tool as it is, without a contract.
	Uncontracted bool
	// Later means that the tool may be added after the call to WrapAll.
	Later bool
}

// An Option configures how a tool is wrapped. [WithAnsweredConfirmation],
// [WithDefaults], [WithExactIntegers], [WithRounds], [WithSecret],
// [WithSensitive] and an adapter's WithErrorMapper return one. Nil is an error
// of Build.
type Option func(*Settings)

// Settings are the result of applying options, for adapters. The zero value has
// no options.
type Settings struct {
	// ExactIntegers means that the handler reads every int64 exactly.
	ExactIntegers bool
	// Rounds is how often the handler may ask the client. Nil: never.
	Rounds *int
	// Defaults means that the defaults of the input schema are filled in.
	Defaults bool
	// AnsweredConfirmation means that the approval of a call answers the
	// handler's own confirmation, and ConfirmationFields are the form fields
	// that are set to true.
	AnsweredConfirmation bool
	ConfirmationFields   []string
	// Sensitive and Secret are JSON Pointers of members whose values are
	// hidden.
	Sensitive, Secret []string
	// ErrorMapper is the error mapper, of the adapter's own type. Nil: none.
	ErrorMapper any
	// Input is the type into which the handler decodes its arguments with
	// encoding/json. The contract tags of its fields, such as secret, count. Nil:
	// unknown.
	Input reflect.Type
	// Function is the function that the tool author wrote, if the handler calls
	// it. Nil: it is the handler itself.
	Function any
	// Verbatim is that of the adapter's AddTool: a result with IsError that maps
	// to no failure keeps its texts and has its code only in the outcome. The
	// contract then doesn't list tool_retry.
	Verbatim bool
}

// WithExactIntegers declares that the handler reads integers beyond 2^53
// exactly, as encoding/json does for an int64 or a json.Number. A call with an
// integer above the largest int64 is refused as invalid_input. Default: a call
// with an integer that no float64 holds is refused, because the handler would
// round the number that was shown.
//
// With mcp-go, such a handler uses GetInt, RequireInt, GetIntSlice,
// BindArguments or RawArguments; GetInt would return its default for a larger
// integer. Arguments then has an int wherever no float64 holds the integer. Do
// not use the option for a handler that asserts the type float64, or that
// decodes its arguments into float64 or any. A handler of gosdk.WrapFor whose
// input type has neither needs no option.
func WithExactIntegers() Option { return func(s *Settings) { s.ExactIntegers = true } }

// WithSensitive declares members of the arguments and results that hold
// personal or confidential values, as the field tag sensitive does. The values
// of such arguments are removed from error texts before these reach a caller or
// a log, and the listed schema has x-sensitive. The person who confirms a call
// sees them. Each pointer is a JSON Pointer such as /value, or /items/*/name,
// in which * stands for each item of an array and each member of a map. A
// pointer that leads to no member of a schema is an error of Build.
func WithSensitive(pointers ...string) Option {
	return func(s *Settings) { s.Sensitive = append(s.Sensitive, pointers...) }
}

// WithSecret declares members of the arguments that not even the person who
// confirms a call may see, as the field tag secret does. The question and the
// approvals page show their length instead of their values. Otherwise it works
// as [WithSensitive], and the listed schema has x-secret.
func WithSecret(pointers ...string) Option {
	return func(s *Settings) { s.Secret = append(s.Secret, pointers...) }
}

// WithDefaults fills the defaults of the tool's input schema into its
// arguments, so that the person who is asked, the audit log and the call's key
// include them. A default that could make valid arguments invalid is left out.
// Default: the handler gets exactly the members that its caller sent, because
// to a handler without a contract an absent member may mean something other
// than its default.
func WithDefaults() Option { return func(s *Settings) { s.Defaults = true } }

// WithAnsweredConfirmation lets the approval of a call also answer the
// handler's own confirmation, so that a person is asked once. If a person has
// approved the call under its contract, each of the handler's forms without
// fields is accepted and does not reach the client. fields names the boolean
// fields that a form uses to ask for confirmation, such as "confirmed": a form
// with no other fields is accepted with true for each. Every other form reaches
// the client, and so does every form of a call that no person was asked about.
//
// To leave the confirmation to the handler instead, declare
// [contract.ConfirmationUpstream]. Default: both ask.
//
// A client that cannot ask a person gets confirmation_required, whatever the
// handler does without an answer. The SDKs refuse to ask within a call of
// protocol version 2026-07-28. The official SDK also refuses if the client did
// not declare elicitation, even if a person approved the call on a page. The
// handler then does whatever it does without an answer, unless it asks with a
// result, as for [WithRounds].
func WithAnsweredConfirmation(fields ...string) Option {
	return func(s *Settings) {
		s.AnsweredConfirmation = true
		s.ConfirmationFields = append(s.ConfirmationFields, fields...)
	}
}

// WithRounds declares that the handler asks the client for input by returning a
// result of its SDK. times is how often it may ask in one call, from 1 to 10.
// Each round runs the handler again, so the handler must have no effect before
// its final result.
//
// The next round gets the handler's requestState, and the responses to exactly
// its requests. The client carries the state sealed and can neither read nor
// change it. A state is valid once, for the same principal, tool, arguments and
// contract, and all rounds must take place within guard.Times.QuestionTTL. Any
// other state is refused. Without a valid state, no state or responses reach
// the handler. For an anonymous caller, the sealed state alone proves that the
// call is the same.
//
// A confirmation by a person and a required dry run come before the first round
// and count for all rounds. If the function of ConfirmWhen demands a person
// only after the first round, the state is refused, and the call must start
// over. Rate limits count each round. A managed or keyed call holds its key
// only while a round runs; its outcome is recorded at the end. Clients older
// than 2026-07-28 are asked within the call. A client without the capability
// for a request gets confirmation_required.
//
// Default: a handler that asks ends its call as internal_error. A handler that
// asks within the call, with a function of its SDK, needs no option.
func WithRounds(times int) Option { return func(s *Settings) { s.Rounds = &times } }
