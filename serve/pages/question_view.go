package pages

import (
	"bytes"
	"encoding/json"
	"fmt"
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
		lines = append(lines, beginning(a.Name+": "+a.Text, previewedChars))
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
	Arguments []argument
	Tried     []argument // the preview of a dry run
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

// An argument is one argument on the page. It is shown as JSON, except that
// text of several lines is shown as it is.
type argument struct {
	Name, Value string
	Lines       int // the number of lines of a text; 0 if Value is JSON
}

func (a *Approvals) questionView(v visit, q people.PendingQuestion) questionView {
	view := questionView{
		page:    page{Path: a.publicPath(v.r, a.path), Heading: q.Question.Title, By: plain(v.by.Subject)},
		summary: a.summary(v, q, time.Now()), Question: q.Question, FormToken: a.formKey.token(a.formOf(v)...), CallID: q.CallID,
	}
	for _, one := range q.Question.Arguments {
		view.Arguments = append(view.Arguments, readable(one))
	}
	for _, one := range q.Question.Preview {
		view.Tried = append(view.Tried, readable(one))
	}
	if d := q.Decision; d != nil {
		view.Decided = &decisionView{plain(d.By.Subject), moment{d.At}}
		view.Approved = d.Approved
	}
	return view
}

// maxFlat is the longest JSON, in bytes, that stays on one line.
const maxFlat = 30

// readable unfolds text of several lines and long JSON. It shows no character
// that could escape the argument's box on the page.
func readable(a people.Argument) argument {
	var text string
	if json.Unmarshal([]byte(a.Text), &text) != nil {
		return argument{Name: a.Name, Value: unfold(a.Text)}
	}
	if !strings.Contains(text, "\n") {
		return argument{Name: a.Name, Value: a.Text}
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	clean, removed := trust.Sanitize(text)
	if removed > 0 {
		return argument{Name: a.Name, Value: a.Text} // JSON shows the removed characters
	}
	return argument{Name: a.Name, Value: clean, Lines: strings.Count(clean, "\n") + 1}
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
