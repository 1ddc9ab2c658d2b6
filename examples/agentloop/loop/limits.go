package loop

import (
	"fmt"
	"time"
)

// Limits bound a run, so that it ends whatever the model does. In each field
// zero means the default, and so does a negative value, except in Approval.
type Limits struct {
	// Turns bounds the requests to the model. Default: 20.
	Turns int
	// Calls bounds the calls of tools. Default: 100.
	Calls int
	// CallsOfTurn bounds the calls of one turn; more are refused. Default: 16.
	CallsOfTurn int
	// Parallel bounds the calls that run at once. Default: 4.
	Parallel int
	// Mistakes bounds the turns in sequence that have calls of which none can
	// be made: unknown tools, arguments that are no JSON, refused calls.
	// Default: 4.
	Mistakes int
	// Failures bounds how often one call may fail without a change of its
	// arguments; then it is refused. Default: 3.
	Failures int
	// Time bounds the whole run, with the time in which people decide. Default:
	// 30 minutes.
	Time time.Duration
	// TurnTime bounds one request to the model. Default: 2 minutes.
	TurnTime time.Duration
	// Approval bounds the time that one call waits for a person who decides
	// elsewhere, such as on the page of an approver. Then the run ends, and its
	// state continues it when the person has decided. Default: 10 minutes. Less
	// than zero: the run ends at once.
	Approval time.Duration
	// Tokens and Cost bound the usage, in the units of [Usage]: no request to
	// the model begins once a bound is reached. Default: 1,000,000 tokens, and
	// no bound of the cost.
	Tokens, Cost int64
	// ObservationBytes bounds what the model reads of one call. A longer result
	// is left out, and the model learns its size. Default: 64 KiB.
	ObservationBytes int
}

// effective returns l with its defaults.
func (l Limits) effective() Limits {
	def := func(n *int, value int) {
		if *n <= 0 {
			*n = value
		}
	}
	def(&l.Turns, 20)
	def(&l.Calls, 100)
	def(&l.CallsOfTurn, 16)
	def(&l.Parallel, 4)
	def(&l.Mistakes, 4)
	def(&l.Failures, 3)
	def(&l.ObservationBytes, 64<<10)
	if l.Time <= 0 {
		l.Time = 30 * time.Minute
	}
	if l.TurnTime <= 0 {
		l.TurnTime = 2 * time.Minute
	}
	if l.Approval == 0 {
		l.Approval = 10 * time.Minute
	}
	if l.Tokens <= 0 {
		l.Tokens = 1_000_000
	}
	return l
}

// A Limit names one of [Limits].
type Limit string

// The limits that can end a run.
const (
	LimitTurns    Limit = "turns"
	LimitCalls    Limit = "calls"
	LimitMistakes Limit = "mistakes"
	LimitTime     Limit = "time"
	LimitTurnTime Limit = "turn time"
	LimitApproval Limit = "approval time"
	LimitTokens   Limit = "tokens"
	LimitCost     Limit = "cost"
)

// A LimitError ends a run that reached one of its [Limits]. The run can be
// continued with other limits; see [Task.State].
type LimitError struct {
	// Limit is the limit.
	Limit Limit
	// Err is the error of a call that was running when the limit was reached.
	// Nil: no call was running.
	Err error
}

// Error names the limit and the remedies.
func (e *LimitError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("agent: the run reached its limit of %s: %v; continue it with Task.State, or raise Task.Limits",
			e.Limit, e.Err)
	}
	return fmt.Sprintf("agent: the run reached its limit of %s; continue it with Task.State, or raise Task.Limits", e.Limit)
}

// Unwrap returns Err.
func (e *LimitError) Unwrap() error { return e.Err }

// A ModelError ends a run whose [Model] failed.
type ModelError struct {
	// Err is the error or the panic of the model.
	Err error
}

// Error returns the error of the model.
func (e *ModelError) Error() string { return "agent: the model failed: " + e.Err.Error() }

// Unwrap returns Err.
func (e *ModelError) Unwrap() error { return e.Err }
