// Package webpage has what the HTML pages share: the headers that isolate a
// page from other sites, the style sheet, and the icon.
package webpage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strings"
)

//go:embed style.css icon.svg
var files embed.FS

type prefixKey struct{}

// StripPrefix removes a prefix from request paths, as [http.StripPrefix] does.
// [Prefix] returns it, for links on a page.
func StripPrefix(prefix string, next http.Handler) http.Handler {
	return http.StripPrefix(prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), prefixKey{}, prefix)))
	}))
}

// Prefix returns what StripPrefix removed from the request path, or "".
func Prefix(r *http.Request) string {
	prefix, _ := r.Context().Value(prefixKey{}).(string)
	return prefix
}

// Below returns a link for the page of a request: a path on this server gets
// the prefix.
func Below(r *http.Request, link url.URL) url.URL {
	if link.Host == "" && strings.HasPrefix(link.Path, "/") {
		link.Path = Prefix(r) + link.Path
	}
	return link
}

// WithPrefix returns a request whose path begins with the prefix.
func WithPrefix(r *http.Request, prefix string) *http.Request {
	if prefix == "" {
		return r
	}
	to := new(http.Request)
	*to = *r
	to.URL = new(url.URL)
	*to.URL = *r.URL
	to.URL.Path = prefix + r.URL.Path
	if r.URL.RawPath != "" {
		to.URL.RawPath = prefix + r.URL.RawPath
	}
	return to
}

// Isolate sets the headers that isolate a page from other sites. The content
// security policy allows only the given script, by its hash; pass at most one.
// The referrer policy lets browsers send the Origin of a POST, which pages
// check.
func Isolate(h http.Header, scripts ...string) {
	h.Set("Content-Security-Policy", policy(scripts))
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

func policy(scripts []string) string {
	directives := []string{"default-src 'none'"}
	for _, script := range scripts {
		sum := sha256.Sum256([]byte(script))
		directives = append(directives, "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	directives = append(directives, "style-src 'self'", "img-src 'self'", "form-action 'self'",
		"frame-ancestors 'none'", "base-uri 'none'")
	return strings.Join(directives, "; ")
}

// HandleFiles serves the style sheet and the icon below a path.
func HandleFiles(mux *http.ServeMux, path string) {
	for _, name := range []string{"style.css", "icon.svg"} {
		mux.HandleFunc("GET "+path+"/"+name, func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, name) })
	}
}

// Render writes a page, or a plain error if the template fails.
func Render(w http.ResponseWriter, status int, pages *template.Template, name string, view any) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, view); err != nil {
		http.Error(w, "The page cannot be written.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // the browser may have closed the connection
}
