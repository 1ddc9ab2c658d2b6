package stepup

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/trust"
)

//go:embed page.html style.css icon.svg
var files embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{"plain": plain}).ParseFS(files, "page.html"))

// A view is the data of a template.
type view struct {
	Heading, Problem, Text string
	ID, Subject, Tenant    string
	Proof                  string
	Tool, CallID           string
	Expires, ExpiresAt     string
	Question               *guard.Question // nil if the store did not retain it
}

// StylePath returns the path of the style sheet, and IconPath the path of the
// icon.
func (view) StylePath() string { return stylePath }
func (view) IconPath() string  { return iconPath }

// Path returns the path of the page.
func (view) Path() string { return Path }

// plain removes invisible characters, which could make one name look like
// another.
func plain(text string) string {
	clean, _ := trust.Sanitize(text)
	return clean
}

func notice(w http.ResponseWriter, status int, heading, text string) {
	render(w, status, "notice", view{Heading: heading, Text: text})
}

func render(w http.ResponseWriter, status int, name string, v view) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, v); err != nil {
		http.Error(w, "The page cannot be written.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the browser may be gone
}

// file serves an embedded file.
func file(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, name) }
}
