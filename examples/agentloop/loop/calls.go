package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/trust"
)

// callGrace is the time that a call has to report how it ended after the run
// was interrupted.
const callGrace = 5 * time.Second

// calls makes the calls of one turn. All are decided by what the conversation
// had read when the model wrote them.
func (l *loop) calls(ctx context.Context, calls []ToolCall) error {
	if err := l.list(); err != nil {
		return err
	}
	seen, made := l.state.Seen, false
	for i := 0; i < len(calls); {
		group := l.group(calls[i:], i, seen)
		ok, err := l.make(ctx, group)
		made = made || ok
		if err != nil {
			return err
		}
		i += len(group)
	}
	l.mistakes++
	if made {
		l.mistakes = 0
	}
	return nil
}

// make makes the calls of a group: one call, or reads that run in parallel. It
// reports whether any was sent.
func (l *loop) make(ctx context.Context, group []plan) (made bool, err error) {
	var ready []plan
	for _, p := range group {
		l.emit(Event{Kind: EventDecided, Call: p.call, Decision: p.decision})
		if observed, stopped := l.agree(ctx, &p); stopped {
			if ctx.Err() != nil {
				return false, interrupted(ctx, nil)
			}
			if err := l.observe(ctx, p, observed); err != nil {
				return false, err
			}
			continue
		}
		ready = append(ready, p)
	}
	if len(ready) == 0 {
		return false, nil
	}
	if err := l.announce(ctx, ready); err != nil {
		return false, err
	}
	results := l.send(ctx, ready)
	var fatal error
	for i, p := range ready {
		if err := l.awaitPerson(ctx, p, &results[i]); err != nil {
			return true, err
		}
		if ctx.Err() != nil && l.leavesOpen(ctx, p, results[i]) {
			return true, interrupted(ctx, results[i].Err)
		}
		if err := l.observe(ctx, p, results[i]); err != nil {
			return true, err
		}
		if e := endsRun(results[i].Err); e != nil && fatal == nil {
			fatal = e
		}
	}
	return true, fatal
}

// shortestWait is the shortest delay between two tries of a call that waits for
// a person.
const shortestWait = time.Second

// awaitPerson repeats a call that waits for a person who decides elsewhere. The
// guard of the server runs nothing before. It returns an error if the run ends
// before the person has decided. It makes no try in the last moment of the run,
// because that would have an unknown outcome.
func (l *loop) awaitPerson(ctx context.Context, p plan, o *Observation) error {
	for waited := time.Duration(0); ctx.Err() == nil; {
		retry, ok := errors.AsType[*agent.RetryError](o.Err)
		if !ok || retry.Code != contract.CodeConfirmationPending || retry.After <= 0 || p.tool.Origin == agent.OriginHints {
			return nil // without a contract, the call may have had its effect
		}
		wait := max(retry.After, shortestWait)
		l.emit(Event{Kind: EventWaiting, Call: p.call, Observed: *o, Wait: wait})
		p.again = false // a call that waits for a person had no effect
		if waited += wait; waited > l.limits.Approval {
			l.unsend(p)
			return errors.Join(&LimitError{Limit: LimitApproval}, l.save(ctx))
		}
		timer := time.NewTimer(wait)
		due := timer.C
		if end, limited := ctx.Deadline(); limited && time.Until(end) <= wait {
			due = nil
		}
		select {
		case <-due:
			*o = l.one(ctx, p, l.state.Sent[p.call.ID])
		case <-ctx.Done():
			timer.Stop()
			l.unsend(p)
			return interrupted(ctx, nil)
		}
	}
	return nil
}

// unsend forgets that a call was sent, because it had no effect.
func (l *loop) unsend(p plan) {
	delete(l.state.Sent, p.call.ID)
}

// leavesOpen reports whether a call of an interrupted run has no observation
// yet. A call that had no effect is made again as if it was never sent.
func (l *loop) leavesOpen(ctx context.Context, p plan, o Observation) bool {
	switch o.Code {
	case agent.CodeCancelled:
		l.unsend(p)
		_ = l.save(ctx) // the state that is stored already is the more careful one
		return true
	case contract.CodeOutcomeUnknown:
		return true
	}
	return false
}

// agree asks the person where the policy demands it. It returns an observation
// if the call must not be made.
func (l *loop) agree(ctx context.Context, p *plan) (Observation, bool) {
	switch d := p.decision; {
	case p.again && p.writes() && !l.state.Sent[p.call.ID].Repeatable(p.tool.Tool):
		return failed(&agent.FatalError{Failure: agent.Failure{
			Tool: p.call.Tool, Code: contract.CodeOutcomeUnknown, Key: p.key,
			Message: "The run was interrupted during this call, which may have had its effect. " +
				"Its contract does not make a repetition safe.",
		}}), true
	case d.Handling == agent.HandleRefuse:
		return refused(*p), true
	case d.Handling == agent.HandleRun || d.ByServer:
		return Observation{}, false
	}
	answer := l.question(ctx, *p)
	l.emit(Event{Kind: EventAnswered, Call: p.call, Answer: answer})
	if answer == agent.Accept {
		return Observation{}, false
	}
	if ctx.Err() == nil {
		l.state.Declined[p.key] = true
	}
	return failed(&agent.RetryError{Failure: agent.Failure{
		Tool: p.call.Tool, Code: contract.CodeConfirmationDeclined,
		Message: "The person did not agree to this call. Do not repeat it; ask what to do instead.",
	}}), true
}

// question asks the person of the task about a call. An error, a panic and a
// wrong word count as declined.
func (l *loop) question(ctx context.Context, p plan) agent.Action {
	q := agent.Question{Tool: p.tool.Tool, Arguments: p.call.raw(), Message: p.decision.Reason, Number: 1}
	if p.decision.Handling == agent.HandleAskTyping {
		q.Message += " Type " + p.decision.Word + " to confirm."
		q.Form = json.RawMessage(typedForm)
	}
	answer, err := await(ctx, 0, func() (agent.Answer, error) { return l.task.Host.Ask(ctx, q) })
	if err != nil {
		return agent.Cancel
	}
	if answer.Action == agent.Accept && p.decision.Handling == agent.HandleAskTyping {
		if typed, ok := answer.Content[typedProperty].(string); !ok || strings.TrimSpace(typed) != p.decision.Word {
			return agent.Decline
		}
	}
	return answer.Action
}

// typedForm is the form of a question that is confirmed by typing; see
// [agent.Question.Typed].
const (
	typedForm     = `{"type":"object","properties":{"` + typedProperty + `":{"type":"string"}},"required":["` + typedProperty + `"]}`
	typedProperty = "word"
)

// announce counts the calls and stores that they may reach their servers.
func (l *loop) announce(ctx context.Context, ready []plan) error {
	if l.state.Calls+len(ready) > l.limits.Calls {
		return &LimitError{Limit: LimitCalls}
	}
	l.state.Calls += len(ready)
	for _, p := range ready {
		if !p.again {
			l.state.Sent[p.call.ID] = p.tool.Sent(p.key)
		}
	}
	if err := l.save(ctx); err != nil {
		return err
	}
	for _, p := range ready {
		l.emit(Event{Kind: EventCalling, Call: p.call, Decision: p.decision})
	}
	return nil
}

// send makes the calls, in parallel if there are several, and returns their
// observations in the order of the calls.
func (l *loop) send(ctx context.Context, ready []plan) []Observation {
	observed := make([]Observation, len(ready))
	slots, calls := make(chan struct{}, l.limits.Parallel), sync.WaitGroup{}
	ofTool := map[string]chan struct{}{} // by tools that bound their calls
	for _, p := range ready {
		if n := p.tool.Contract.MaxConcurrent; n > 0 && ofTool[p.call.Tool] == nil {
			ofTool[p.call.Tool] = make(chan struct{}, n)
		}
	}
	for i, p := range ready {
		own, sent := ofTool[p.call.Tool], l.state.Sent[p.call.ID]
		calls.Go(func() {
			if own != nil {
				own <- struct{}{}
				defer func() { <-own }()
			}
			slots <- struct{}{}
			defer func() { <-slots }()
			observed[i] = l.one(ctx, p, sent)
		})
	}
	calls.Wait()
	return observed
}

// one makes one call.
func (l *loop) one(ctx context.Context, p plan, sent agent.SentCall) Observation {
	result, err := await(ctx, callGrace, func() (*agent.Result, error) {
		return p.tool.caller.Call(ctx, Call{
			Tool: p.tool.Tool, Arguments: p.call.raw(), Sent: sent, Again: p.again, Approved: !p.decision.ByServer,
		})
	})
	switch {
	case err != nil:
		return l.bounded(failed(classified(err, p.call.Tool, p.key)))
	case result == nil:
		return failed(&agent.FatalError{Failure: agent.Failure{
			Tool: p.call.Tool, Code: agent.CodeContractBroken, Key: p.key,
			Message: "The call returned neither a result nor an error.",
		}})
	}
	return l.succeeded(result)
}

// succeeded returns the observation of a result. A longer one than the model
// may read is left out whole, because a part could lose the marks that delimit
// it as data.
func (l *loop) succeeded(r *agent.Result) Observation {
	text := r.Prompt()
	if len(text) > l.limits.ObservationBytes {
		text = fmt.Sprintf("The call of %s succeeded. Its result has %d bytes, more than the %d that can be read, and is left out.",
			r.Tool, len(text), l.limits.ObservationBytes)
	}
	status := r.Outcome.Status
	if status == 0 {
		status = contract.StatusOK
	}
	return Observation{Status: status, Code: r.Outcome.Code, Class: r.Outcome.Class, Made: true, Text: text, Trust: r.Trust}
}

// bounded leaves out the text of a failure that is longer than the model may
// read.
func (l *loop) bounded(o Observation) Observation {
	if len(o.Text) > l.limits.ObservationBytes {
		o.Text = fmt.Sprintf("The call failed: %s. Its text has %d bytes, more than the %d that can be read, and is left out.",
			o.Code, len(o.Text), l.limits.ObservationBytes)
	}
	return o
}

// classified returns err as one of the two errors of calls. Any other error
// leaves it open what became of the call.
func classified(err error, tool, key string) error {
	var retry *agent.RetryError
	var fatal *agent.FatalError
	switch {
	case errors.As(err, &fatal):
		return fatal
	case errors.As(err, &retry):
		return retry
	}
	return &agent.FatalError{Failure: agent.Failure{Tool: tool, Code: contract.CodeOutcomeUnknown, Key: key, Attempts: 1}, Err: err}
}

// failed returns the observation of an error.
func failed(err error) Observation {
	o := Observation{Status: contract.StatusError, Err: err}
	switch e := err.(type) { //nolint:errorlint // classified has unwrapped it
	case *agent.RetryError:
		o.Code, o.Class, o.Text, o.Made, o.Trust = e.Code, contract.ClassRetryable, e.Prompt(), e.Attempts > 0, textTrust(e.Failure)
	case *agent.FatalError:
		o.Code, o.Class, o.Text, o.Made, o.Trust = e.Code, contract.ClassFatal, e.Prompt(), e.Attempts > 0, textTrust(e.Failure)
	}
	return o
}

// textTrust returns the trust in the texts of a failure.
func textTrust(f agent.Failure) trust.Level {
	if f.FromServer {
		return f.Trust
	}
	return trust.Trusted
}

// refused returns the observation of a call that the policy refuses.
func refused(p plan) Observation {
	code := agent.CodeRefused
	switch p.decision.Rule {
	case ruleUnknown:
		code = agent.CodeUnknownTool
	case ruleArguments, ruleTooLarge:
		code = contract.CodeInvalidInput
	case ruleDeclined:
		code = contract.CodeConfirmationDeclined
	}
	return failed(&agent.RetryError{Failure: agent.Failure{Tool: p.call.Tool, Code: code, Message: p.decision.Reason}})
}

// endsRun returns err if it ends the run. A call that was refused before it was
// sent ends alone.
func endsRun(err error) error {
	var fatal *agent.FatalError
	if !errors.As(err, &fatal) || fatal.Attempts == 0 && (fatal.Code == agent.CodeRefused || fatal.Code == agent.CodeUnknownTool) {
		return nil
	}
	return fatal
}

// observe adds what became of a call to the conversation, and remembers it for
// equal calls.
func (l *loop) observe(ctx context.Context, p plan, o Observation) error {
	l.state.Messages = append(l.state.Messages, Message{Role: RoleTool, CallID: p.call.ID, Text: o.Text})
	sent := l.state.Sent[p.call.ID]
	l.unsend(p)
	if o.Made {
		l.state.Seen = l.state.Seen.After(o.Trust)
	}
	fatal := endsRun(o.Err)
	switch {
	case o.Err == nil || fatal != nil:
		if p.writes() && (o.Made || fatal != nil) {
			l.state.Effects[p.key] = sent
		}
	case o.Code == contract.CodeConfirmationDeclined:
		l.state.Declined[p.key] = true
	case o.Made:
		l.state.Failed[p.key]++
	}
	err := l.save(ctx)
	l.emit(Event{Kind: EventObserved, Call: p.call, Observed: o})
	if fatal != nil && !o.Made { // a call that may not be repeated
		return errors.Join(fatal, err)
	}
	return err
}
