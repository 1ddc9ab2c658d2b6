package agent

import (
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// Options configure an [Agent]. The zero value uses the defaults.
type Options struct {
	// Host is how a person is reached. Zero: no person can be asked.
	Host Host
	// Quarantine decides which tools are quarantined, such as those whose
	// contract became weaker since a person approved it. It returns the reason
	// in words, or "" if the tool may be called. It is called for each tool
	// whenever the tools are listed. A tool is also quarantined if the function
	// panics or takes longer than ten seconds. Nil: no tool is quarantined.
	Quarantine func(Tool) string
	// TrustedHints treats the hints of a tool without a contract as promises:
	// if the hints say that the tool is read-only or idempotent, a call is
	// repeated after the connection was lost. Use it only for a server that you
	// trust.
	TrustedHints bool
	// AskFirst asks the person of the [Host] before anything of a call is sent,
	// so that no argument reaches the server unseen. It applies to tools whose
	// contract declares that a person confirms every call. If the server then
	// asks only whether the call may be made, it gets the same answer. False:
	// the person sees the server's question beside the arguments, before the
	// call has an effect.
	AskFirst bool
	// Steps receives each step of each call, for a user interface or a log. The
	// call waits for it, so it must be quick. It must be safe for concurrent
	// use. A panic loses only that step. If Steps takes longer than ten
	// seconds, it gets no more steps of the call. Nil: steps are not reported.
	Steps func(Step)
	// Chain is what the session has already done, such as in an earlier process;
	// [Agent.Chain] continues from it. If a conversation uses several agents, set
	// it for only one of them. Zero: no calls.
	Chain risk.Chain
	// Limits are the bounds of each call.
	Limits Limits

	lag time.Duration // the pause after a lost connection; zero: shortestLag
}

// Limits bound each call of an agent. Zero means the default in each field, and
// so does a negative value, except in Wait.
type Limits struct {
	// Call bounds a whole call, with its dry run, its repetitions and the time
	// that people take to decide. Default: 10 minutes.
	Call time.Duration
	// Request bounds the time that a server takes to answer one request. The
	// time that people take to decide does not count. If the tool's contract
	// declares a longer timeout, the limit is that timeout plus ten seconds.
	// Default: 60 seconds.
	Request time.Duration
	// Wait bounds one delay that a server demands before a repetition. If it
	// demands more, the call fails at once with a [*RetryError] that has the
	// delay. Default: 30 seconds. Less than zero: the agent never waits.
	Wait time.Duration
	// Attempts bounds how often one call is sent. Calls that wait for a
	// person's approval elsewhere are bounded by Call alone. Default: 4. 1: no
	// call is repeated.
	Attempts int
	// ResultBytes bounds the JSON of a result, in bytes. A contract's bound
	// applies if it is lower, and that of a message always. Default: 1 MiB.
	ResultBytes int64
}

const timeoutSlack = 10 * time.Second

// effective returns l with the defaults filled in.
func (l Limits) effective() Limits {
	if l.Call <= 0 {
		l.Call = 10 * time.Minute
	}
	if l.Request <= 0 {
		l.Request = time.Minute
	}
	if l.Wait == 0 {
		l.Wait = 30 * time.Second
	}
	if l.Attempts < 1 {
		l.Attempts = 4
	}
	if l.ResultBytes <= 0 {
		l.ResultBytes = contract.Document{}.Effective().MaxResultBytes
	}
	return l
}

// limitOf returns the time for one request of a tool.
func (o *Options) limitOf(t Tool) time.Duration {
	declared := min(t.Contract.Timeout, 24*time.Hour)
	if declared > 0 && t.hasContract() {
		return max(o.Limits.Request, declared+timeoutSlack)
	}
	return o.Limits.Request
}

// A CallOption configures one call.
type CallOption interface{ applyToCall(*callConfig) }

type callOptionFunc func(*callConfig)

func (f callOptionFunc) applyToCall(c *callConfig) { f(c) }

type callConfig struct {
	key        string
	approved   bool
	definition string // of the tool that the caller decided about; empty: any
	sent       *SentCall
}

// ForTool makes the call only if the tool still has the definition of t, which
// the caller's decision was based on. Default: the agent calls whatever tool
// has the name when the call begins.
func ForTool(t Tool) CallOption {
	return callOptionFunc(func(c *callConfig) { c.definition = t.digest })
}

// WithKey sets the idempotency key of a call, 1 to 255 printable ASCII
// characters. Use it to repeat a call, with the key of its [Result] or
// [Failure]. After a restart use [Continue]. Default: a new random key for each
// call.
func WithKey(key string) CallOption { return callOptionFunc(func(c *callConfig) { c.key = key }) }

// Continue makes a call again that an earlier process may have sent. The tool
// and the arguments must be the same as then, and the call has the same key. If
// its contract does not make a repetition safe, or the tool has another
// definition now, the call is not sent, and the error is a [*FatalError] with
// [contract.CodeOutcomeUnknown]. So is every failure that leaves open what
// became of the first attempt. The code is [contract.CodeAlreadyDone] if the
// server says that the operation of s succeeded.
func Continue(s SentCall) CallOption {
	return callOptionFunc(func(c *callConfig) { c.sent, c.key = &s, s.Key })
}

// Approved declares that a person has seen the tool and these arguments and
// agreed to the call. The agent then does not ask before it sends the call of
// a tool without a contract. Questions of the server are asked as always.
func Approved() CallOption { return callOptionFunc(func(c *callConfig) { c.approved = true }) }
