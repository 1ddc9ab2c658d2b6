package verify

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/trust"
)

func (v *verifier) judgeReached(c *claim) {
	c.shown = len(v.reached())
	if c.shown > 0 {
		return
	}
	if len(v.attempts) == 0 {
		c.doubt("there are no cases")
	}
	for _, t := range v.attempts {
		switch r := t.first.result; {
		case t.first.err != nil:
			c.doubt("%q: %v", t.name, t.first.err)
		case r != nil:
			c.doubt("%q: %s", t.name, oneLine(r.Text))
		}
	}
	c.unknown = c.unknown[:min(len(c.unknown), maxShown)]
}

// judgeSucceeded judges a tool whose handler was reached.
func (v *verifier) judgeSucceeded(c *claim) {
	first := ""
	for _, t := range v.reached() {
		for _, o := range []observedCall{t.first, t.second} {
			switch {
			case o.result != nil && !o.result.IsError:
				c.shown++
			case first == "":
				first = oneLine(o.failure())
			}
		}
	}
	if c.shown == 0 {
		c.doubt("no call succeeded; the handler's first error: %s", first)
	}
}

// failure describes how a call failed, in the handler's own words if it has
// any.
func (o observedCall) failure() string {
	for _, run := range o.runs {
		switch {
		case run.err != nil:
			return run.err.Error()
		case run.panicked != nil:
			return fmt.Sprint("panic: ", run.panicked)
		}
	}
	if o.result != nil {
		return o.result.Text
	}
	return fmt.Sprint(o.err)
}

// withdraw makes every consistent judgement unknown if no call succeeded: a
// handler that fails early shows little of what it does.
func (v *verifier) withdraw() {
	if !slices.ContainsFunc(v.judgements, func(j Judgement) bool { return isShowing(j.Rule) && j.Conclusion == Unknown }) {
		return
	}
	v.judgements = slices.DeleteFunc(v.judgements, func(j Judgement) bool {
		return j.Rule == ruleNotReached && j.Conclusion == Consistent
	})
	for i, j := range v.judgements {
		if j.Conclusion == Consistent {
			v.judgements[i].Conclusion, v.judgements[i].Observed = Unknown, "no call succeeded"
		}
	}
}

func (v *verifier) judgePanics(c *claim) {
	for _, t := range v.reached() {
		c.shown++
		for _, o := range t.calls() {
			for _, run := range o.runs {
				if run.panicked != nil {
					c.contradict(t.name, "the handler panics: %s", oneLine(fmt.Sprint(run.panicked)))
				}
				if run.exited {
					c.contradict(t.name, "the handler ends its goroutine, as runtime.Goexit and FailNow of a test do")
				}
			}
		}
	}
}

// isOwn reports whether a code is one of the tool's own failures.
func (v *verifier) isOwn(code string) bool {
	return slices.ContainsFunc(v.doc.FailureModes, func(m contract.FailureMode) bool {
		return m.Code == code && m.By == contract.ByTool
	})
}

func (v *verifier) judgeErrors(c *claim) {
	for _, t := range v.reached() {
		for _, o := range t.calls() {
			for _, run := range o.runs {
				if !run.ended {
					continue
				}
				c.shown++
				if run.err == nil || run.ctxEnded {
					continue
				}
				failure, isFailure := errors.AsType[*contract.Error](run.err)
				switch {
				case isFailure && v.isOwn(failure.Code()):
				case observe.FactsOf(v.tool).OtherErrors != "" || o.result != nil && o.result.Outcome.Code != contract.CodeInternalError:
				case isFailure:
					c.contradict(t.name, "the handler returns the failure %s", failure.Code())
				default:
					c.contradict(t.name, "the handler returns a plain error of type %T: %s", run.err, oneLine(run.err.Error()))
				}
			}
		}
	}
}

func (v *verifier) judgeFailedEffects(c *claim) {
	for _, t := range v.reached() {
		r := t.first.result
		if r == nil || !r.IsError {
			continue
		}
		i := slices.IndexFunc(v.doc.FailureModes, func(m contract.FailureMode) bool { return m.Code == r.Outcome.Code })
		if i < 0 || !isHarmless(v.doc.FailureModes[i]) {
			continue
		}
		c.shown++
		if len(t.first.changes) > 0 {
			c.contradict(t.name, "the call fails with %s after: %s", r.Outcome.Code, summarize(t.first.changes))
		}
		for _, blind := range t.first.blind {
			c.doubt("no witness saw the effect of: %s", blind)
		}
	}
	if c.shown == 0 {
		c.doubt("no case provokes such a failure")
	}
}

// noteFailures notes the declared failures that no case provoked.
func (v *verifier) noteFailures() {
	seen := map[string]bool{}
	for _, t := range v.attempts {
		for _, o := range t.calls() {
			if o.result != nil {
				seen[o.result.Outcome.Code] = true
			}
		}
	}
	var never []string
	for _, m := range v.doc.FailureModes {
		if m.By == contract.ByTool && !seen[m.Code] {
			never = append(never, m.Code)
		}
	}
	if len(never) > 0 {
		v.notes = append(v.notes, fmt.Sprintf("[%s] %s: no case provoked %s; %s", ruleFailureNeverSeen,
			v.words(ruleFailureNeverSeen), strings.Join(never, ", "), claimNamed(ruleFailureNeverSeen).Remedy))
	}
}

// judgeResults judges the results of all calls. wrong describes what is wrong
// with one, or returns "".
func (v *verifier) judgeResults(c *claim, wrong func(*attempt, *contracttest.Result) string) {
	for _, t := range v.reached() {
		for _, o := range t.calls() {
			if o.result == nil {
				continue
			}
			if !o.result.IsError {
				c.shown++
			}
			if text := wrong(t, o.result); text != "" {
				c.contradict(t.name, "%s", text)
			}
		}
	}
	if c.shown == 0 {
		c.doubt("no call succeeded")
	}
}

func (v *verifier) judgeOutput(c *claim) {
	v.judgeResults(c, func(t *attempt, r *contracttest.Result) string {
		if r.Outcome.Code != contract.CodeOutputInvalid {
			return ""
		}
		return "the result does not fit: " + t.cause()
	})
}

func (v *verifier) judgeSize(c *claim) {
	v.judgeResults(c, func(t *attempt, r *contracttest.Result) string {
		if r.Outcome.Code != contract.CodeResultTooLarge {
			return ""
		}
		return t.cause()
	})
}

func (v *verifier) judgeCharacters(c *claim) {
	v.judgeResults(c, func(t *attempt, r *contracttest.Result) string {
		if r.Outcome.Sanitized == 0 || r.IsError || hasHidden(tree(t.arguments)) {
			return ""
		}
		return fmt.Sprintf("the guard removed %d control or invisible characters from the result", r.Outcome.Sanitized)
	})
}

// hasHidden reports whether a string in a tree has characters that a guard
// removes. A result may echo such a string without them.
func hasHidden(value any) bool {
	switch value := value.(type) {
	case string:
		_, removed := trust.Sanitize(value)
		return removed > 0
	case []any:
		return slices.ContainsFunc(value, hasHidden)
	case map[string]any:
		for name, member := range value {
			if hasHidden(name) || hasHidden(member) {
				return true
			}
		}
	}
	return false
}

func (v *verifier) judgeLeaks(c *claim) {
	for _, t := range v.reached() {
		c.shown += t.searchable
		for _, leak := range t.leaks {
			c.contradict(t.name, "%s", leak)
		}
	}
	if c.shown == 0 {
		c.doubt("no case has a sensitive or secret value of at least %d characters that no other argument has", minCanary)
	}
}

func (v *verifier) judgeInvalid(c *claim) {
	if v.annotates(uncheckedKeyword) {
		c.doubt("nothing checks the patterns that are not RE2")
	}
	broken, err := v.invalid()
	if err != nil {
		c.doubt("no invalid arguments were drawn: %v", err)
		return
	}
	in := input{name: "invalid"}
	if len(v.attempts) > 0 {
		in.setup, in.as = v.attempts[0].setup, v.attempts[0].as
	}
	l, reached := &runLog{}, 0
	h := v.open(in, l)
	defer func() { h.close() }()
	for _, b := range broken {
		r, err := h.client.Try(v.doc.Name, b.JSON)
		if err == nil && r.Outcome.Code == contract.CodeRateLimitExceeded {
			h.close()
			h = v.open(in, l)
			r, err = h.client.Try(v.doc.Name, b.JSON)
		}
		switch n := l.count(); {
		case err != nil:
		case n > reached:
			reached = n
			c.contradict("invalid "+b.Keyword, "arguments that break %s at %s reach the handler: %s", b.Keyword,
				cmp.Or(b.Pointer, "the root"), oneLine(string(b.JSON)))
		case r.Outcome.Code == contract.CodeInvalidInput:
			c.shown++
		}
	}
}

func (v *verifier) judgeResolve(c *claim) {
	for _, t := range v.attempts {
		if t.first.err == nil {
			c.shown++
		}
		c.resolutions(t, false)
	}
}

// resolutions records the wrong resolutions of one kind.
func (c *claim) resolutions(t *attempt, below bool) {
	for _, wrong := range t.resolved {
		if wrong.below == below {
			c.contradict(t.name, "%s", oneLine(wrong.err.Error()))
		}
	}
}

// judgeLeast judges the least that the contract publishes for calls whose
// arguments weaken it. A least that no case reaches may be too low.
func (v *verifier) judgeLeast(c *claim) {
	least := v.doc.Effective().Resolves
	seen := v.doc.Effective()
	for _, t := range v.attempts {
		c.resolutions(t, true)
		if t.first.err != nil {
			continue
		}
		c.shown++
		seen.Effect, seen.Risk = min(seen.Effect, t.doc.Effect), min(seen.Risk, t.doc.Risk)
		seen.Confirmation = min(seen.Confirmation, t.doc.Confirmation)
		seen.Permissions = slices.DeleteFunc(seen.Permissions, func(p string) bool { return !slices.Contains(t.doc.Permissions, p) })
	}
	if least == nil {
		return
	}
	if seen.Effect > least.Effect {
		c.doubt("no case has effect %s", least.Effect)
	}
	if seen.Risk > least.Risk {
		c.doubt("no case has risk %s", least.Risk)
	}
	if seen.Confirmation > least.Confirmation {
		c.doubt("no case has confirmation %s", least.Confirmation)
	}
	if len(seen.Permissions) > len(least.Permissions) {
		c.doubt("no case needs fewer permissions than %s", strings.Join(seen.Permissions, ", "))
	}
}

// maxDeadlines caps the cases that are called with a context that has already
// ended.
const maxDeadlines = 3

func (v *verifier) judgeDeadline(c *claim) {
	reached := v.reached()
	for _, t := range reached {
		if t.first.running || t.first.hung {
			c.contradict(t.name, "the handler was running %v after its call had ended", patience)
		}
	}
	for _, t := range reached[:min(len(reached), maxDeadlines)] {
		if len(c.contradictions) > 0 {
			return
		}
		l := &runLog{cut: true}
		h := v.open(t.input, l)
		ended := waitFor(func() { _, _ = h.plain(t.input) }, patience) // only the time counts
		if running := !waitFor(l.wait, patience); l.count() > 0 {
			c.shown++
			if !ended || running {
				c.contradict(t.name, "the handler was running %v after its context had ended", patience)
			}
		}
		h.close()
	}
}
