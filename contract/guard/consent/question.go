package consent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/contract/guard/internal/text"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
)

// ConfirmKey is the input key of the question whether a call may happen, and
// the name of the boolean property that answers it. The form of such a question
// asks for nothing else. If the question has a word to type, the property
// [TypedKey] answers it instead.
const ConfirmKey = "confirm"

// TypedKey is the name of the string property that answers a question with a
// word to type. The form of such a question asks for nothing else.
const TypedKey = "word"

// StepUpKey is the input key under which a client answers that a person may be
// sent to authenticate.
const StepUpKey = "step_up"

// ApprovalKey is the input key under which a client answers that its user may
// be sent to the page of the approver.
const ApprovalKey = "approval"

// A Question is the question that a person is asked before a call.
type Question struct {
	// Key is the input key under which the client answers: [ConfirmKey],
	// [StepUpKey] or [ApprovalKey]. It is empty in a
	// [PendingQuestion] and in a [StepUpRequest].
	Key string `json:"-"`
	// Message is the whole text: plain, in lines, without control characters.
	// Clients may render it as Markdown, so a space separates the characters of
	// which Markdown would make a link, an image or a tag.
	Message string
	// Label is the text of the property that answers the question: the boolean
	// [ConfirmKey], or the string [TypedKey] if there is a Word.
	Label string
	// Word is the word that the person types to approve the call. Empty: the
	// person approves without typing. It is always empty in a [StepUpRequest].
	Word string `json:",omitempty"`
	// Title, Words, Facts, Effects and Arguments are the parts of Message, for
	// clients that show more than text: the question, the tool author's
	// sentence about this call, what the call does and on whose behalf, its
	// side effects, and the arguments that will run. They are for clients that
	// do not render Markdown, such as pages. The sentence may contain values of
	// arguments, so show it as the words of the tool. It may be empty.
	Title     string
	Words     string `json:",omitempty"`
	Facts     []string
	Effects   []string
	Arguments []Argument
	// NotShown is the number of further arguments.
	NotShown int
	// Preview is the result of a dry run of the call, if the tool has one.
	Preview []Argument
	// PreviewNotShown is the number of further members of the preview.
	PreviewNotShown int
	// URL is set if the question is whether the person may be sent to that
	// address: under [StepUpKey] to authenticate, and under [ApprovalKey] to
	// decide. If URL is set, only Key, Message and ID are also set. ID is that
	// of the [StepUpRequest], or the token of the [PendingQuestion].
	URL, ID string
}

// An Argument is one argument that a person is shown.
type Argument struct {
	// Name is the argument's name. Text is its value: JSON in one line, without
	// characters that could mislead a reader. For a secret, Text shows only the
	// length. For a long value, it shows the beginning and how much is missing.
	// Show both as plain text and never as Markdown, because a caller could
	// write a link.
	Name, Text string
}

// The bounds of a question.
const (
	maxArguments    = 16 << 10 // bytes of all arguments that are tagged review
	maxFields       = 50       // arguments that are not tagged review
	maxText         = 400      // bytes of a text of the contract
	maxPreviewLines = 20       // members of a preview
)

// question writes everything that a person needs to decide: the action, its
// effects, the principal, the result of a dry run, and the arguments that will
// run. A refusal names the reason why no person can be asked.
func (r *round) question(ctx context.Context) (*Question, *refusal.Refusal) {
	d := r.call.Contract
	q := &Question{
		Title: fmt.Sprintf("Allow %s to run?", calledByTitle(d)),
		Words: text.Line(strings.TrimSpace(r.call.Pipeline.Words(ctx)), maxText),
		Facts: []string{
			text.Line(d.Description, maxText),
			fmt.Sprintf("Risk %s, effect %s, on behalf of %s.", d.Risk, d.Effect, text.Quote(r.call.Principal.Subject)),
		},
		Effects: effectLines(d),
		Label:   "Yes, run " + d.Name + " with exactly these arguments, once.",
	}
	if len(q.Effects) == 0 && d.Effect != risk.ReadOnly {
		q.Facts = append(q.Facts, "Its changes are not declared: expect effects outside this system that cannot be undone.")
	}
	if tooLong := r.showArguments(q); tooLong != "" {
		return nil, refusal.Violated(contract.Violation{
			Rule: "review", Message: fmt.Sprintf("the argument %s is too long to be shown whole to the person who must confirm", text.Unlink(text.Quote(tooLong))),
		})
	}
	if refused := r.showPreview(ctx, q); refused != nil {
		return nil, refused
	}
	q.Message = text.Unlink(q.text())
	return q, nil
}

// calledByTitle returns the tool's title with its name, or its name alone.
func calledByTitle(d *contract.Document) string {
	if d.Title == "" {
		return d.Name
	}
	return fmt.Sprintf("%s (%s)", text.Line(d.Title, maxText), d.Name)
}

// text writes the question in lines.
func (q *Question) text() string {
	lines := []string{q.Title}
	if q.Words != "" {
		lines = append(lines, "In the words of the tool: "+q.Words)
	}
	lines = append(lines, q.Facts...)
	if q.Word != "" {
		lines = append(lines, "To approve it, type: "+q.Word)
	}
	for _, effect := range q.Effects {
		lines = append(lines, "- "+effect)
	}
	if len(q.Preview) > 0 {
		lines = append(lines, "Its dry run reports:")
		for _, p := range q.Preview {
			lines = append(lines, fmt.Sprintf("  %s: %s", text.Quote(p.Name), p.Text))
		}
		if q.PreviewNotShown > 0 {
			lines = append(lines, fmt.Sprintf("  and %d more that are not shown", q.PreviewNotShown))
		}
	}
	if len(q.Arguments) == 0 {
		return strings.Join(append(lines, "It takes no arguments."), "\n")
	}
	lines = append(lines, "Arguments:")
	for _, a := range q.Arguments {
		lines = append(lines, fmt.Sprintf("  %s: %s", text.Quote(a.Name), a.Text))
	}
	if q.NotShown > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more arguments that are not shown", q.NotShown))
	}
	return strings.Join(lines, "\n")
}

func effectLines(d *contract.Document) []string {
	var lines []string
	for _, e := range d.SideEffects {
		reach, undo := "outside this system", "cannot be undone"
		if e.Reach == contract.Internal {
			reach = "within this system"
		}
		if e.Undo == contract.Reversible {
			undo = "can be undone"
		}
		line := fmt.Sprintf("%s (%s; %s", text.Line(e.Description, maxText), reach, undo)
		if e.Affects != "" {
			line += "; affects: " + text.Line(e.Affects, maxText)
		}
		lines = append(lines, line+")")
	}
	return lines
}

// showArguments adds the arguments and counts those that it leaves out. If an
// argument that must be shown whole is too long, it returns the argument's
// name, else "".
func (r *round) showArguments(q *Question) (tooLong string) {
	shown := r.call.Tool.Shown(r.call.Arguments.Tree())
	room, fields := maxArguments, maxFields
	for _, a := range shown {
		if a.Review {
			room -= len(a.Text)
		}
		if room < 0 {
			return a.Name
		}
	}
	for _, a := range shown {
		value := text.Defuse(a.Text)
		if !a.Review {
			if fields == 0 {
				q.NotShown++
				continue
			}
			fields--
			value = text.Shorten(value, text.MaxValue)
		}
		q.Arguments = append(q.Arguments, Argument{Name: text.Line(a.Name, text.MaxValue), Text: value})
	}
	return ""
}

// showPreview adds the result of a dry run, so that the person decides about
// what the call would do and not only about its arguments. If the dry run
// cannot be made now, no question is asked; otherwise a caller could disconnect
// to hide the preview.
func (r *round) showPreview(ctx context.Context, q *Question) *refusal.Refusal {
	members, refused, err := r.call.Pipeline.Preview(ctx)
	if refused != nil {
		return refused
	}
	if err != nil {
		q.Facts = append(q.Facts, "Its dry run failed, so there is no preview.")
		return nil
	}
	for _, name := range previewOrder(members) {
		raw, err := strictjson.Marshal(members[name])
		if err != nil || len(q.Preview) == maxPreviewLines {
			q.PreviewNotShown++
			continue
		}
		q.Preview = append(q.Preview, Argument{Name: text.Line(name, text.MaxValue), Text: text.Line(string(raw), text.MaxValue)})
	}
	return nil
}

// previewOrder puts the members first that a person must not miss.
func previewOrder(members map[string]any) []string {
	first := []string{"warnings", "expectedSideEffects", "missingPermissions"}
	var order []string
	for _, name := range first {
		if _, ok := members[name]; ok {
			order = append(order, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name != "dryRun" && !slices.Contains(first, name) {
			order = append(order, name)
		}
	}
	return order
}
