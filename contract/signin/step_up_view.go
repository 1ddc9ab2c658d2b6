package signin

import (
	_ "embed"
	"html/template"
	"net/http"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/people"
	"github.com/toolcontract/toolcontract/internal/webpage"
	"github.com/toolcontract/toolcontract/trust"
)

//go:embed step_up.html
var stepUpText string

var stepUpPages = template.Must(template.New("").Funcs(template.FuncMap{"plain": plain}).Parse(stepUpText))

// A stepUpView is the data of a template.
type stepUpView struct {
	Heading, Text string
	SignIn        string // the address at which to sign in; empty: no link
	Again         string // the path of the call; empty: no link
	By, Tenant    string // the visitor
	ID, Token     string // of the form
	Tool, CallID  string
	Expires       moment
	Question      *people.Question // nil if the store did not retain it
}

// Path returns the path of the page.
func (stepUpView) Path() string { return StepUpPath }

// A moment is a time with its date, in UTC.
type moment struct{ time.Time }

// String returns the time for people, and RFC3339 the time for browsers.
func (m moment) String() string  { return m.UTC().Format("2 January 2006, 15:04:05 UTC") }
func (m moment) RFC3339() string { return m.UTC().Format(time.RFC3339) }

// plain removes invisible characters, which could make one name look like
// another.
func plain(text string) string {
	clean, _ := trust.Sanitize(text)
	return clean
}

func stepUpNotice(w http.ResponseWriter, status int, v stepUpView) {
	webpage.Render(w, status, stepUpPages, "notice", v)
}
