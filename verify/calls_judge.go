package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/idempotency"
)

// step makes a step's calls and returns what contradicts the contract.
func (s *session) step(step Step) []Judgement {
	index := len(s.steps)
	s.steps = append(s.steps, step)
	s.results = append(s.results, nil)
	tool := s.byName[step.Tool]
	tool.calls.Add(1)
	h, end := s.harness(step)
	defer end()
	t := &attempt{input: input{name: fmt.Sprintf("step %d, %s", index, step.Tool), arguments: []byte(step.Input)}, doc: h.doc}
	v := &verifier{t: s.t, tool: h.tool, doc: h.doc, config: h.config, witness: h.witness, attempts: []*attempt{t}}
	if step.Invalid {
		t.first = h.call(func() (*contracttest.Result, error) { return h.client.Try(step.Tool, t.arguments) })
		return s.judge(v, []claimOf{{rulePanic, true, v.judgePanics}, {ruleInvalidReached, true, t.judgeRefusal}})
	}
	if !s.strange {
		s.strange = hasHidden(tree(t.arguments))
	}
	if step.Preview {
		t.preview = h.call(func() (*contracttest.Result, error) { return h.preview(t.input) })
	}
	t.first = h.call(func() (*contracttest.Result, error) { return h.plain(t.input) })
	if len(t.first.runs) > 0 {
		tool.reached.Add(1)
	}
	if step.Repeat && repeats(v, step) && !t.first.hung && !t.first.running {
		before := contentsOf(pathsOf(t.first.events))
		t.second = h.call(func() (*contracttest.Result, error) { return h.plain(t.input) })
		t.repeatChanged = t.changesOfRepeat(before)
	}
	t.resolve(s.runs)
	if !hasWeak(v.searchedValues(t.arguments)) {
		if t.leaks = h.leaks(t, nil); t.searchable > 0 {
			s.attempts = append(s.attempts, t)
		}
	}
	found := s.judge(v, s.claims(v, t, step))
	if r := t.first.result; r != nil && !r.IsError && r.Structured != nil {
		s.results[index] = tree(r.Structured)
		s.learn(step, s.results[index])
	}
	return found
}

// repeats reports whether the contract promises anything about repeating the
// step.
func repeats(v *verifier, step Step) bool {
	switch v.idempotency() {
	case idempotency.Native, idempotency.Managed:
		return true
	case idempotency.Keyed:
		return step.Key != ""
	default:
		return false
	}
}

// claims returns the claims that a single step's calls can contradict.
func (s *session) claims(v *verifier, t *attempt, step Step) []claimOf {
	all := slices.DeleteFunc(v.claims(), func(c claimOf) bool {
		switch c.rule {
		case ruleNotReached, ruleNeverSucceeded, ruleInvalidReached, ruleDeadlineIgnored:
			return true // they make calls of their own, or need all calls
		case ruleControlCharacters:
			return s.strange
		}
		return false
	})
	return append(all,
		claimOf{ruleOtherTenant, true, func(c *claim) { s.judgeTenants(c, t, step) }},
		claimOf{ruleDeleted, true, func(c *claim) { s.judgeDeleted(c, t, step) }})
}

// judge returns the contradictions that are not accepted, at most one for each
// claim.
func (s *session) judge(v *verifier, claims []claimOf) []Judgement {
	v.judge(claims)
	found := slices.DeleteFunc(v.judgements, func(j Judgement) bool { return j.Conclusion != Contradicted })
	return s.acceptances.without(v.doc.Name, found)
}

// end closes the guard and judges what its audit events show.
func (s *session) end() []Judgement {
	events := s.client.Close()
	var found []Judgement
	for i, t := range s.attempts {
		h := s.harnesses[t.doc.Name]
		t.leaks = h.leaks(t, events)
		v := &verifier{t: s.t, tool: h.tool, doc: h.doc, config: h.config, witness: h.witness, attempts: s.attempts[i : i+1]}
		found = append(found, s.judge(v, []claimOf{{ruleLeak, true, v.judgeLeaks}})...)
	}
	return found
}

// hasWeak reports whether a value is so short or simple that it may turn up by
// chance.
func hasWeak(values []searchedValue) bool {
	return slices.ContainsFunc(values, func(v searchedValue) bool {
		distinct := map[rune]bool{}
		for _, r := range v.text {
			distinct[r] = true
		}
		return len(v.text) < 10 || len(distinct) < 6
	})
}

// judgeRefusal judges a call whose arguments break the input schema.
func (c *attempt) judgeRefusal(of *claim) {
	if len(c.first.runs) > 0 {
		of.contradict(c.name, "the handler ran with arguments that break the input schema")
	}
	for _, change := range c.first.changes[:min(len(c.first.changes), maxShown)] {
		of.contradict(c.name, "a call with arguments that break the input schema: %s", change)
	}
}

// judgeTenants checks that a call does not use or reveal the resources of other
// tenants.
func (s *session) judgeTenants(c *claim, t *attempt, step Step) {
	r := t.first.result
	if r == nil || r.IsError {
		return
	}
	caller := s.caller(step)
	for _, thing := range s.things {
		if !thing.isForeign(caller) {
			continue
		}
		id, isText := thing.id.(string)
		switch {
		case thing.usedBy(step):
			c.contradict(t.name, "a call with the id of the %s of another tenant succeeds", thing.resource.word())
		case isText && !strings.Contains(step.Input, id) && hasLeaf(tree(r.Structured), id):
			c.contradict(t.name, "the result has the id of the %s of another tenant", thing.resource.word())
		}
	}
}

// judgeDeleted checks that a call does not use a deleted resource, and records
// those that it deletes itself. A tool that declares idempotency may delete one
// again.
func (s *session) judgeDeleted(c *claim, t *attempt, step Step) {
	if r := t.first.result; r == nil || r.IsError {
		return
	}
	for i := range s.things {
		thing := &s.things[i]
		_, deletes := thing.resource.Deleted[step.Tool]
		switch {
		case !thing.usedBy(step):
		case thing.deleted && !(deletes && t.doc.Idempotency != nil):
			c.contradict(t.name, "a call with the id of a deleted %s succeeds", thing.resource.word())
		case deletes:
			thing.deleted = true
		}
	}
}

// usedBy reports whether a step's arguments contain the thing's ID.
func (t thing) usedBy(step Step) bool {
	arguments := tree([]byte(step.Input))
	for _, tools := range []map[string]string{t.resource.Used, t.resource.Deleted} {
		if at, ok := tools[step.Tool]; ok {
			if id, err := lookup(arguments, at); err == nil && id == t.id {
				return true
			}
		}
	}
	return false
}

func (r *Resource) word() string {
	if r.Name == "" {
		return "resource"
	}
	return r.Name
}

// hasLeaf reports whether a tree has text as one of its values.
func hasLeaf(tree any, text string) bool {
	return slices.ContainsFunc(leaves(tree), func(at string) bool {
		value, err := lookup(tree, at)
		return err == nil && value == text
	})
}
