package approval

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/trust"
)

//go:embed page.html style.css
var files embed.FS

var pages = template.Must(template.ParseFS(files, "page.html"))

// A frame is what every page has.
type frame struct {
	Path, Heading, By string
	Again             string // where the browser goes by itself, at once
}

func (p *Page) frame(heading string, by guard.Principal) frame {
	return frame{Path: p.path, Heading: heading, By: plain(by.Subject)}
}

// A notice is a page that only says something.
type notice struct {
	Title, Text string
	SignIn      string // where to sign in; empty: nothing is offered
	Again       string // where to go on; empty: nowhere
	By          string // who reads it; empty: nobody known
}

type noticeView struct {
	frame
	Text, SignIn string
}

func (p *Page) say(w http.ResponseWriter, status int, n notice) {
	render(w, status, "notice", noticeView{frame: frame{Path: p.path, Heading: n.Title, By: n.By, Again: n.Again}, Text: n.Text, SignIn: n.SignIn})
}

type listView struct {
	frame
	Questions []summary
	Unread    int
}

// A summary is a question in the list.
type summary struct {
	Address, Tool, Risk, OnBehalfOf string
	Preview                         []string // the beginnings of the first arguments
	Expires                         string
	ExpiresAt                       string
}

// The list shows the first arguments by their beginnings, in characters.
const (
	previewed      = 4
	previewedChars = 60
)

func (p *Page) summary(q guard.PendingQuestion, now time.Time) summary {
	return summary{
		Address: p.path + questionPath + q.Token, Tool: q.Tool, Risk: q.Risk.String(), OnBehalfOf: plain(q.Principal.Subject),
		Preview: preview(q.Question.Arguments), Expires: left(q.Expires.Sub(now)), ExpiresAt: q.Expires.UTC().Format(time.RFC3339),
	}
}

// preview tells questions about the same tool apart.
func preview(arguments []guard.Argument) []string {
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
	frame
	summary
	Question  guard.Question
	Facts     []string
	Arguments []argument
	Tried     []argument // what a dry run says
	Problem   string
	FormToken string
	CallID    string
	Decided   string // what was decided; empty: nothing yet
	Approved  bool
}

// An argument is shown as JSON, and a text of several lines as it is.
type argument struct {
	Name, Value string
	Lines       int // of a text that is not shown as JSON
}

func (p *Page) showQuestion(v visit, q guard.PendingQuestion, status int, problem string) {
	page := questionView{
		frame: p.frame(q.Question.Title, v.by), summary: p.summary(q, time.Now()), Question: q.Question, Problem: problem,
		FormToken: p.formToken(v.r, v.by, q.Token), CallID: q.CallID,
	}
	for _, a := range q.Question.Arguments {
		page.Arguments = append(page.Arguments, readable(a))
	}
	for _, p := range q.Question.Preview {
		page.Tried = append(page.Tried, readable(p))
	}
	if d := q.Decision; d != nil {
		word := "No"
		if d.Approved {
			word, page.Approved = "Yes", true
		}
		page.Decided = fmt.Sprintf("%s, said %s at %s UTC.", word, plain(d.By.Subject), d.At.UTC().Format(time.TimeOnly))
	}
	render(v.w, status, "question", page)
}

// maxFlat is how long JSON may be to stay in one line, in bytes.
const maxFlat = 30

// readable unfolds a text of several lines, and JSON that is long. What it shows
// cannot leave its box.
func readable(a guard.Argument) argument {
	var text string
	if json.Unmarshal([]byte(a.Text), &text) != nil {
		return argument{Name: a.Name, Value: unfolded(a.Text)}
	}
	if !strings.Contains(text, "\n") {
		return argument{Name: a.Name, Value: a.Text}
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	clean, removed := trust.Sanitize(text)
	if removed > 0 {
		return argument{Name: a.Name, Value: a.Text} // JSON shows them
	}
	return argument{Name: a.Name, Value: clean, Lines: strings.Count(clean, "\n") + 1}
}

// unfolded writes an array or an object that is long in lines. What was cut is
// no JSON, and stays as it is.
func unfolded(text string) string {
	var b bytes.Buffer
	if len(text) <= maxFlat || json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

func plain(text string) string {
	clean, _ := trust.Sanitize(text)
	return clean
}

// left says how much time there is, in what a person counts in.
func left(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < 90*time.Second:
		return "a minute"
	default:
		return fmt.Sprintf("%d minutes", d.Round(time.Minute)/time.Minute)
	}
}

func render(w http.ResponseWriter, status int, name string, view any) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, view); err != nil {
		http.Error(w, "The page cannot be written.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // a browser that is gone needs no page
}

func style(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, files, "style.css")
}
