package catalog

import (
	"cmp"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/webpage"
	"github.com/toolcontract/toolcontract/risk"
)

//go:embed page.html page.css
var pageFiles embed.FS

var pageTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"box": newShownBox,
	"option": func(value, text, chosen string) map[string]string {
		return map[string]string{"Value": value, "Text": text, "Chosen": chosen}
	},
	"pages": func(n pageNumber, where string) any {
		return struct {
			pageNumber
			Where string
		}{n, where}
	},
	"schema": func(label, tool string, s *shownSchema) any {
		return struct {
			Label  string
			Schema *shownSchema
		}{label + " " + tool, s}
	},
}).ParseFS(pageFiles, "page.html"))

// AuditPermission lets a person see all tools on the page of [Handler],
// including forbidden and quarantined ones. Agents never see those.
const AuditPermission = "contracts:audit"

// Handler returns the contracts page of the tools that a server or a gateway
// serves: every clause in words, the schemas, the failures, the tools that an
// agent may call alone, and the tools that can leak data together. The page is
// plain HTML with a style sheet and no script. It is at [PagePath], and the
// same contracts are available as JSON at that path plus ".json". Mount the
// handler at both paths, and at the first one with a trailing slash.
//
// Every visitor sees exactly the tools that tools/list shows the same
// principal. A person with [AuditPermission] sees all tools, including
// forbidden ones and those that a catalogue does not serve. The principal comes
// from the guard (guard.WithPrincipal), with the request's header in the
// [adapter.Caller], or from [PageOptions.Visitors]. A visitor without a valid
// principal is anonymous. If neither the guard nor Visitors knows principals,
// the handler answers everybody with 404.
//
// The page says whether the tools together can leak data: yes, no or unknown.
// The answer is yes if the tools that the visitor sees can leak data without a
// person. Otherwise it is unknown if a tool does not declare whether it reads
// private data, or if the visitor does not see all tools.
//
// tools returns the current tools and is called for each request. If it returns
// nil, the server is not ready. The handler is safe for concurrent use.
func Handler(tools func() *guard.Toolset, opts PageOptions) (http.Handler, error) {
	if tools == nil {
		return nil, errors.New("catalog: Handler: the function of the tools is nil; pass one that returns the guard.Toolset of " +
			"the endpoint")
	}
	p := &page{PageOptions: opts, tools: tools}
	p.Title = clean(cmp.Or(opts.Title, "Contracts"))
	if opts.SignInAt != "" {
		u, err := url.Parse(opts.SignInAt)
		if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
			return nil, errors.New("catalog: Handler: SignInAt is neither a path nor http or https")
		}
		p.signIn = u
	}
	return p.routes(), nil
}

// PagePath is the path of the page of [Handler].
const PagePath = "/contracts"

// PageOptions configure the page of [Handler]. The zero value is a page of one
// server, whose visitors are the principals of its guard.
type PageOptions struct {
	// Title is the title, such as the name of the server. Empty: "Contracts".
	Title string
	// Visitors authenticates visitors, such as people who have signed in
	// (pages.Sessions.Principal). It is called for every request and must be
	// safe for concurrent use. An error that wraps [guard.ErrUnavailable]
	// answers 503; after any other error the visitor is anonymous. Nil: the
	// principal function of the guard.
	Visitors func(*http.Request) (guard.Principal, error)
	// SignInAt is the address where anonymous visitors sign in, or its path
	// without that of serve.Config.Origin. It gets the query parameter
	// "return_to", with the path of the page and its filters. An address that
	// is neither a path nor http or https is an error. Empty: there is no link.
	SignInAt string
	// Catalog adds what a catalogue knows about the tools: their servers, the
	// origin of each fact, the problems, the changes in its last cycle, and for
	// auditors the tools that it does not serve. Nil: the page shows the tools
	// of one server as they are declared.
	Catalog *Catalog
}

// A page is the handler of [Handler].
type page struct {
	PageOptions

	tools  func() *guard.Toolset
	signIn *url.URL // nil: there is no sign-in
}

func (p *page) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+PagePath, p.identify(p.showPage))
	mux.HandleFunc("GET "+PagePath+"/{$}", p.identify(p.showPage))
	mux.HandleFunc("GET "+PagePath+".json", p.identify(p.showJSON))
	mux.HandleFunc("GET "+PagePath+"/page.css", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, pageFiles, "page.css")
	})
	webpage.HandleFiles(mux, PagePath)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		webpage.Isolate(w.Header())
		mux.ServeHTTP(w, r)
	})
}

// A visit is one request of a visitor.
type visit struct {
	w   http.ResponseWriter
	r   *http.Request
	by  guard.Principal
	set *guard.Toolset
}

// path returns the path of the page as browsers see it.
func (v visit) path() string { return webpage.Prefix(v.r) + PagePath }

// isAuditor reports whether the visitor is a person with AuditPermission.
func (v visit) isAuditor() bool {
	return v.by.Human && !v.by.IsAnonymous() && slices.Contains(v.by.Permissions, AuditPermission)
}

// sees reports whether the visitor may see a tool with this name and risk.
// visible has the names that tools/list shows the visitor.
func (v visit) sees(visible map[string]bool, name string, level risk.Level) bool {
	return v.isAuditor() || level != risk.Forbidden && visible[name]
}

// identify returns a handler that identifies the visitor and then calls next.
func (p *page) identify(next func(visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		set := p.tools()
		if set == nil {
			http.Error(w, "The server is starting.", http.StatusServiceUnavailable)
			return
		}
		if p.Visitors == nil && !exchange.Of(set).IdentifiesCallers() {
			http.NotFound(w, r)
			return
		}
		by, err := p.principal(r, set)
		switch {
		case errors.Is(err, guard.ErrUnavailable):
			http.Error(w, "It cannot be checked now who you are.", http.StatusServiceUnavailable)
			return
		case err != nil: // as in tools/list
			by = guard.Principal{}
		}
		next(visit{w: w, r: r, by: by, set: set})
	}
}

func (p *page) principal(r *http.Request, set *guard.Toolset) (guard.Principal, error) {
	if p.Visitors != nil {
		return p.Visitors(r)
	}
	return exchange.Of(set).Principal(adapter.WithCaller(r.Context(), adapter.Caller{Header: r.Header}))
}

// signInFrom returns the address where an anonymous visitor signs in, with the
// address to return to. It is empty for other visitors, and without a sign-in.
func (p *page) signInFrom(v visit) string {
	if p.signIn == nil || !v.by.IsAnonymous() {
		return ""
	}
	to := v.path()
	if v.r.URL.RawQuery != "" {
		to += "?" + v.r.URL.RawQuery
	}
	at := webpage.Below(v.r, *p.signIn)
	query := at.Query()
	query.Set("return_to", to)
	at.RawQuery = query.Encode()
	return at.String()
}

// absent stands for a value that a contract does not have.
const absent = "–"

// joinTexts returns texts on one line.
func joinTexts(texts []string) string { return strings.Join(texts, ", ") }
