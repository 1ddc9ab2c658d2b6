package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/toolcontract/toolcontract/idempotency"
)

// judgeTime bounds how long a history is judged. One that is not judged by then
// is unknown.
const judgeTime = 20 * time.Second

// judge returns what contradicts the contract and what is unknown, at most one
// judgement for each key.
func (r *historyRun) judge() []Judgement {
	v := &verifier{tool: r.tool, doc: r.doc, config: &r.settings}
	for key := range r.inputs {
		history := slices.DeleteFunc(slices.Clone(r.operations), func(o porcupine.Operation) bool { return inputOf(o).key != key })
		model := historyModel{mode: r.mode(), reruns: r.doc.Idempotency.OnUnknown == idempotency.Rerun, faulty: r.faulty}
		c := &claim{rule: ruleHistory, shown: 1}
		at := fmt.Sprintf("input %s", oneLine(string(r.inputs[key])))
		switch r.order(model.porcupine(), history) {
		case porcupine.Illegal:
			rule, observed := model.why(history)
			c.rule = rule
			c.contradict(at, "%s\n%s", observed, listed(history))
		case porcupine.Unknown:
			c.doubt("the history of %s was not judged within %v; run the test on a machine that does less at the same time", at, judgeTime)
		case porcupine.Ok:
		}
		v.conclude(c)
	}
	if !slices.ContainsFunc(r.runs, func(n int) bool { return n > 0 }) {
		v.conclude(&claim{rule: ruleNotReached, unknown: []string{"no call of the history reached the handler"}})
	}
	return slices.DeleteFunc(v.judgements, func(j Judgement) bool { return j.Conclusion == Consistent })
}

// listed returns the operations of a history, one on a line.
func listed(history []porcupine.Operation) string {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var lines []string
	for _, o := range history {
		lines = append(lines, fmt.Sprintf("  caller %d, %v to %v: %v", o.ClientId, time.Duration(o.Call).Round(time.Microsecond),
			time.Duration(o.Return).Round(time.Microsecond), answerIn(o)))
	}
	return strings.Join(lines, "\n")
}
