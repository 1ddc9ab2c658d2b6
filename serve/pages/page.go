package pages

import (
	"embed"
	"html/template"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/webpage"
	"github.com/toolcontract/toolcontract/trust"
)

//go:embed pages.html
var files embed.FS

// localTimes is the only script of the page of approvals. It shows times in the
// time zone of the reader.
//
//go:embed local_times.js
var localTimes string

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"localTimes": func() template.JS { return template.JS(localTimes) },
	"plain":      plain,
	"readable":   readable,
}).ParseFS(files, "pages.html"))

func render(w http.ResponseWriter, status int, name string, view any) {
	webpage.Render(w, status, templates, name, view)
}

// A page holds the fields that every template shows.
type page struct {
	Path    string // the page's files are below it
	Heading string
	Text    string
	Problem string
	By      string // the visitor; empty: unknown
	Tenant  string // of the visitor
	SignIn  string // the address at which to sign in; empty: no link
	Again   string // the address to send the browser on to at once; empty: none
	Every   int    // the seconds after which the browser loads the page again; 0: never
	// Return is the path to go to after signing in. Opens offers to open a
	// window, and CodeFile names the file with a code; an empty CodeFile means
	// that there is none.
	Return   string
	Opens    bool
	CodeFile string
	Call     string // the path of a call to open again; empty: no link
}

// A visit is one request about a question or a call, from a person whom the
// page knows.
type visit struct {
	w      http.ResponseWriter
	r      *http.Request
	by     guard.Principal
	people guard.People
	id     string // of the question or call; empty: neither
}

// A moment is a time with its date, in UTC because the page does not know the
// reader's time zone.
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

// isOwnPath reports whether a page can be mounted at a path and below it.
func isOwnPath(mount string) bool {
	return strings.HasPrefix(mount, "/") && mount != "/" && path.Clean(mount) == mount && !strings.ContainsAny(mount, "{} ")
}

// isolate isolates a page's responses from other sites.
func isolate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		webpage.Isolate(w.Header())
		next.ServeHTTP(w, r)
	})
}
