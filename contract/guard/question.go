package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// ConfirmKey is the input key of the question whether a call may happen, and the
// name of the boolean property that answers it. A form of the guard's asks for
// nothing else.
const ConfirmKey = "confirm"

// A Question is what a person is asked before a call.
type Question struct {
	// Message is the text: plain, in lines, without control characters.
	Message string
	// Label is what the boolean property [ConfirmKey] says.
	Label string
	// Title, Facts, Effects and Arguments are what Message is made of, for who
	// shows more than text: the question, what the call does and on whose behalf,
	// its side effects, and the arguments that will run.
	Title     string
	Facts     []string
	Effects   []string
	Arguments []Argument
	// NotShown is how many arguments there are besides.
	NotShown int
	// Preview is what a dry run of the call says, where the tool has one.
	Preview []Argument
	// PreviewNotShown is how much there is in the preview besides.
	PreviewNotShown int
	// URL is set where the question is whether the person may be sent there to
	// authenticate, under [StepUpKey]; only Message and ID are set besides. ID is
	// the request's, see [StepUpRequest].
	URL, ID string
}

// An Argument is one that a person is shown.
type Argument struct {
	// Name is the argument's name and Text its value: JSON in one line, without
	// what could mislead the reader's eye. Of a secret there is its length, and of
	// a long value the beginning and how much is missing.
	Name, Text string
}

// How much of a question there may be, in bytes.
const (
	maxQuestion       = 16 << 10 // of the arguments together
	maxQuestionValue  = 400      // of an argument that is not tagged review
	maxQuestionFields = 50       // arguments that are not tagged review
	maxQuestionTexts  = 400      // of a text of the contract's
)

// question writes what a person must know to decide: what will happen, with what
// effects, on whose behalf, what a dry run says, and the arguments that will run.
// The refusal says why nobody can be asked.
func (c *call) question(ctx context.Context) (*Question, *Result) {
	d := c.doc
	q := &Question{
		Title: fmt.Sprintf("Allow %s to run?", d.Name),
		Facts: []string{
			plainLine(d.Description, maxQuestionTexts),
			fmt.Sprintf("Risk %s, effect %s, on behalf of %s.", d.Risk, d.Effect, quoted(c.principal.Subject)),
		},
		Effects: sideEffects(d),
		Label:   "Yes, run " + d.Name + " with exactly these arguments, once.",
	}
	if len(q.Effects) == 0 && d.Effect != risk.ReadOnly {
		q.Facts = append(q.Facts, "What it changes is not declared: count with effects outside this system that cannot be undone.")
	}
	if unshown := c.showArguments(q); unshown != "" {
		return nil, c.cannotShow(unshown)
	}
	if refusal := c.showPreview(ctx, q); refusal != nil {
		return nil, refusal
	}
	q.Message = q.text()
	return q, nil
}

// text writes the question in lines.
func (q *Question) text() string {
	lines := append([]string{q.Title}, q.Facts...)
	for _, effect := range q.Effects {
		lines = append(lines, "- "+effect)
	}
	if len(q.Preview) > 0 {
		lines = append(lines, "A dry run of it says:")
		for _, p := range q.Preview {
			lines = append(lines, fmt.Sprintf("  %s: %s", quoted(p.Name), p.Text))
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
		lines = append(lines, fmt.Sprintf("  %s: %s", quoted(a.Name), a.Text))
	}
	if q.NotShown > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more arguments that are not shown", q.NotShown))
	}
	return strings.Join(lines, "\n")
}

func sideEffects(d *contract.Document) []string {
	var effects []string
	for _, e := range d.SideEffects {
		reach, undo := "outside this system", "cannot be undone"
		if e.Reach == contract.Internal {
			reach = "within this system"
		}
		if e.Undo == contract.Reversible {
			undo = "can be undone"
		}
		text := fmt.Sprintf("%s (%s; %s", plainLine(e.Description, maxQuestionTexts), reach, undo)
		if e.Affects != "" {
			text += "; affects: " + plainLine(e.Affects, maxQuestionTexts)
		}
		effects = append(effects, text+")")
	}
	return effects
}

// showArguments adds the arguments. What is cut is counted. It returns the name
// of one that must not be cut and has no room.
func (c *call) showArguments(q *Question) (unshown string) {
	shown := c.entry.bound.Shown(c.args.Tree)
	room, fields := maxQuestion, maxQuestionFields
	for _, a := range shown {
		if a.Review {
			room -= len(a.Text)
		}
		if room < 0 {
			return a.Name
		}
	}
	for _, a := range shown {
		text := defused(a.Text)
		if !a.Review {
			if fields == 0 {
				q.NotShown++
				continue
			}
			fields--
			text = shortened(text, maxQuestionValue)
		}
		q.Arguments = append(q.Arguments, Argument{Name: plainLine(a.Name, maxQuestionValue), Text: text})
	}
	return ""
}

// maxPreviewLines is how many members of a preview a question shows.
const maxPreviewLines = 20

// showPreview tries the call out, where its tool can be and this caller may, so
// that the person decides about what it would do and not about its arguments
// alone. The refusal says that it could not be tried now: nothing is asked then,
// for a caller could leave to have the person see less.
func (c *call) showPreview(ctx context.Context, q *Question) *Result {
	if c.entry.bound.Preview == nil || c.authorized(true) != nil {
		return nil
	}
	p, refusal, err := c.tryOut(ctx)
	switch {
	case refusal != nil:
		return refusal
	case errors.Is(err, errGivenUp):
		return c.closing()
	case errors.Is(err, errCallerLeft):
		c.cause = err
		return c.refuseLater(contract.CodeUnavailable, "the caller went away before the question", unavailableDelay)
	}
	var members map[string]any
	if err == nil {
		var tree any
		_, tree, err = c.entry.bound.EncodePreview(p)
		members, _ = tree.(map[string]any)
	}
	if err != nil {
		q.Facts = append(q.Facts, "A dry run of it failed, so there is no preview.")
		return nil
	}
	for _, name := range previewOrder(members) {
		text, err := strictjson.Marshal(members[name])
		if err != nil || len(q.Preview) == maxPreviewLines {
			q.PreviewNotShown++
			continue
		}
		q.Preview = append(q.Preview, Argument{Name: plainLine(name, maxQuestionValue), Text: plainLine(string(text), maxQuestionValue)})
	}
	return nil
}

// previewOrder puts what a person must not miss first.
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

// oneLine keeps a text from making lines of its own.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ", "\t", " ", "\u2028", `\u2028`, "\u2029", `\u2029`)

// defused keeps a text from misleading a terminal or a reader's eye. Where there
// is anything of that kind in it, all that cannot be seen is written as an
// escape, so that nothing is hidden.
func defused(text string) string {
	if _, removed := trust.Sanitize(text); removed > 0 {
		text = visible(text)
	}
	return oneLine.Replace(text)
}

func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsGraphic(r) && !unicode.Is(unicode.Variation_Selector, r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && r != utf8.RuneError:
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	clean, _ := trust.Sanitize(b.String())
	return clean
}

// shortened cuts a text and says how much is missing.
func shortened(text string, limit int) string {
	kept := cut(text, limit)
	if kept == text {
		return text
	}
	return kept + fmt.Sprintf("… (%d more characters)", utf8.RuneCountInString(text[len(kept):]))
}

// plainLine makes one line of a text of the author's.
func plainLine(text string, limit int) string { return shortened(defused(text), limit) }

// quoted writes a caller's string as JSON, in one line.
func quoted(text string) string {
	raw, err := json.Marshal(shortened(text, maxQuestionValue))
	if err != nil {
		return `""`
	}
	return defused(string(raw))
}
