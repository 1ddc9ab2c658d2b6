package verify

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// A Step is one call of a sequence, as package fuzz makes it and
// [Replay] repeats it. The zero value of a field is the common case.
type Step struct {
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// As makes the call. Zero: the caller of [WithCallers].
	As contract.Principal `json:"as,omitzero"`
	// Input is the arguments as JSON.
	Input string `json:"input"`
	// From names the results from which members of Input come, by the JSON
	// Pointers of the members. Replay takes the values of its own results, so
	// that a sequence can be repeated if ids differ.
	From map[string]Source `json:"from,omitempty"`
	// Key is the idempotency key that the client sends. Empty: none.
	Key string `json:"key,omitempty"`
	// Preview makes a dry run before the call.
	Preview bool `json:"preview,omitempty"`
	// Repeat makes the call a second time.
	Repeat bool `json:"repeat,omitempty"`
	// Invalid means that the input breaks the input schema.
	Invalid bool `json:"invalid,omitempty"`
}

// A Source is a value in the result of an earlier step.
type Source struct {
	// Step is the index of the step, from 0.
	Step int `json:"step"`
	// Pointer is the JSON Pointer into its structured content.
	Pointer string `json:"pointer"`
}

// jsonOf returns the steps as JSON, one on a line.
func jsonOf(steps []Step) string {
	var b strings.Builder
	b.WriteString("[")
	for i, s := range steps {
		if i > 0 {
			b.WriteString(",")
		}
		line, err := json.Marshal(s)
		if err != nil {
			line = []byte(strconv.Quote(err.Error()))
		}
		b.WriteString("\n  " + string(line))
	}
	b.WriteString("\n]")
	return b.String()
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

// textLiteral returns a text as a Go expression, raw if that is possible.
func textLiteral(text string) string {
	if strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// principalLiteral returns a principal as a Go expression, or "" for the zero
// one. Its time of authentication is that of the test.
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
