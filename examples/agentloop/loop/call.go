package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A plan is one call with the decision about it.
type plan struct {
	call     ToolCall
	tool     knownTool
	key      string
	decision agent.Decision
	again    bool // it may have reached its server, in a run that was interrupted
}

// An Observation says what became of one call.
type Observation struct {
	// Status, Code and Class are those of the outcome. A call that was not made
	// has [contract.StatusError].
	Status contract.Status
	Code   string
	Class  contract.Class
	// Made is false if nothing was sent.
	Made bool
	// Text is what the model reads, and Trust is the trust in it.
	Text  string
	Trust trust.Level
	// Err is the error of a failed call.
	Err error

	effectPossible bool // although the call failed
}

// call decides about a call, makes it, and adds what became of it to the
// conversation.
func (r *run) call(ctx context.Context, c ToolCall, seen agent.Exposure) error {
	if ctx.Err() != nil {
		return interrupted(ctx, nil)
	}
	if err := r.list(); err != nil {
		return err
	}
	p := r.plan(c, seen)
	r.emit(Event{Kind: EventDecided, Call: c, Decision: p.decision})
	if err := r.agree(ctx, p); err != nil {
		if ctx.Err() != nil {
			return interrupted(ctx, nil)
		}
		return r.observe(ctx, p, failed(p, err))
	}
	if r.state.Calls >= cmp.Or(r.task.Calls, 100) {
		return ErrCalls
	}
	r.state.Calls++
	opts := []agent.CallOption{agent.ForTool(p.tool.Tool), agent.WithKey(p.key)}
	if p.again {
		opts = append(opts, agent.Continue(*r.state.Sent))
	} else {
		sent := p.tool.Sent(p.key)
		r.state.Sent = &sent
	}
	if !p.decision.ByServer {
		opts = append(opts, agent.Approved())
	}
	if err := r.save(ctx); err != nil {
		return err
	}
	result, err := p.tool.caller.Call(ctx, c.Tool, c.raw(), opts...)
	if err == nil {
		return r.observe(ctx, p, succeeded(result))
	}
	o := failed(p, err)
	switch {
	case o.Code == contract.CodeConfirmationPending && p.tool.Origin != agent.OriginHints:
		// The server runs nothing before the person has decided.
		r.emit(Event{Kind: EventObserved, Call: c, Observed: o})
		r.state.Sent = nil
		return errors.Join(ErrPending, r.save(ctx))
	case ctx.Err() != nil && o.Code == agent.CodeCancelled: // it had no effect
		r.state.Sent = nil
		return errors.Join(interrupted(ctx, err), r.save(ctx))
	case ctx.Err() != nil && o.Code == contract.CodeOutcomeUnknown:
		return interrupted(ctx, err)
	}
	return r.observe(ctx, p, o)
}

// The rules of [agent.Policy.Decide] that the loop knows.
const (
	rulePreview   = "dryRun.preview"
	ruleArguments = "arguments.invalid"
	ruleTooLarge  = "arguments.size"
)

// writes reports whether the call can have an effect.
func (p plan) writes() bool {
	return p.tool.Contract.Effect != risk.ReadOnly && p.decision.Rule != rulePreview
}

// asks reports whether the loop asks a person about the call.
func (p plan) asks() bool {
	h := p.decision.Handling
	return (h == agent.HandleAsk || h == agent.HandleAskTyping) && !p.decision.ByServer
}

// plan decides about a call: by the policy, and by what became of equal calls.
func (r *run) plan(c ToolCall, seen agent.Exposure) plan {
	p := plan{call: c, key: agent.KeyOf(r.state.ID, c.Tool, c.raw()), tool: r.known[c.Tool], again: r.state.Sent != nil}
	if p.tool.caller == nil {
		p.decision = refuse(agent.CodeUnknownTool, "There is no tool of this name. Use one of the listed tools.")
		return p
	}
	seen.Chain = r.chain() // unlike what was read, this turn's calls count at once
	p.decision = r.task.Policy.Decide(p.tool.Tool, c.raw(), seen)
	effect, had := r.state.Effects[p.key]
	switch {
	case p.decision.Handling == agent.HandleRefuse:
	case r.state.Declined[p.key]:
		p.decision = refuse(contract.CodeConfirmationDeclined,
			"A person declined this call before. Do not repeat it; ask what to do instead.")
	case p.decision.Handling == agent.HandleRun && had && !p.again && p.writes() && !effect.Repeatable(p.tool.Tool):
		p.decision = agent.Decision{
			Handling: agent.HandleAsk, Rule: "run.repeated",
			Reason: "This run has made the same call before, so it may have its effect twice.",
		}
	}
	if p.asks() && r.task.Host.Ask == nil {
		p.decision = refuse("host.unattended", p.decision.Reason+" No person can be asked.")
	}
	return p
}

func refuse(rule, reason string) agent.Decision {
	return agent.Decision{Handling: agent.HandleRefuse, Rule: rule, Reason: reason}
}

// agree asks the person where the policy demands it. It returns an error if the
// call must not be made.
func (r *run) agree(ctx context.Context, p plan) error {
	f := agent.Failure{Tool: p.call.Tool, Key: p.key, Message: p.decision.Reason}
	switch d := p.decision; {
	case p.again && p.writes() && !r.state.Sent.Repeatable(p.tool.Tool):
		f.Code, f.Message = contract.CodeOutcomeUnknown,
			"The run was interrupted during this call, which may have had its effect. Its contract does not make a repetition safe."
		return &agent.FatalError{Failure: f}
	case d.Rule == agent.CodeUnknownTool || d.Rule == contract.CodeConfirmationDeclined:
		f.Code = d.Rule
	case d.Rule == ruleArguments || d.Rule == ruleTooLarge:
		f.Code = contract.CodeInvalidInput
	case d.Handling == agent.HandleRefuse:
		f.Code = agent.CodeRefused
	case !p.asks() || r.ask(ctx, p):
		return nil
	default:
		f.Code = contract.CodeConfirmationDeclined
		f.Message = "The person did not agree to this call. Do not repeat it; ask what to do instead."
	}
	return &agent.RetryError{Failure: f}
}

// typedForm is the form of a question that a person answers by typing a word;
// see [agent.Question.Typed].
const typedForm = `{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`

// ask asks the person of the task about a call. An error and a wrong word count
// as declined.
func (r *run) ask(ctx context.Context, p plan) bool {
	q := agent.Question{Tool: p.tool.Tool, Arguments: p.call.raw(), Message: p.decision.Reason, Number: 1, Chain: r.chain()}
	if p.decision.Handling == agent.HandleAskTyping {
		q.Message += " Type " + p.decision.Word + " to confirm."
		q.Form = json.RawMessage(typedForm)
	}
	answer, err := r.task.Host.Ask(ctx, q)
	if err != nil || answer.Action != agent.Accept {
		return false
	}
	typed, _ := answer.Content["word"].(string)
	return q.Form == nil || strings.TrimSpace(typed) == p.decision.Word
}

// succeeded returns the observation of a result.
func succeeded(result *agent.Result) Observation {
	return Observation{
		Status: result.Outcome.Status, Code: result.Outcome.Code, Class: result.Outcome.Class, Made: true,
		Text: result.Prompt(), Trust: result.Trust,
	}
}

// failed returns the observation of an error. Any error other than the two of
// package agent means that the outcome of the call is unknown.
func failed(p plan, err error) Observation {
	o := Observation{Status: contract.StatusError, Class: contract.ClassFatal, Trust: trust.Trusted, Err: err}
	var f agent.Failure
	var retry *agent.RetryError
	var fatal *agent.FatalError
	switch {
	case errors.As(err, &fatal):
		f = fatal.Failure
	case errors.As(err, &retry):
		f, o.Class = retry.Failure, contract.ClassRetryable
	default:
		f = agent.Failure{Tool: p.call.Tool, Code: contract.CodeOutcomeUnknown, Key: p.key, Attempts: 1, EffectPossible: true}
		o.Err = &agent.FatalError{Failure: f, Err: err}
	}
	o.Code = f.Code
	o.Text = f.Prompt()
	o.Made = f.Attempts > 0
	o.effectPossible = f.EffectPossible
	if f.FromServer {
		o.Trust = f.Trust
	}
	return o
}

// maxText bounds what the model reads of one call. A longer text is left out
// whole, because a part could lose the marks that delimit it as data.
const maxText = 64 << 10

// observe adds what became of a call to the conversation, and remembers it for
// equal calls. It returns the error that ends the run.
func (r *run) observe(ctx context.Context, p plan, o Observation) error {
	if len(o.Text) > maxText {
		o.Text = fmt.Sprintf("The call ended: %s %s. Its text has %d bytes, more than can be read, and is left out.",
			o.Status, o.Code, len(o.Text))
	}
	r.state.Messages = append(r.state.Messages, Message{Role: RoleTool, CallID: p.call.ID, Text: o.Text})
	sent := r.state.Sent
	r.state.Sent = nil
	r.state.Seen.Chain = r.chain()
	if o.Made {
		r.state.Seen = r.state.Seen.After(o.Trust)
	}
	if o.Code == contract.CodeConfirmationDeclined {
		r.state.Declined[p.key] = true
	}
	if sent != nil && p.writes() && o.mayHaveEffect() {
		r.state.Effects[p.key] = *sent
	}
	r.emit(Event{Kind: EventObserved, Call: p.call, Observed: o})
	err := r.save(ctx)
	if o.endsRun() {
		return errors.Join(o.Err, err)
	}
	return err
}

// mayHaveEffect reports whether the call may have had its effect: it succeeded,
// it failed for good, or the agent does not exclude an effect of the failure.
func (o Observation) mayHaveEffect() bool { return o.Err == nil || o.endsRun() || o.effectPossible }

// endsRun reports whether a call failed for good. A call that the agent refused
// before it was sent does not end the run.
func (o Observation) endsRun() bool {
	return o.Class == contract.ClassFatal && o.Err != nil && (o.Made || o.Code != agent.CodeRefused)
}
