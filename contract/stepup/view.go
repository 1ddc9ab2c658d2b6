package stepup

import (
	_ "embed"
	"html/template"
	"net/http"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/people"
	"github.com/toolcontract/toolcontract/internal/webpage"
	"github.com/toolcontract/toolcontract/trust"
)

//go:embed page.html
var pageText string

var pages = template.Must(template.New("").Funcs(template.FuncMap{"plain": plain}).Parse(pageText))

// A view is the data of a template.
type view struct {
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
func (view) Path() string { return DefaultPath }

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

func notice(w http.ResponseWriter, status int, v view) {
	webpage.Render(w, status, pages, "notice", v)
}
