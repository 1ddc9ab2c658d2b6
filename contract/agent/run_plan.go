package agent

import (
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/internal/suggest"
	"github.com/toolcontract/toolcontract/risk"
)

// The rules of a run, beside those of its [Policy].
const (
	ruleRepeated = "run.repeated"
	ruleDeclined = "run.declined"
	ruleFailed   = "run.failed"
	ruleTooMany  = "run.callsOfTurn"
	ruleUnknown  = "run.unknownTool"
	ruleSearch   = "run.search"
)

// A plan is one call with the decision about it.
type plan struct {
	call     ToolCall
	tool     knownTool
	digest   string
	decision Decision
	preview  bool // it is a dry run, by its arguments
	besides  bool // it may run beside other calls
}

// writes reports whether the call can have an effect.
func (p plan) writes() bool { return p.tool.Contract.Effect != risk.ReadOnly && !p.preview }

// group returns the plans of the first call, and of those after it that may run
// beside it.
func (l *loop) group(calls []ToolCall, position int, seen Exposure) []plan {
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
func (l *loop) plan(c ToolCall, position int, seen Exposure) plan {
	p := plan{call: c, digest: c.digest(), tool: l.known[c.Tool]}
	switch {
	case position >= l.limits.CallsOfTurn:
		p.decision = refuse(ruleTooMany, fmt.Sprintf("One turn may have %d calls. Make the others in the next turn.", l.limits.CallsOfTurn))
	case p.tool.caller == nil:
		p.decision = refuse(ruleUnknown, l.unknown(c.Tool))
	case l.task.Finder != nil && c.Tool == FindTools:
		p.decision = Decision{Handling: HandleRun, Rule: ruleSearch, Reason: "It searches the list of tools."}
	default:
		p.decision = l.task.Policy.Decide(p.tool.Tool, c.raw(), seen)
		p.preview = p.decision.Rule == ruleDryRun
		l.recall(&p)
	}
	p.besides = p.decision.Handling == HandleRun && runsBesides(p.tool.Tool)
	return p
}

// recall makes the decision stricter by what became of equal calls of the run.
func (l *loop) recall(p *plan) {
	asks := p.decision.Handling == HandleAsk || p.decision.Handling == HandleAskTyping
	effect, had := l.state.Effects[p.digest]
	_, again := l.state.sent(p.call) // the same call, and not an equal one
	switch {
	case p.decision.Handling == HandleRefuse:
	case l.state.Declined[p.digest]:
		p.decision = refuse(ruleDeclined, "A person declined this call before. Do not repeat it; ask what to do instead.")
	case l.state.Failed[p.digest] >= l.limits.Failures:
		p.decision = refuse(ruleFailed, fmt.Sprintf("This call failed %d times with these arguments. Change them, or do something else.", l.limits.Failures))
	case !again && p.writes() && had && !repeatable(p.tool.Tool, effect) && !asks:
		p.decision = Decision{Handling: HandleAsk, Rule: ruleRepeated, Reason: "This run has made the same call before, so it may have its effect twice."}
	}
	if asks = p.decision.Handling == HandleAsk || p.decision.Handling == HandleAskTyping; asks && !p.decision.ByServer && l.task.Host.Ask == nil {
		p.decision = refuse(ruleUnattended, p.decision.Reason+" No person can be asked.")
	}
}

// unknown returns what the model reads about a tool that does not exist. The
// name is its own text, and is left out.
func (l *loop) unknown(name string) string {
	names := make([]string, 0, len(l.offered))
	for _, t := range l.shown() {
		names = append(names, t.Name)
	}
	if nearest := suggest.Nearest(name, names); nearest != "" {
		return "There is no tool of this name. Did you mean " + nearest + "?"
	}
	if len(names) == 0 {
		return "There is no tool of this name, and none at all in this task."
	}
	return "There is no tool of this name. The tools are: " + strings.Join(names[:min(len(names), 50)], ", ") + "."
}
