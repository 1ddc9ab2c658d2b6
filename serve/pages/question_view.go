package pages

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/trust"
)

type listView struct {
	page
	Questions []summary
	Unread    int
}

// A summary is a question in the list.
type summary struct {
	Address, Tool, Risk, OnBehalfOf string
	Preview                         []string // the beginnings of the first arguments
	Expires                         moment
	Left                            string // the time left until then
}

const (
	// previewed is how many of a question's arguments the list shows.
	previewed = 4
	// previewedChars is how many characters of each argument the list shows.
	previewedChars = 60
)

func (a *Approvals) summary(v visit, q people.PendingQuestion, now time.Time) summary {
	return summary{
		Address: a.publicPath(v.r, a.path+questionPath+q.Token), Tool: q.Tool, Risk: q.Risk.String(),
		OnBehalfOf: plain(q.Principal.Subject),
		Preview:    preview(q.Question.Arguments), Expires: moment{q.Expires}, Left: timeLeft(q.Expires.Sub(now)),
	}
}

// preview returns the beginnings of the first arguments, which tell questions
// about the same tool apart.
func preview(arguments []people.Argument) []string {
	var lines []string
	for _, a := range arguments[:min(len(arguments), previewed)] {
		shown := readable(a)
		for i, row := range shown.Rows {
			shown.Value += strings.Repeat(", ", min(i, 1)) + row.Value
		}
		lines = append(lines, beginning(cmp.Or(shown.Title, shown.Name)+": "+shown.Value, previewedChars))
	}
	return lines
}

func beginning(text string, most int) string {
	if all := []rune(text); len(all) > most {
		return string(all[:most]) + "…"
	}
	return text
}

type questionView struct {
	page
	summary
	Question  people.Question
	FormToken string
	CallID    string
	Decided   *decisionView // nil: not decided yet
	Approved  bool
}

// A decisionView is the answer to a question, for the page.
type decisionView struct {
	By string
	At moment
}

// An argument is one argument on the page. It is shown as JSON, except for a
// text, which is shown as it is, and a list, which is shown as rows.
type argument struct {
	Name, Title, Value string
	Rows               []argument
	Lines              int // how many lines a text of several lines has; 0 otherwise
	Empty              bool
}

func (a *Approvals) questionView(v visit, q people.PendingQuestion) questionView {
	view := questionView{
		page:    page{Path: a.publicPath(v.r, a.path), Heading: q.Question.Title, By: plain(v.by.Subject)},
		summary: a.summary(v, q, time.Now()), Question: q.Question, FormToken: a.formKey.token(a.formOf(v)...), CallID: q.CallID,
	}
	if d := q.Decision; d != nil {
		view.Decided = &decisionView{plain(d.By.Subject), moment{d.At}}
		view.Approved = d.Approved
	}
	return view
}

// maxFlat is the longest JSON, in bytes, that stays on one line.
const maxFlat = 30

// maxRows caps the rows of a list.
const maxRows = 100

// readable lays out texts, lists and long JSON. It shows no character that
// could break out of the argument's box on the page.
func readable(a people.Argument) argument {
	shown := argument{Name: plain(a.Name), Title: plain(a.Title), Value: unfold(plain(a.Text))}
	var text string
	var list []json.RawMessage
	switch {
	case json.Unmarshal([]byte(a.Text), &list) == nil && len(list) > 0 && len(list) <= maxRows:
		shown.Value = ""
		for _, item := range list {
			shown.Rows = append(shown.Rows, readable(people.Argument{Text: string(item)}))
		}
	case slices.Contains([]string{"[]", "{}", `""`, "null"}, a.Text):
		shown.Empty = true
	case json.Unmarshal([]byte(a.Text), &text) == nil:
		text = strings.ReplaceAll(text, "\r\n", "\n")
		clean, removed := trust.Sanitize(text)
		if removed > 0 || strings.TrimSpace(text) != text {
			return shown // JSON shows the removed characters and the blanks
		}
		shown.Value = clean
		if n := strings.Count(clean, "\n"); n > 0 {
			shown.Lines = n + 1
		}
	}
	return shown
}

// unfold breaks a long array or object into lines. A value that was cut off is
// not valid JSON, so it stays as it is.
func unfold(text string) string {
	var b bytes.Buffer
	if len(text) <= maxFlat || json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

// timeLeft describes the remaining time in minutes.
func timeLeft(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < 90*time.Second:
		return "a minute"
	default:
		return fmt.Sprintf("%d minutes", d.Round(time.Minute)/time.Minute)
	}
}
