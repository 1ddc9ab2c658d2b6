package export

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// A severity is what a finding means for a submission.
type severity string

// The severities.
const (
	wrong   severity = "error"   // the directory refuses it
	warning severity = "warning" // the directory warns, or checks less
	person  severity = "person"  // a person has to add or check it
)

// A finding is something that a directory would report, or that a person has to
// do.
type finding struct {
	Severity severity `json:"severity"`
	Tool     string   `json:"tool,omitempty"`
	Rule     string   `json:"rule"`
	Message  string   `json:"message"`
}

func (f finding) String() string {
	where := ""
	if f.Tool != "" {
		where = cli.OneLine(f.Tool) + ": "
	}
	return fmt.Sprintf("%s: %s[%s] %s", f.Severity, where, f.Rule, f.Message)
}

// A result is what an export produced.
type result struct {
	// Files are the files by name, sorted by name. There are none if a finding
	// is an error.
	Files    map[string]string `json:"files"`
	Findings []finding         `json:"findings"`
}

func (r *result) add(s severity, tool, rule, format string, args ...any) {
	r.Findings = append(r.Findings, finding{s, tool, rule, fmt.Sprintf(format, args...)})
}

// asks adds something that a person has to supply.
func (r *result) asks(rule, message string) { r.add(person, "", rule, "%s", message) }

func (r *result) wrong() bool {
	for _, f := range r.Findings {
		if f.Severity == wrong {
			return true
		}
	}
	return false
}

// missing adds a finding for each required hint that is not sent. The Go SDKs
// don't send a nil pointer, and the protocol lets a missing destructiveHint or
// openWorldHint count as true.
func (r *result) missing(t tool, s severity, demanded []string, why string) {
	hints := map[string]*bool{"readOnlyHint": t.readOnly, "destructiveHint": t.destructive, "openWorldHint": t.open}
	for _, name := range demanded {
		if value, isHint := hints[name]; isHint && value == nil {
			r.add(s, t.name, "hint.missing", "%s is not sent%s; send it as true or false", name, why)
		}
	}
}

// checkLength adds an error for text that is too long. Empty text counts as
// left out.
func (r *result) checkLength(what, text string, limit int) {
	if n := utf8.RuneCountInString(text); n > limit {
		r.add(wrong, "", "text.length", "%s has %d characters; at most %d are allowed", what, n, limit)
	}
}

// lines returns the findings, one a line.
func (r *result) lines() string {
	var text strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintln(&text, f)
	}
	return text.String()
}
