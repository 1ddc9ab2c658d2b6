package consent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
)

// The bounds of a question.
const (
	maxArguments    = 16 << 10 // bytes of all arguments that are tagged review
	maxFields       = 50       // arguments that are not tagged review
	maxText         = 400      // bytes of a text of the contract
	maxPreviewLines = 20       // members of a preview
)

// question writes everything that a person needs to decide: the action, its
// effects, the principal, the result of a dry run, and the arguments the call
// will run with. A refusal says why nobody can be asked.
func (r *round) question(ctx context.Context) (*people.Question, *answer.Refusal) {
	d := r.call.Doc
	q := &people.Question{
		Title: fmt.Sprintf("Allow %s to run?", calledByTitle(d)),
		Words: text.Line(strings.TrimSpace(r.call.RedactSecrets(r.call.Pipeline.Words(ctx))), maxText),
		Facts: []string{
			text.Line(d.Description, maxText),
			fmt.Sprintf("Risk %s, effect %s, %s, on behalf of %s.", d.Risk, d.Effect, undoWords[d.Reversibility.Effective()],
				text.Quote(r.call.Principal.Subject)),
		},
		Effects: effectLines(d),
		Label:   "Yes, run " + d.Name + " with exactly these arguments, once.",
	}
	if bounds := boundsLine(r.call.Tool.Doc); bounds != "" {
		q.Facts = append(q.Facts, bounds)
	}
	if before := r.call.Before; before.Calls > 0 {
		q.Facts = append(q.Facts, "So far in this session: "+before.String()+".")
	}
	if len(q.Effects) == 0 && d.Effect != risk.ReadOnly {
		q.Facts = append(q.Facts, "Its changes are not declared: expect effects outside this system that cannot be undone.")
	}
	if tooLong := r.showArguments(q); tooLong != "" {
		return nil, answer.Violated(contract.Violation{
			Rule: "review", Message: fmt.Sprintf("the argument %s is too long to be shown whole to the person who must confirm",
				text.Unlink(text.Quote(tooLong))),
		})
	}
	if refused := r.showPreview(ctx, q); refused != nil {
		return nil, refused
	}
	q.Message = text.Unlink(messageOf(q))
	return q, nil
}

var undoWords = map[risk.Reversibility]string{
	risk.Unchanging:        "changes nothing",
	risk.Reversible:        "can be undone",
	risk.ReversibleOutside: "can be undone only with help from outside",
	risk.Irreversible:      "cannot be undone",
}

// boundsLine describes what other calls of a tool may be, if its contract
// depends on the arguments.
func boundsLine(d contract.Document) string {
	if d.Resolves == nil {
		return ""
	}
	least := d.Effective().Resolves
	var parts []string
	bounds := func(word string, lower, upper fmt.Stringer) {
		if lower != upper {
			parts = append(parts, fmt.Sprintf("%s at least %s and at most %s", word, lower, upper))
		}
	}
	bounds("risk", least.Risk, d.Risk)
	bounds("effect", least.Effect, d.Effect)
	if least.Confirmation == contract.ConfirmationNever {
		parts = append(parts, "some calls without a question")
	}
	if len(least.Permissions) < len(d.Permissions) {
		parts = append(parts, "some calls with fewer permissions")
	}
	return "Depending on the arguments: " + strings.Join(parts, ", ") + "."
}

// calledByTitle returns the tool's title with its name, or its name alone.
func calledByTitle(d *contract.Document) string {
	if d.Title == "" {
		return d.Name
	}
	return fmt.Sprintf("%s (%s)", text.Line(d.Title, maxText), d.Name)
}

// messageOf writes the question as lines of text.
func messageOf(q *people.Question) string {
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
			lines = append(lines, valueLine(p))
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
		lines = append(lines, valueLine(a))
	}
	if q.NotShown > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more arguments that are not shown", q.NotShown))
	}
	return strings.Join(lines, "\n")
}

// valueLine returns the line of a value. It is exact, so that a person can
// check and copy it.
func valueLine(a people.Argument) string {
	return text.UnlinkJSON(fmt.Sprintf("  %s: %s", text.Quote(a.Name), a.Text))
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
// name, otherwise "".
func (r *round) showArguments(q *people.Question) (tooLong string) {
	shown := r.call.Tool.Impl.Shown(r.call.Args.Tree())
	titles := titlesOf(r.call.Doc.InputSchema)
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
		q.Arguments = append(q.Arguments, people.Argument{
			Name: text.Line(a.Name, text.MaxValue), Text: value, Title: text.Line(titles.Properties[a.Name].Title, maxText),
		})
	}
	return ""
}

// titles has the titles of a schema's members.
type titles struct {
	Properties map[string]struct {
		Title string `json:"title"`
	} `json:"properties"`
}

// titlesOf returns the titles of a schema's own members. It ignores titles
// elsewhere, such as below allOf.
func titlesOf(schema json.RawMessage) (t titles) {
	_ = json.Unmarshal(schema, &t) // a title that isn't text is ignored
	return t
}

// showPreview adds the result of a dry run, so that the person decides about
// what the call would do and not only about its arguments. If the dry run
// cannot be made now, no question is asked; otherwise a caller could hide the
// preview by disconnecting.
func (r *round) showPreview(ctx context.Context, q *people.Question) *answer.Refusal {
	members, refused, err := r.call.Pipeline.Preview(ctx)
	if refused != nil {
		return refused
	}
	if err != nil {
		q.Facts = append(q.Facts, "Its dry run failed, so there is no preview.")
		return nil
	}
	var titles titles
	if schema := r.call.Tool.Impl.Facts().PreviewSchema; schema != nil { // the tool has a dry run
		titles = titlesOf(schema.JSON())
	}
	for _, name := range previewOrder(members) {
		raw, err := strictjson.Marshal(members[name])
		if err != nil || len(q.Preview) == maxPreviewLines {
			q.PreviewNotShown++
			continue
		}
		q.Preview = append(q.Preview, people.Argument{
			Name: text.Line(name, text.MaxValue), Text: text.Line(r.call.RedactSecrets(string(raw)), text.MaxValue),
			Title: text.Line(titles.Properties[name].Title, maxText),
		})
	}
	return nil
}

// previewOrder sorts the members that a person must not miss to the front.
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
