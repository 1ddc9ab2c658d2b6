package loop

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/toolcontract/toolcontract/contract/agent"
)

// A Report is the result of a run.
type Report struct {
	// Text is the answer of the model. Empty: the run ended before it answered.
	Text string
	// State continues the run, if it did not end with an answer.
	State State
}

// Run lets a model work on a task with tools until it answers without a call.
// The calls of a turn run in their order; reads that follow each other run in
// parallel if their contracts declare them. The policy decides about each call
// by what the conversation had read when the model wrote the turn.
//
// A call that fails with a [*agent.RetryError], a declined call, a refused call
// and one of an unknown tool end alone: the model reads why. A
// [*agent.FatalError] ends the run at once; the calls of the turn that follow
// are not made. A write that succeeded is not made again with the same
// arguments, unless its contract excludes a second effect or a person agrees.
//
// Run always ends. The error is nil if the model answered, else one of
// [*agent.FatalError], [*LimitError], [*ModelError], the error of [Task.Save],
// or an error that wraps the cause of ctx. The Report is never nil, and its
// State continues the run: calls that were interrupted are repeated with their
// key, or end the run with [contract.CodeOutcomeUnknown] if their contract does
// not make that safe.
func Run(ctx context.Context, t Task) (*Report, error) {
	l := &loop{task: t, limits: t.Limits.effective(), state: t.State.begun(t)}
	if err := l.list(); err != nil {
		return &Report{State: l.state}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, l.limits.Time, &LimitError{Limit: LimitTime})
	defer cancel()
	text, err := l.run(ctx)
	l.emit(Event{Kind: EventEnded, Err: err})
	return &Report{Text: text, State: l.state.clone()}, err
}

// A loop is one run. Only the goroutine of Run touches it.
type loop struct {
	task    Task
	limits  Limits
	state   State
	offered []agent.Tool
	known   map[string]knownTool

	mistakes int // turns in sequence without a call that could be made
}

// list reads the tools again. It happens before each decision of the run, so
// that a contract that changed counts at once.
func (l *loop) list() (err error) {
	l.offered, l.known, err = l.task.offers()
	return err
}

func (l *loop) run(ctx context.Context) (string, error) {
	if open := l.state.open(); len(open) > 0 {
		if err := l.calls(ctx, open); err != nil {
			return "", err
		}
	}
	for {
		if text, answered := l.answered(); answered {
			return text, nil
		}
		if err := l.exhausted(ctx); err != nil {
			return "", err
		}
		if err := l.turn(ctx); err != nil {
			return "", err
		}
	}
}

// answered returns the answer, if the last message is one.
func (l *loop) answered() (string, bool) {
	if len(l.state.Messages) == 0 {
		return "", false
	}
	last := l.state.Messages[len(l.state.Messages)-1]
	return last.Text, last.Role == RoleModel && len(last.Calls) == 0
}

// exhausted returns why there is no further request to the model, or nil.
func (l *loop) exhausted(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx, nil)
	case l.state.Turns >= l.limits.Turns:
		return &LimitError{Limit: LimitTurns}
	case l.state.Used.Tokens >= l.limits.Tokens:
		return &LimitError{Limit: LimitTokens}
	case l.limits.Cost > 0 && l.state.Used.Cost >= l.limits.Cost:
		return &LimitError{Limit: LimitCost}
	case l.mistakes >= l.limits.Mistakes:
		return &LimitError{Limit: LimitMistakes}
	}
	return nil
}

// turn makes one request to the model, and the calls that it wants.
func (l *loop) turn(ctx context.Context) error {
	if err := errors.Join(l.list(), l.save(ctx)); err != nil {
		return err
	}
	l.state.Turns++
	l.emit(Event{Kind: EventAsking})
	conversation := Conversation{Messages: l.state.clone().Messages, Tools: l.offered}
	turn, err := l.ask(ctx, conversation)
	if err != nil {
		return err
	}
	if turn.Usage.Tokens <= 0 {
		turn.Usage.Tokens = conversation.estimate(turn)
	}
	calls := identified(turn.Calls, l.state.Turns)
	l.state.Messages = append(l.state.Messages, Message{Role: RoleModel, Text: turn.Text, Calls: calls})
	l.state.Used = l.state.Used.plus(turn.Usage)
	l.emit(Event{Kind: EventReplied, Text: turn.Text, Usage: turn.Usage})
	if len(calls) == 0 {
		return l.save(ctx)
	}
	return l.calls(ctx, calls)
}

// ask calls the model within its time.
func (l *loop) ask(ctx context.Context, c Conversation) (Turn, error) {
	limited, cancel := context.WithTimeoutCause(ctx, l.limits.TurnTime, &LimitError{Limit: LimitTurnTime})
	defer cancel()
	turn, err := await(limited, 0, func() (Turn, error) { return l.task.Model(limited, c) })
	switch {
	case err == nil:
		return turn, nil
	case ctx.Err() != nil:
		return Turn{}, interrupted(ctx, nil)
	case limited.Err() != nil:
		return Turn{}, context.Cause(limited)
	}
	return Turn{}, &ModelError{Err: err}
}

// plainID matches the IDs of calls that a log can have.
var plainID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// identified returns calls with distinct and plain IDs.
func identified(calls []ToolCall, turn int) []ToolCall {
	list, used := make([]ToolCall, 0, len(calls)), map[string]bool{}
	for i, c := range calls {
		if !plainID.MatchString(c.ID) || used[c.ID] {
			c.ID = "call-" + strconv.Itoa(turn) + "-" + strconv.Itoa(i+1)
		}
		for used[c.ID] {
			c.ID += "'"
		}
		used[c.ID] = true
		list = append(list, c)
	}
	return list
}

// interrupted returns the error of a run whose context is done, with the error
// of the call that ended by it.
func interrupted(ctx context.Context, call error) error {
	if limit, ok := errors.AsType[*LimitError](context.Cause(ctx)); ok {
		return &LimitError{Limit: limit.Limit, Err: call}
	}
	return fmt.Errorf("agent: the run was interrupted: %w", errors.Join(context.Cause(ctx), call))
}

// saveTime bounds the time in which the state is stored.
const saveTime = 30 * time.Second

// save stores the state. The end of the run does not cancel it.
func (l *loop) save(ctx context.Context) error {
	if l.task.Save == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	state := l.state.clone()
	if _, err := await(ctx, 0, func() (struct{}, error) { return struct{}{}, l.task.Save(ctx, state) }); err != nil {
		return fmt.Errorf("agent: save the state of the run: %w", err)
	}
	return nil
}

func (l *loop) emit(e Event) {
	if l.task.Events != nil {
		e.Run, e.Turn = l.state.ID, l.state.Turns
		l.task.Events(e)
	}
}

// await returns what f returns, or the cause of ctx if f does not return within
// the grace after ctx is done. Such an f is left to itself. A panic of f is an
// error.
func await[T any](ctx context.Context, grace time.Duration, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { done <- o }()
		defer recovered(&o.err)
		o.value, o.err = f()
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-timer.C:
		var none T
		return none, context.Cause(ctx)
	}
}

// recovered makes a panic an error. The value of the panic is left out, because
// it can be confidential.
func recovered(err *error) {
	if recover() != nil {
		*err = errors.New("it panicked")
	}
}
