package verify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// An Observation is what [Tool] observed about one tool. As JSON, it is an
// object with the members below. It is plain data: its methods do not change
// it, and it is safe for concurrent use as long as nobody changes it.
type Observation struct { //nolint:recvcheck // only Tool fills it in
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// Judgements has one judgement for each claim of the contract that is
	// consistent or unknown, and one for each contradiction, in the order of
	// [Claims]. Rules about clauses that the contract does not have are left
	// out.
	Judgements []Judgement `json:"judgements"`
	// Cases are the calls that were tried, in order.
	Cases []TriedCase `json:"cases"`
	// Witnesses names what observed the calls: kernel, folder, http or state.
	Witnesses []string `json:"witnesses"`
	// NoKernel says why the kernel was not a witness. Empty: it was one.
	NoKernel string `json:"noKernel,omitempty"`
	// Unseen describes what none of the witnesses sees.
	Unseen []string `json:"unseen"`
	// Notes are observations that do not contradict anything, such as declared
	// failures that no case provoked, and allowed effects with their reasons.
	Notes []string `json:"notes"`
	// Runs is how often the handler ran.
	Runs int `json:"runs"`
	// Duration is how long the verification took. In JSON it is in nanoseconds.
	Duration time.Duration `json:"duration"`
}

// A Judgement is the conclusion about one rule.
type Judgement struct {
	// Rule is the ID of the rule, such as "readonly.effect".
	Rule string `json:"rule"`
	// Conclusion is contradicted, consistent or unknown.
	Conclusion Conclusion `json:"conclusion"`
	// Clause is the claim as the tool's author wrote it: a struct tag if a tag
	// declares it, otherwise a method of the builder.
	Clause string `json:"clause,omitempty"`
	// Case is the name of the case that contradicts the claim.
	Case string `json:"case,omitempty"`
	// Observed is what contradicts the claim, or why the conclusion is unknown.
	Observed string `json:"observed,omitempty"`
	// Remedy says what to change. It is empty for a consistent claim.
	Remedy string `json:"remedy,omitempty"`
	// Accepted is the reason given to [WithAccepted]. Empty: the contradiction
	// is not accepted.
	Accepted string `json:"accepted,omitempty"`

	fails bool // an unknown that fails the test
}

// String returns the judgement on one line, leaving out empty parts.
func (j Judgement) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v [%s]", j.Conclusion, j.Rule)
	if j.Clause != "" {
		b.WriteString(" " + j.Clause)
	}
	if j.Case != "" {
		b.WriteString(": in " + strconv.Quote(j.Case))
	}
	if j.Observed != "" {
		b.WriteString(": " + j.Observed)
	}
	if j.Remedy != "" {
		b.WriteString("; " + j.Remedy)
	}
	if j.Accepted != "" {
		b.WriteString(" (accepted: " + j.Accepted + ")")
	}
	return b.String()
}

// A TriedCase is one case with the result of its call.
type TriedCase struct {
	// Name is the name of the [Case], or "drawn 1" and so on.
	Name string `json:"name"`
	// Input is the arguments as JSON.
	Input string `json:"input"`
	// Reached reports whether the call reached the handler.
	Reached bool `json:"reached"`
	// Status is the status of the outcome, and Code its code if the call
	// failed.
	Status string `json:"status"`
	Code   string `json:"code,omitempty"`
}

// count returns how many judgements have the conclusion and are not accepted.
func (o Observation) count(c Conclusion) int {
	n := 0
	for _, j := range o.Judgements {
		if j.Conclusion == c && j.Accepted == "" {
			n++
		}
	}
	return n
}

// assert fails t for each contradiction that is not accepted, and for each
// unknown that must be known; see [WithRequired]. It logs everything else,
// unknowns as unknown.
func (o Observation) assert(t testing.TB) {
	t.Helper()
	for _, j := range o.Judgements {
		if j.Accepted == "" && (j.Conclusion == Contradicted || j.fails) {
			t.Errorf("verify: %s: %v", o.Tool, j)
		}
	}
	t.Logf("verify: %s", o)
}

// String returns the whole report as text: a line of counts, then a line for
// each judgement that is not consistent, the cases that did not reach the
// handler, and the notes. If no call succeeded, the last line says so, with the
// first error. There is no newline at the end.
func (o Observation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d consistent, %d unknown, %d contradicted; %s, %s in %v",
		o.Tool, o.count(Consistent), o.count(Unknown), o.count(Contradicted),
		quantity(len(o.Cases), "case"), quantity(o.Runs, "run"), o.Duration.Round(time.Millisecond))
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\n  "+format, args...) }
	var consistent []string
	for _, j := range o.Judgements {
		if j.Conclusion == Consistent {
			consistent = append(consistent, j.Rule)
			continue
		}
		line("%v", j)
	}
	if len(consistent) > 0 {
		line("consistent: %s", strings.Join(consistent, ", "))
	}
	line("witnesses: %s", strings.Join(o.witnesses(), ", "))
	for _, c := range o.Cases {
		if !c.Reached {
			line("not reached: %q: %s %s", c.Name, c.Status, c.Code)
		}
	}
	for _, note := range o.Notes {
		line("note: %s", note)
	}
	for _, j := range o.Judgements {
		if isShowing(j.Rule) && j.Conclusion == Unknown {
			line("NOTHING WAS SHOWN: no conclusion about %s is consistent, because %s", o.Tool, j.Observed)
		}
	}
	return b.String()
}

// witnesses lists the witnesses, and why the kernel is not one.
func (o Observation) witnesses() []string {
	all := slices.Clone(o.Witnesses)
	if o.NoKernel != "" {
		all = append(all, "no kernel, because "+o.NoKernel)
	}
	return all
}

// quantity returns a number with its noun, such as "1 case" or "2 cases".
func quantity(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// A Conclusion is what [Tool] concludes about one claim of a contract. None of
// the conclusions is a proof: a handler that keeps its contract in a few calls
// may break it in others. The zero value is not a conclusion: the claim does
// not apply to the tool.
type Conclusion string

const (
	// Consistent means that the claim was observed and nothing contradicts it.
	Consistent Conclusion = "consistent"
	// Unknown means that nothing was observed, or that no witness sees enough.
	// It never counts as a pass.
	Unknown Conclusion = "unknown"
	// Contradicted means that a call did what the claim rules out.
	Contradicted Conclusion = "contradicted"
)
