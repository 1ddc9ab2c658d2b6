package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
)

const (
	// width is the widest line of the tour, in characters.
	width = 100
	// indent is the column of the text beside the labels.
	indent = 12
)

// preface explains the labels.
const preface = `Each step has the call, the text of the answer for the model, the outcome in its _meta for programs,
and the audit events, without ids, digests and durations.
`

// servedOn names the SDK of a run, and how to get the other one.
func servedOn(sdk exampleserver.SDK) string {
	if sdk == exampleserver.Official {
		return "The servers run on the official SDK. To run them on mcp-go, pass -sdk mcp-go.\n"
	}
	return "The servers run on mcp-go. To run them on the official SDK, pass -sdk official.\n"
}

func printJSON(w io.Writer, all []stepResult) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}

func printText(w io.Writer, sdk exampleserver.SDK, all []stepResult) error {
	var b strings.Builder
	b.WriteString(preface + servedOn(sdk))
	for _, t := range all {
		b.WriteByte('\n')
		t.text(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// text writes one step: the call, the answer and the audit events.
func (t stepResult) text(b *strings.Builder) {
	fmt.Fprintf(b, "%2d  %s\n", t.Number, t.Title)
	if t.Behind != "" {
		labelled(b, "behind", t.Behind)
	}
	if t.Tool == "" {
		t.list(b)
		return
	}
	labelled(b, "call", fmt.Sprintf("%s: %s %s", t.Caller, t.Tool, t.Arguments))
	if t.Key != "" {
		labelled(b, "key", t.Key)
	}
	for line := range strings.Lines(t.Question) {
		labelled(b, "asked", strings.TrimSpace(line))
	}
	if t.Outcome == nil {
		labelled(b, "answer", t.Status+": "+t.Text)
	} else {
		labelled(b, "answer", t.Text)
		labelled(b, "outcome", string(t.Outcome))
	}
	for _, l := range t.Audit {
		labelled(b, "audit", l.text())
	}
}

func (t stepResult) list(b *strings.Builder) {
	count := fmt.Sprintf("%d tools", len(t.Tools))
	if len(t.Tools) == 1 {
		count = "1 tool"
	}
	labelled(b, "list", t.Caller+": "+count)
	for _, tool := range t.Tools {
		asks := "asks " + tool.Contract.Confirmation.String()
		if tool.Contract.Confirmation == contract.ConfirmationNever {
			asks = "never asks"
		}
		labelled(b, "", fmt.Sprintf("%-26s %-9s %-21s %-10s %s",
			tool.Name, tool.Contract.Risk, tool.Contract.Effect, tool.Contract.ContentTrust, asks))
		labelled(b, "", "  needs "+words(tool.Contract.Permissions)+"; hints: "+words(tool.Hints))
	}
}

func words(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func (l line) text() string {
	var parts []string
	if l.Lost {
		parts = append(parts, "lost:")
	}
	who := l.Principal
	if who == "" {
		who = "anonymous"
	}
	parts = append(parts, l.Event, l.Tool, "by", who+":", l.Decision, "at", l.Stage)
	if l.Status != "" {
		parts = append(parts, "status="+l.Status)
	}
	if l.Code != "" {
		parts = append(parts, "code="+l.Code)
	}
	if l.Error != "" {
		parts = append(parts, "error="+l.Error)
	}
	return strings.Join(parts, " ")
}

// labelled writes wrapped text beside a label.
func labelled(b *strings.Builder, label, text string) {
	for paragraph := range strings.SplitSeq(text, "\n") {
		for _, part := range wrap(paragraph, width-indent) {
			b.WriteString(strings.TrimRight(fmt.Sprintf("    %-*s%s", indent-4, label, part), " ") + "\n")
			label = ""
		}
	}
}

// wrap breaks text into lines of at most n characters, if possible after a
// space or a comma. It returns at least one line.
func wrap(text string, n int) []string {
	var lines []string
	for utf8.RuneCountInString(text) > n {
		runes := []rune(text)
		cut := n
		for i := n - 1; i > 0; i-- {
			if runes[i] == ' ' || runes[i] == ',' {
				cut = i + 1
				break
			}
		}
		lines = append(lines, strings.TrimRight(string(runes[:cut]), " "))
		text = strings.TrimLeft(string(runes[cut:]), " ")
	}
	return append(lines, text)
}
