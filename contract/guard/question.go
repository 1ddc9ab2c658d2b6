package guard

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/contract"
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
}

// How much of a question there may be, in bytes.
const (
	maxQuestion       = 16 << 10 // of the arguments together
	maxQuestionValue  = 400      // of an argument that is not tagged review
	maxQuestionFields = 50       // arguments that are not tagged review
	maxQuestionTexts  = 400      // of a text of the contract's
)

// question writes what a person must know to decide: what will happen, with what
// effects, on whose behalf, and the arguments that will run. The second result
// names the argument that cannot be shown whole and must be.
func (c *call) question() (*Question, string) {
	d := &c.entry.doc
	var b strings.Builder
	fmt.Fprintf(&b, "Allow %s to run?\n%s\n", d.Name, plainLine(d.Description, maxQuestionTexts))
	fmt.Fprintf(&b, "Risk %s, effect %s, on behalf of %s.\n", d.Risk, d.Effect, quoted(c.principal.Subject))
	writeSideEffects(&b, d)
	unshown := c.writeArguments(&b)
	if unshown != "" {
		return nil, unshown
	}
	return &Question{Message: strings.TrimRight(b.String(), "\n"), Label: "Yes, run " + d.Name + " with exactly these arguments, once."}, ""
}

func writeSideEffects(b *strings.Builder, d *contract.Document) {
	if len(d.SideEffects) == 0 && d.Effect != risk.ReadOnly {
		b.WriteString("What it changes is not declared: count with effects outside this system that cannot be undone.\n")
	}
	for _, e := range d.SideEffects {
		reach, undo := "outside this system", "cannot be undone"
		if e.Reach == contract.Internal {
			reach = "within this system"
		}
		if e.Undo == contract.Reversible {
			undo = "can be undone"
		}
		fmt.Fprintf(b, "- %s (%s; %s", plainLine(e.Description, maxQuestionTexts), reach, undo)
		if e.Affects != "" {
			fmt.Fprintf(b, "; affects: %s", plainLine(e.Affects, maxQuestionTexts))
		}
		b.WriteString(")\n")
	}
}

// writeArguments writes one line an argument. What is cut is counted. It returns
// the name of one that must not be cut and has no room.
func (c *call) writeArguments(b *strings.Builder) (unshown string) {
	shown := c.entry.bound.Shown(c.args.Tree)
	if len(shown) == 0 {
		b.WriteString("It takes no arguments.\n")
		return ""
	}
	room, fields, left := maxQuestion, maxQuestionFields, 0
	for _, a := range shown {
		if a.Review {
			room -= len(a.Text)
		}
		if room < 0 {
			return a.Name
		}
	}
	b.WriteString("Arguments:\n")
	for _, a := range shown {
		text := defused(a.Text)
		if !a.Review {
			if fields == 0 {
				left++
				continue
			}
			fields--
			text = shortened(text, maxQuestionValue)
		}
		fmt.Fprintf(b, "  %s: %s\n", quoted(a.Name), text)
	}
	if left > 0 {
		fmt.Fprintf(b, "  and %d more arguments that are not shown\n", left)
	}
	return ""
}

// oneLine keeps a text from making lines of its own.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ", "\t", " ", "\u2028", `\u2028`, "\u2029", `\u2029`)

// defused takes out of JSON in one line what a terminal or a reader's eye could
// be misled by. What JSON escapes stays escaped.
func defused(text string) string {
	clean, removed := trust.Sanitize(text)
	clean = oneLine.Replace(clean)
	if removed > 0 {
		clean += fmt.Sprintf(" (%d characters that cannot be shown were left out)", removed)
	}
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
	raw, err := json.Marshal(cut(text, maxQuestionValue))
	if err != nil {
		return `""`
	}
	return defused(string(raw))
}
