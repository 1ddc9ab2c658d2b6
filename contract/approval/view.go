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
	"github.com/toolcontract/toolcontract/contract/guard/people"
	"github.com/toolcontract/toolcontract/internal/webpage"
	"github.com/toolcontract/toolcontract/internal/websession"
	"github.com/toolcontract/toolcontract/trust"
)

//go:embed page.html
var files embed.FS

// localTimes is the only script of a page. It shows times in the time zone of
// the reader.
//
//go:embed local_times.js
var localTimes string

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"localTimes": func() template.JS { return template.JS(localTimes) },
}).ParseFS(files, "page.html"))

// A moment is a time with its date, in UTC, because the page does not know the
// time zone of its reader.
type moment struct{ time.Time }

// String returns the time for people, and RFC3339 the time for browsers.
func (m moment) String() string  { return m.UTC().Format("2 January 2006, 15:04:05 UTC") }
func (m moment) RFC3339() string { return m.UTC().Format(time.RFC3339) }

// A frame holds the fields that every page has.
type frame struct {
	Path, Heading, By string
	Again             string // the address to which the browser goes on at once; empty: none
}

func (p *Page) frame(heading string, by guard.Principal) frame {
	return frame{Path: p.path, Heading: heading, By: plain(by.Subject)}
}

// A notice is a page that only has a text.
type notice struct {
	Title, Text string
	SignIn      string // the address at which to sign in; empty: no link
	Opens       string // the path that a signed-in window opens; empty: no button
	Again       string // the address to which the browser goes on; empty: none
	By          string // the subject of the visitor; empty: unknown
}

type noticeView struct {
	frame
	Text, SignIn, Opens string
}

func (p *Page) say(w http.ResponseWriter, status int, n notice) {
	render(w, status, "notice", noticeView{
		frame: frame{Path: p.path, Heading: n.Title, By: n.By, Again: n.Again}, Text: n.Text, SignIn: n.SignIn, Opens: n.Opens,
	})
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
	Expires                         moment
	Left                            string // the time until then
}

const (
	// previewed is the number of arguments that the list shows of a question.
	previewed = 4
	// previewedChars is the number of characters that the list shows of each
	// argument.
	previewedChars = 60
)

func (p *Page) summary(q people.PendingQuestion, now time.Time) summary {
	return summary{
		Address: p.path + questionPath + q.Token, Tool: q.Tool, Risk: q.Risk.String(), OnBehalfOf: plain(q.Principal.Subject),
		Preview: preview(q.Question.Arguments), Expires: moment{q.Expires}, Left: left(q.Expires.Sub(now)),
	}
}

// preview returns the beginnings of the first arguments, which distinguish
// questions about the same tool.
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
	frame
	summary
	Question  people.Question
	Facts     []string
	Arguments []argument
	Tried     []argument // the preview of a dry run
	Problem   string
	FormToken string
	CallID    string
	Decided   *decided // nil: not decided yet
	Approved  bool
}

// A decided is the answer to a question, for the page.
type decided struct {
	By string
	At moment
}

// An argument is one argument of the page. It is shown as JSON, except that a
// text of several lines is shown as it is.
type argument struct {
	Name, Value string
	Lines       int // the number of lines of a text; 0 if Value is JSON
}

func (p *Page) showQuestion(v visit, q people.PendingQuestion, status int, problem string) {
	page := questionView{
		frame: p.frame(q.Question.Title, v.by), summary: p.summary(q, time.Now()), Question: q.Question, Problem: problem,
		FormToken: websession.FormToken(p.formKey, v.formOf(q.Token)...), CallID: q.CallID,
	}
	for _, a := range q.Question.Arguments {
		page.Arguments = append(page.Arguments, readable(a))
	}
	for _, p := range q.Question.Preview {
		page.Tried = append(page.Tried, readable(p))
	}
	if d := q.Decision; d != nil {
		page.Decided, page.Approved = &decided{plain(d.By.Subject), moment{d.At}}, d.Approved
	}
	render(v.w, status, "question", page)
}

// maxFlat is the number of bytes up to which JSON stays on one line.
const maxFlat = 30

// readable unfolds a text of several lines and long JSON. It shows no character
// that could leave the argument's box on the page.
func readable(a people.Argument) argument {
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
		return argument{Name: a.Name, Value: a.Text} // JSON shows the removed characters
	}
	return argument{Name: a.Name, Value: clean, Lines: strings.Count(clean, "\n") + 1}
}

// unfolded breaks a long array or object into lines. A value that was cut is
// not valid JSON, so it stays as it is.
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

// left describes the remaining time in minutes.
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
	webpage.Render(w, status, pages, name, view)
}
