package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
)

// A historyInput is what an operation in a history does: call with a key, or
// count the effects of one.
type historyInput struct {
	key   int
	count bool
}

// A historyAnswer is how an operation ended.
type historyAnswer struct {
	kind    answerKind
	value   string // the result, or a failure's code
	passed  string // the key that the handler passes on, if it ran
	runs    int
	effects int  // of a count
	clean   bool // a failure that is declared to have no effect
}

// An answerKind is what the answer to a call means for its key.
type answerKind int

const (
	refused        answerKind = iota // the call was not made, for example because it must wait
	done                             // the handler ran and succeeded
	freed                            // the handler ran and failed, without an effect
	failed                           // the handler ran, and its failure is recorded
	unclear                          // the handler ran and may have had its effect
	replayed                         // the recorded answer
	outcomeUnknown                   // the guard does not know the outcome of another call
	recorded                         // another call was made; its result is not available
	counted
)

func inputOf(o porcupine.Operation) historyInput {
	in, _ := o.Input.(historyInput)
	return in
}

func answerIn(o porcupine.Operation) historyAnswer {
	answer, _ := o.Output.(historyAnswer)
	return answer
}

// String describes the answer.
func (a historyAnswer) String() string {
	words := map[answerKind]string{
		refused: "refused", done: "ran and succeeded", freed: "ran and failed without an effect", failed: "ran and failed",
		unclear: "ran and ended without a known outcome", replayed: "replayed", outcomeUnknown: "outcome unknown",
		recorded: "done before", counted: fmt.Sprintf("%d effects were counted", a.effects),
	}
	text := words[a.kind]
	if a.value != "" {
		text += " (" + oneLine(a.value) + ")"
	}
	if a.runs > 1 {
		text += fmt.Sprintf(", %d runs", a.runs)
	}
	return text
}

// answer classifies the answer to a call.
func (r *historyRun) answer(result *adapter.CallResult, err error, mark *runMark) historyAnswer {
	mark.mu.Lock()
	a := historyAnswer{runs: mark.runs, passed: mark.passed}
	mark.mu.Unlock()
	if err != nil || result == nil {
		if a.runs > 0 {
			a.kind = unclear
		}
		return a
	}
	a.value = textOf(result)
	code := result.Outcome.Code
	switch {
	case result.Outcome.Status == contract.StatusReplayed:
		a.kind = replayed
		if result.IsError {
			a.value = code
		}
	case !result.IsError && a.runs == 0:
		a.kind, a.value = recorded, "a success without a run"
	case !result.IsError:
		a.kind = done
	case a.runs == 0:
		a.kind = r.failureWithoutRun(code)
		a.value = code
	default:
		a.kind, a.clean = r.failure(code)
		a.value = code
	}
	return a
}

// textOf returns the text of an answer. In a replayed answer, the last text
// comes from the guard.
func textOf(answer *adapter.CallResult) string {
	content := answer.Content
	if answer.Outcome.Status == contract.StatusReplayed {
		content = content[:max(0, len(content)-1)]
	}
	if len(content) == 0 {
		return ""
	}
	text, _ := content[0].(contract.TextContent)
	return text.Text
}

// failureWithoutRun classifies a failure for which the handler did not run.
func (r *historyRun) failureWithoutRun(code string) answerKind {
	switch code {
	case contract.CodeOutcomeUnknown:
		return outcomeUnknown
	case contract.CodeAlreadyDone:
		return recorded
	}
	return refused
}

// failure classifies a failure of a handler that ran, and reports whether it is
// declared to have no effect.
func (r *historyRun) failure(code string) (kind answerKind, clean bool) {
	for _, m := range r.doc.FailureModes {
		switch {
		case m.Code != code || m.By != contract.ByTool:
		case m.Class == contract.ClassFatal:
			return failed, !m.EffectPossible
		case m.EffectPossible:
			return unclear, false
		default:
			return freed, true
		}
	}
	if code == contract.CodeOutputInvalid || code == contract.CodeResultTooLarge {
		return failed, false
	}
	return unclear, false
}

// A keyState is what is recorded for a key.
type keyState struct {
	record  recordState
	value   string
	effects int
	// passed has the keys that handlers have passed on, one for each generation
	// of the record.
	passed string
}

type recordState int

const (
	nothing   recordState = iota // the next call runs the handler
	succeeded                    // the next call is answered with value
	refusing                     // the next call gets the recorded failure's code
	abandoned                    // the outcome of a run is unknown
	lost                         // the store may or may not have the outcome
	committed                    // an atomic call succeeded, with a result that no caller has
)

// A historyModel is the contract of one key as a sequential specification.
type historyModel struct {
	mode   idempotency.Mode
	reruns bool // a call runs if an earlier one's outcome is unknown
	asks   bool // or asks the system what became of that one
	faulty bool // the store fails at times
	atomic bool
}

func (m historyModel) porcupine() porcupine.Model {
	nondeterministic := porcupine.NondeterministicModel{
		Init: func() []any { return []any{keyState{}} },
		Step: func(state, _, output any) []any {
			from, _ := state.(keyState)
			answer, _ := output.(historyAnswer)
			var next []any
			passed, ok := m.passedOn(from, answer)
			if !ok {
				return nil
			}
			for _, to := range m.next(from, answer) {
				to.passed = passed
				next = append(next, to)
			}
			return next
		},
	}
	return nondeterministic.ToModel()
}

// passedOn returns the keys that were passed on once a call is answered. It
// reports false if the call passed on another key than its generation has. A
// generation ends when the system has been told to refuse its key.
func (m historyModel) passedOn(s keyState, a historyAnswer) (passed string, ok bool) {
	switch {
	case strings.HasSuffix(s.passed, a.passed):
		return s.passed, true
	case s.passed != "" && !(m.asks && s.isOpen()), strings.Contains(s.passed, a.passed):
		return "", false
	}
	return s.passed + a.passed, true
}

// isOpen reports whether it is not known what became of a call.
func (s keyState) isOpen() bool { return s.record == abandoned || s.record == lost }

// next returns the states that an answer may lead to, or none if the contract
// rules the answer out.
func (m historyModel) next(s keyState, a historyAnswer) []keyState {
	switch a.kind {
	case refused:
		return []keyState{s}
	case counted:
		return m.onlyIf(a.effects == s.effects, s)
	case replayed:
		same := (s.record == succeeded || s.record == refusing) && s.value == a.value
		if s.record == committed || m.asks && s.isOpen() && s.effects == 1 { // the answer was found
			return []keyState{{record: succeeded, value: a.value, effects: s.effects}}
		}
		return m.onlyIf(same || s.record == lost, s)
	case recorded:
		return m.onlyIf(s.record == succeeded || s.record == refusing || s.record == lost || s.record == committed, s)
	case outcomeUnknown:
		return m.onlyIf(s.record == abandoned || s.record == lost && !m.atomic, s)
	case done, freed, failed, unclear:
	}
	if m.atomic {
		return m.afterAtomicRun(s, a)
	}
	if a.runs != 1 || !m.mayRun(s, a) {
		return nil
	}
	return m.afterRun(s, a)
}

func (historyModel) onlyIf(holds bool, s keyState) []keyState {
	if holds {
		return []keyState{s}
	}
	return nil
}

// mayRun reports whether a call may run the handler.
func (m historyModel) mayRun(s keyState, a historyAnswer) bool {
	switch s.record {
	case nothing:
		return true
	case abandoned, lost:
		return m.reruns || m.mode == idempotency.Native || m.asks && s.effects == 0
	case refusing:
		return m.mode == idempotency.Native
	case committed: // of an atomic call
	case succeeded:
		return m.mode == idempotency.Native && (a.kind != done || a.value == s.value)
	}
	return false
}

// afterRun returns the states after a run. The effect counts once, however
// often the handler runs.
func (m historyModel) afterRun(s keyState, a historyAnswer) []keyState {
	var next []keyState
	switch a.kind {
	case done:
		next = []keyState{{record: succeeded, value: a.value, effects: 1}}
	case freed:
		next = []keyState{{record: nothing, effects: s.effects}}
	case failed:
		next = []keyState{{record: refusing, value: a.value, effects: s.effects}}
		if !a.clean {
			next = append(next, keyState{record: refusing, value: a.value, effects: 1})
		}
	case unclear, refused, replayed, outcomeUnknown, recorded, counted:
		next = []keyState{{record: abandoned, effects: s.effects}, {record: abandoned, effects: 1}}
	}
	if m.faulty {
		for _, to := range next {
			next = append(next, keyState{record: lost, effects: to.effects})
		}
	}
	return next
}

// why names the rule that a history breaks, and what broke it.
func (m historyModel) why(history []porcupine.Operation) (rule, observed string) {
	succeededRuns, effects := 0, 0
	for _, o := range history {
		a := answerIn(o)
		if a.kind == done {
			succeededRuns++
		}
		effects = max(effects, a.effects)
	}
	switch {
	case effects > 1:
		return ruleSecondEffect, fmt.Sprintf("concurrent calls with one key had the effect %d times", effects)
	case succeededRuns > 1 && m.mode != idempotency.Native && !m.reruns:
		return ruleRanTwice, fmt.Sprintf("%d concurrent calls with one key ran the handler and succeeded", succeededRuns)
	case effects == 1 && succeededRuns == 0 && m.atomic:
		return ruleNotAtomic, "the effect of an undone call stayed"
	case effects == 1 && succeededRuns == 0:
		return ruleFailureEffect, "calls whose failures are declared without an effect had one"
	}
	return ruleHistory, "no order of the calls with one key explains their answers"
}

// judgeTime caps how long a history is judged. One that is not judged by then
// is unknown.
const judgeTime = 20 * time.Second

// judge returns contradictions and unknowns, at most one judgement for each
// key.
func (r *historyRun) judge() []Judgement {
	v := &verifier{tool: r.tool, doc: r.doc, config: &r.settings}
	for key := range r.inputs {
		history := slices.DeleteFunc(slices.Clone(r.operations), func(o porcupine.Operation) bool { return inputOf(o).key != key })
		model := historyModel{
			mode: r.mode(), reruns: r.doc.Idempotency.OnUnknown == idempotency.Rerun, asks: r.doc.Reconcile != nil,
			faulty: r.faulty, atomic: r.atomic(),
		}
		c := &claim{rule: ruleHistory, shown: 1}
		at := fmt.Sprintf("input %s", oneLine(string(r.inputs[key])))
		switch r.order(model.porcupine(), history) {
		case porcupine.Illegal:
			rule, observed := model.why(history)
			c.rule = rule
			c.contradict(at, "%s\n%s", observed, listOperations(history))
		case porcupine.Unknown:
			c.doubt("the history of %s was not judged within %v; run the test on a machine that does less at the same time", at, judgeTime)
		case porcupine.Ok:
		}
		r.judgeAtomic(key, at, history, c)
		v.conclude(c)
	}
	if r.atomic() && !r.succeeded {
		v.conclude(&claim{rule: ruleNeverSucceeded, unknown: []string{"no call of the history succeeded"}})
	}
	if !slices.ContainsFunc(r.runs, func(n int) bool { return n > 0 }) {
		v.conclude(&claim{rule: ruleNotReached, unknown: []string{"no call of the history reached the handler"}})
	}
	return notConsistent(v.judgements)
}

func notConsistent(all []Judgement) []Judgement {
	return slices.DeleteFunc(all, func(j Judgement) bool { return j.Conclusion == Consistent })
}

// listOperations returns the operations of a history, one per line.
func listOperations(history []porcupine.Operation) string {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var lines []string
	for _, o := range history {
		lines = append(lines, fmt.Sprintf("  caller %d, %v to %v: %v", o.ClientId, time.Duration(o.Call).Round(time.Microsecond),
			time.Duration(o.Return).Round(time.Microsecond), answerIn(o)))
	}
	return strings.Join(lines, "\n")
}
