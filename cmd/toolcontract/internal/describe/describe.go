// Package describe puts contracts into words for a person at a terminal.
package describe

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// Line returns what a tool declares, in one line.
func Line(t agent.Tool) string {
	doc := t.Contract
	if t.Origin == agent.OriginHints {
		if doc.Effect == risk.ReadOnly {
			return "no contract; its hints declare that it only reads"
		}
		return "no contract; its hints do not exclude that it changes something"
	}
	level, effect := Bounds(doc)
	parts := []string{level + " risk", effect, asks(doc)}
	if doc.StepUp != nil {
		parts = append(parts, "needs a recent authentication")
	}
	if d := dryRun(doc); d != "" {
		parts = append(parts, d)
	}
	if doc.Effect != risk.ReadOnly {
		parts = append(parts, Repetition(t))
		if doc.Reconcile != nil {
			parts = append(parts, "a repetition finds out what a lost call did")
		}
	}
	parts = append(parts, fmt.Sprintf("results %s", doc.ContentTrust))
	if doc.Deprecated != nil {
		parts = append(parts, "deprecated")
	}
	return strings.Join(parts, ", ")
}

// Bounds returns the risk and the effect of a tool's calls, with both ends if
// they depend on the arguments. The effect of a write includes its class of
// reversibility.
func Bounds(doc contract.Document) (level, effect string) {
	level, effect = doc.Risk.String(), doc.Effect.String()
	least := doc.Resolves
	if least != nil {
		level, effect = between(least.Risk.String(), level), between(least.Effect.String(), effect)
	}
	switch class := doc.Reversibility.String(); {
	case doc.Effect == risk.ReadOnly:
	case least != nil && least.Effect != doc.Effect:
		effect += ", at most " + class
	default:
		effect += ", " + class
	}
	return level, effect
}

func between(least, most string) string {
	if least == most {
		return most
	}
	return fmt.Sprintf("at least %s and at most %s", least, most)
}

func asks(doc contract.Document) string {
	switch {
	case doc.Confirmation == contract.ConfirmationNever:
		return "asks no person"
	case doc.Confirmation == contract.ConfirmationUpstream:
		return "its own server asks"
	case doc.Confirmation == contract.ConfirmationWhen,
		doc.Resolves != nil && doc.Resolves.Confirmation == contract.ConfirmationNever:
		return "asks about some calls"
	case doc.TypedConfirmation:
		return "asks for a typed word"
	}
	return "asks before each call"
}

func dryRun(doc contract.Document) string {
	switch doc.DryRun {
	case dryrun.Required:
		return "dry run first"
	case dryrun.Supported:
		return "has a dry run"
	case dryrun.None:
	}
	return ""
}

// Repetition says what a second call with the same arguments does.
func Repetition(t agent.Tool) string {
	mode := idempotency.None
	if t.Contract.Idempotency != nil {
		mode = t.Contract.Idempotency.Mode
	}
	needsKey := mode.Deduplicates() && t.Contract.Idempotency.KeyRequired
	switch {
	case needsKey:
		return "needs an idempotency key, with which a repetition has no second effect"
	case mode == idempotency.Keyed:
		return "a repetition with the same key has no second effect"
	case mode.Deduplicates() || mode == idempotency.Native:
		return "a repetition has no second effect"
	case t.Origin != agent.OriginContract:
		return "a repetition may act again"
	}
	return "a repetition acts again"
}

// Deprecation says since when a tool has been deprecated, and what replaces it.
func Deprecation(d contract.Deprecation) string {
	text := "since " + d.Since
	if d.ReplacedBy != "" {
		text += ", use " + d.ReplacedBy
	}
	if d.Note != "" {
		text += ". " + d.Note
	}
	return cli.OneLine(text)
}

// Page returns everything that a person reads about a tool before calling it.
func Page(t agent.Tool, columns int) string {
	doc := t.Contract
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n", cli.OneLine(t.Name))
	paragraph := func(words string) {
		if words != "" {
			fmt.Fprintf(&text, "%s\n", cli.Wrap(words, columns, "  "))
		}
	}
	row := func(name, words string) {
		if words = cli.OneLine(words); words != "" {
			fmt.Fprintf(&text, "  %-13s %s\n", name, strings.TrimLeft(cli.Wrap(words, columns, strings.Repeat(" ", 16)), " "))
		}
	}
	paragraph(cli.OneLine(doc.Description))
	fmt.Fprintln(&text)
	row("contract", Line(t))
	row("version", doc.Version)
	row("permissions", strings.Join(doc.Permissions, ", "))
	if least := doc.Resolves; least != nil && len(least.Permissions) < len(doc.Permissions) {
		row("at least", cmp.Or(strings.Join(least.Permissions, ", "), "none that every call needs"))
	}
	row("not called", t.Refusal)
	if t.Origin == agent.OriginContract {
		for _, e := range doc.SideEffects {
			row("side effect", fmt.Sprintf("%s (%s, %s)", e.Description, e.Reach, e.Undo))
		}
		var codes []string
		for _, m := range doc.FailureModes {
			if m.By == contract.ByTool {
				codes = append(codes, m.Code)
			}
		}
		row("failures", strings.Join(codes, ", "))
	}
	if d := doc.Deprecated; d != nil {
		row("deprecated", Deprecation(*d))
	}
	for i, a := range agent.Fields(doc.InputSchema) {
		if i == 0 {
			fmt.Fprint(&text, "\narguments:\n")
		}
		name := cli.OneLine(a.Name) + "=" + cli.OneLine(strings.Join(a.Kinds, "|"))
		if a.Required {
			name += " (required)"
		}
		fmt.Fprintf(&text, "  %s\n", name)
		if a.Description != "" {
			fmt.Fprintf(&text, "%s\n", cli.Wrap(cli.OneLine(a.Description), columns, "      "))
		}
	}
	return text.String()
}
