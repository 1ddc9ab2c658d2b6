package verify

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
)

// A Step is one call of a sequence, as package fuzz makes it and [Replay]
// repeats it. The zero value of each field is the common case.
type Step struct {
	// Tool is the name of the tool.
	Tool string
	// As makes the call. Zero: the first caller of [WithCallers].
	As contract.Principal
	// Input is the arguments as JSON.
	Input string
	// From maps members of Input, by JSON Pointer, to the results they come
	// from. Replay takes the values from its own results, so a sequence can be
	// repeated even if IDs differ.
	From map[string]Source
	// Key is the idempotency key that the client sends. Empty: none.
	Key string
	// Preview makes a dry run before the call.
	Preview bool
	// Repeat makes the call a second time.
	Repeat bool
	// Invalid means that the input breaks the input schema.
	Invalid bool
}

// A Source is a value in an earlier step's result.
type Source struct {
	// Step is the step's index, starting at 0.
	Step int
	// Pointer is the JSON Pointer into the step's structured content.
	Pointer string
}

// goOf returns the steps as a Go expression.
func goOf(steps []Step) string {
	var b strings.Builder
	b.WriteString("[]verify.Step{\n")
	for _, s := range steps {
		b.WriteString("\t" + s.literal() + ",\n")
	}
	b.WriteString("}")
	return b.String()
}

// literal returns the step as an element of a composite literal.
func (s Step) literal() string {
	var members []string
	add := func(name, value string) { members = append(members, name+": "+value) }
	add("Tool", strconv.Quote(s.Tool))
	if as := principalLiteral(s.As); as != "" {
		add("As", as)
	}
	add("Input", textLiteral(s.Input))
	if len(s.From) > 0 {
		var sources []string
		for _, at := range slices.Sorted(maps.Keys(s.From)) {
			sources = append(sources, fmt.Sprintf("%q: {Step: %d, Pointer: %q}", at, s.From[at].Step, s.From[at].Pointer))
		}
		add("From", "map[string]verify.Source{"+strings.Join(sources, ", ")+"}")
	}
	if s.Key != "" {
		add("Key", strconv.Quote(s.Key))
	}
	for name, is := range map[string]bool{"Preview": s.Preview, "Repeat": s.Repeat, "Invalid": s.Invalid} {
		if is {
			add(name, "true")
		}
	}
	slices.Sort(members[1:])
	return "{" + strings.Join(members, ", ") + "}"
}

// textLiteral returns text as a Go string literal, raw if possible.
func textLiteral(text string) string {
	if strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// principalLiteral returns a principal as a Go expression, or "" for the zero
// one. Its authentication time is when the test runs.
func principalLiteral(p contract.Principal) string {
	var members []string
	for _, text := range []struct{ name, value string }{{"Issuer", p.Issuer}, {"Tenant", p.Tenant}, {"Subject", p.Subject}} {
		if text.value != "" {
			members = append(members, fmt.Sprintf("%s: %q", text.name, text.value))
		}
	}
	if len(p.Permissions) > 0 {
		members = append(members, fmt.Sprintf("Permissions: %#v", p.Permissions))
	}
	if p.Human {
		members = append(members, "Human: true")
	}
	if !p.AuthTime.IsZero() {
		members = append(members, "AuthTime: time.Now()")
	}
	if p.ACR != "" {
		members = append(members, fmt.Sprintf("ACR: %q", p.ACR))
	}
	if len(members) == 0 {
		return ""
	}
	return "contract.Principal{" + strings.Join(members, ", ") + "}"
}

// Replay repeats a sequence of calls that package fuzz printed, and judges them
// as package fuzz does. Pass the options that the failure was found with. The
// test fails for each contradiction, and if a step can no longer take its
// arguments from another step's result.
func Replay(t testing.TB, tools []*contract.Tool, steps []Step, opts ...Option) {
	t.Helper()
	p, err := newPlan(tools, append(slices.Clone(opts), withoutDrawing()))
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	s := p.open(t)
	defer s.Close()
	var found []Judgement
	for i, step := range steps {
		if step, err = s.withSources(step); err != nil {
			t.Fatalf("verify: step %d: %v", i, err)
		}
		found = append(found, s.step(step)...)
	}
	for _, j := range append(found, s.end()...) {
		t.Errorf("verify: %s", j)
	}
	p.acceptances.log(t)
}
