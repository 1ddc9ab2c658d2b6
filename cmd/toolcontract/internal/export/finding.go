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

// A finding is one thing that a directory would report, or that a person has to
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

// result is what an export made.
type result struct {
	// Files are the files by name, in the order of their names. None, if a
	// finding is an error.
	Files    map[string]string `json:"files"`
	Findings []finding         `json:"findings"`
}

func (r *result) add(s severity, tool, rule, format string, args ...any) {
	r.Findings = append(r.Findings, finding{s, tool, rule, fmt.Sprintf(format, args...)})
}

// asks adds what a person has to add.
func (r *result) asks(rule, message string) { r.add(person, "", rule, "%s", message) }

func (r *result) wrong() bool {
	for _, f := range r.Findings {
		if f.Severity == wrong {
			return true
		}
	}
	return false
}

// missing adds a finding for each of the demanded hints that is not sent. The
// SDKs of Go send no nil pointer, and the protocol lets a missing
// destructiveHint or openWorldHint count as true.
func (r *result) missing(t tool, s severity, demanded []string, why string) {
	hints := map[string]*bool{"readOnlyHint": t.readOnly, "destructiveHint": t.destructive, "openWorldHint": t.open}
	for _, name := range demanded {
		if value, isHint := hints[name]; isHint && value == nil {
			r.add(s, t.name, "hint.missing", "%s is not sent%s; send it as true or false", name, why)
		}
	}
}

// checkLength adds an error for a text that is too long. An empty text is one
// that is left out.
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
