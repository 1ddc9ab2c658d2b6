package host

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

func longDescription(f Fact, t tool) []hit {
	n := utf8.RuneCountInString(t.Description)
	return when(n > f.Limit, "/description", fmt.Sprintf("the description has %d characters", n))
}

func missingDescription(_ Fact, t tool) []hit {
	return when(strings.TrimSpace(t.Description) == "", "/description", "")
}

func differentTitles(_ Fact, t tool) []hit {
	titles := []string{t.Title, t.Annotations.Title}
	return when(t.Title != t.Annotations.Title && !slices.Contains(titles, ""), "/annotations/title", "")
}

func missingHints(f Fact, t tool) []hit {
	var missing []string
	for _, word := range f.Keywords {
		has := map[string]bool{
			"title": t.Title != "" || t.Annotations.Title != "", "readOnlyHint": t.Annotations.ReadOnly != nil,
			"destructiveHint": t.Annotations.Destructive != nil, "openWorldHint": t.Annotations.OpenWorld != nil,
		}[word]
		if !has {
			missing = append(missing, word)
		}
	}
	return when(len(missing) > 0, "/annotations", "the tool lacks "+strings.Join(missing, ", "))
}

func notParallel(_ Fact, t tool) []hit {
	is := t.reads() && t.contract != nil && t.contract.MaxConcurrent == 1
	return when(is, pointerContract+"/maxConcurrent", "the contract lets one call run at a time")
}

// notCached finds read-only tools whose contract has a confirmation, a step-up
// or a side effect on every call.
func notCached(_ Fact, t tool) []hit {
	c := t.contract
	is := t.reads() && c != nil && (c.asksAlways() || len(c.StepUp) > 0 || len(c.SideEffects) > 0)
	return when(is, pointerContract, "by its contract, each call has a confirmation, a step-up or a side effect")
}

// notRepeatable finds writes that are not idempotent according to their
// contract or, if it isn't listed in full, its summary or their hints. A tool
// that always asks a person also asks about a repeated call.
func notRepeatable(_ Fact, t tool) []hit {
	safe := t.Annotations.Idempotent != nil && *t.Annotations.Idempotent
	switch c := t.contract; {
	case c.isFull() && c.Idempotency != nil:
		safe = oneOf(c.Idempotency.Mode, "native managed keyed")
	case c != nil:
		safe = safe || c.IdempotentForSeconds > 0
	}
	return when(!t.reads() && !safe && !t.contract.asksAlways(), "", "")
}

func keyValues(f Fact, t tool) []hit {
	var all []hit
	for _, key := range f.Keywords {
		value, has := t.Meta[key]
		all = append(all, when(has && string(value) != "true", join("/_meta", key), "")...)
	}
	return all
}

// The checks of hints, which apply to each mode, and of questions.
var (
	hintsUnasked = check{rule: ruleHintsUnasked,
		remedy: "send openWorldHint true or destructiveHint true if a person must decide, or have the server ask"}
	hintsModel         = check{rule: ruleHintsModel, remedy: "send readOnlyHint with every tool"}
	hintsContradiction = check{rule: ruleHintsContradiction, remedy: "send destructiveHint false with a read-only tool"}
	questionNone       = check{rule: ruleQuestionNone,
		remedy: "let a person decide on a page of the server, or offer the tool only to other hosts"}
)

// verbs is what a host does with a tool, to go before the tool's name.
var verbs = map[Action]string{Run: "runs", Ask: "asks about", Refuse: "refuses", Model: "lets a language model decide about"}

// lintHints reports what each mode that heeds hints does with the tools, other
// than running reads and asking about writes.
func (l *linter) lintHints() {
	for _, t := range l.tools {
		hints := t.Annotations.Hints
		h := hit{tool: t.Name, pointer: "/annotations"}
		contradicts := t.reads() && hints.Destructive != nil && *hints.Destructive
		for _, m := range l.host.Modes {
			do, _ := l.host.Decide(m.Name, hints)
			m.Level = Warning
			if t.contract != nil { // the tool author has decided when a person is asked
				m.Level = Info
			}
			switch {
			case !m.heedsHints():
			case contradicts:
				m.Does = fmt.Sprintf("%s a read-only tool that is destructive, in its mode %s", verbs[do], m.Name)
				l.report(hintsContradiction, m.Fact, h)
			case do == Run && !t.reads() && !t.asks():
				m.Does = "runs the write without a question, in its mode " + m.Name
				l.report(hintsUnasked, m.Fact, h)
			case do == Model:
				m.Does = "lets a language model decide, because readOnlyHint is missing, in its mode " + m.Name
				l.report(hintsModel, m.Fact, h)
			}
		}
	}
}

// lintQuestions reports tools that ask a person in a host that can show neither
// forms nor addresses.
func (l *linter) lintQuestions() {
	form, url := l.host.Has("form"), l.host.Has("url")
	if form.Has != "no" || url.Has != "no" {
		return
	}
	form.Does, form.Level = "cannot show the question of the tool", Info
	for _, t := range l.tools {
		if t.asks() {
			l.report(questionNone, form, hit{tool: t.Name, pointer: pointerContract + "/confirmation"})
		}
	}
}
