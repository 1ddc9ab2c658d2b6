package cli

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/trust"
)

// OneLine returns untrusted text on one line, without terminal control
// characters and without commands for a CI runner.
func OneLine(text string) string {
	clean, _ := trust.Sanitize(text)
	return inert(strings.Join(strings.Fields(clean), " "))
}

// runnerCommand matches the start of a command that a CI runner executes when
// it reads it in a log: ##[ and ##vso[ anywhere, and :: at the start of a line,
// which may be where a text is wrapped.
var runnerCommand = regexp.MustCompile(`##(\w*\[)|(^|\s):(:+\w)`)

// inert puts a blank into each command for a CI runner.
func inert(text string) string {
	return runnerCommand.ReplaceAllStringFunc(text, func(command string) string {
		if before, after, ok := strings.Cut(command, "##"); ok {
			return before + "# #" + after
		}
		return strings.Replace(command, "::", ": :", 1)
	})
}

// Cut shortens text to the given number of columns, with an ellipsis if
// anything is left out. Zero columns means no limit.
func Cut(text string, columns int) string {
	if columns <= 0 || utf8.RuneCountInString(text) <= columns {
		return text
	}
	return string([]rune(text)[:columns-1]) + "…"
}

// Wrap breaks text into lines of the given number of columns, each starting
// with the indent.
func Wrap(text string, columns int, indent string) string {
	var lines strings.Builder
	width := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case width == 0:
			lines.WriteString(indent)
			width = len(indent)
		case width+1+n > columns:
			lines.WriteString("\n" + indent)
			width = len(indent)
		default:
			lines.WriteByte(' ')
			width++
		}
		lines.WriteString(word)
		width += n
	}
	return lines.String()
}
