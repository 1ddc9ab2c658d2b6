package loop

import (
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/risk"
)

// The rules of a run, beside those of its [agent.Policy].
const (
	ruleRepeated = "run.repeated"
	ruleDeclined = "run.declined"
	ruleFailed   = "run.failed"
	ruleTooMany  = "run.callsOfTurn"
	ruleUnknown  = "run.unknownTool"
)

// The rules of [agent.Policy] that the loop knows.
const (
	rulePreview    = "dryRun.preview"
	ruleUnattended = "host.unattended"
	ruleArguments  = "arguments.invalid"
	ruleTooLarge   = "arguments.size"
)

// A plan is one call with the decision about it.
type plan struct {
	call     ToolCall
	tool     knownTool
	key      string
	decision agent.Decision
	preview  bool // it is a dry run, by its arguments
	again    bool // it may have reached its server, in a run that was interrupted
	besides  bool // it may run beside other calls
}

// writes reports whether the call can have an effect.
func (p plan) writes() bool { return p.tool.Contract.Effect != risk.ReadOnly && !p.preview }

// group returns the plans of the first call, and of those after it that may run
// beside it.
func (l *loop) group(calls []ToolCall, position int, seen agent.Exposure) []plan {
	group := []plan{l.plan(calls[0], position, seen)}
	for i := 1; i < len(calls) && group[0].besides; i++ {
		next := l.plan(calls[i], position+i, seen)
		if !next.besides {
			break
		}
		group = append(group, next)
	}
	return group
}

// plan decides about a call.
func (l *loop) plan(c ToolCall, position int, seen agent.Exposure) plan {
	p := plan{call: c, key: agent.KeyOf(l.state.ID, c.Tool, c.raw()), tool: l.known[c.Tool]}
	_, p.again = l.state.Sent[c.ID] // this call, and not an equal one
	switch {
	case position >= l.limits.CallsOfTurn:
		p.decision = refuse(ruleTooMany, fmt.Sprintf(
			"One turn may have %d calls. Make the others in the next turn.", l.limits.CallsOfTurn))
	case p.tool.caller == nil:
		p.decision = refuse(ruleUnknown, l.unknown())
	default:
		p.decision = l.task.Policy.Decide(p.tool.Tool, c.raw(), seen)
		p.preview = p.decision.Rule == rulePreview
		l.recall(&p)
	}
	p.besides = p.decision.Handling == agent.HandleRun && runsBesides(p.tool.Tool)
	return p
}

// runsBesides reports whether a call may run beside others: only reads that a
// contract declares. Hints promise nothing.
func runsBesides(t agent.Tool) bool {
	return t.Origin != agent.OriginHints && t.Contract.Effect == risk.ReadOnly
}

// recall makes the decision stricter by what became of equal calls of the run.
func (l *loop) recall(p *plan) {
	effect, had := l.state.Effects[p.key]
	switch {
	case p.decision.Handling == agent.HandleRefuse:
	case l.state.Declined[p.key]:
		p.decision = refuse(ruleDeclined, "A person declined this call before. Do not repeat it; ask what to do instead.")
	case l.state.Failed[p.key] >= l.limits.Failures:
		p.decision = refuse(ruleFailed, fmt.Sprintf(
			"This call failed %d times with these arguments. Change them, or do something else.", l.limits.Failures))
	case !p.again && p.writes() && had && !effect.Repeatable(p.tool.Tool) && !asks(p.decision):
		p.decision = agent.Decision{
			Handling: agent.HandleAsk, Rule: ruleRepeated,
			Reason: "This run has made the same call before, so it may have its effect twice.",
		}
	}
	if asks(p.decision) && !p.decision.ByServer && l.task.Host.Ask == nil {
		p.decision = refuse(ruleUnattended, p.decision.Reason+" No person can be asked.")
	}
}

func asks(d agent.Decision) bool {
	return d.Handling == agent.HandleAsk || d.Handling == agent.HandleAskTyping
}

func refuse(rule, reason string) agent.Decision {
	return agent.Decision{Handling: agent.HandleRefuse, Rule: rule, Reason: reason}
}

// maxNames bounds the names that the model reads after a wrong one.
const maxNames = 50

// unknown returns what the model reads about a tool that does not exist. The
// name is its own text, and is left out.
func (l *loop) unknown() string {
	names := make([]string, 0, len(l.offered))
	for _, t := range l.offered {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return "There is no tool of this name, and none at all in this task."
	}
	return "There is no tool of this name. The tools are: " + strings.Join(names[:min(len(names), maxNames)], ", ") + "."
}
