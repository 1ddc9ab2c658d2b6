package signin

import (
	"context"
	_ "embed"
	"errors"
	"html/template"
	"net/http"
	"path"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/internal/webpage"
	"github.com/toolcontract/toolcontract/trust"
)

const (
	maxForm = 8 << 10 // bytes
	// triesAtOnce and tryPause bound how often all visitors together try a
	// secret.
	triesAtOnce = 20
	tryPause    = time.Second

	fieldSecret = "token"
	fieldForm   = "form_token"
	signOut     = "sign-out"
)

//go:embed form.html
var formPage string

var pages = template.Must(template.New("").Parse(formPage))

// A FormConfig configures [Sessions.Form]. Verify is required.
type FormConfig struct {
	// Verify returns the person that a secret belongs to, such as a code that
	// was sent to the person, or a token. An error means that there is none;
	// its text is not shown. An error that wraps [guard.ErrUnavailable] means
	// that it cannot be verified now. A principal without Human, such as an
	// agent, is refused. It must be safe for concurrent use.
	Verify func(ctx context.Context, secret string) (guard.Principal, error)
	// Label names the secret. Empty means "Code".
	Label string
	// Hint explains where a person finds the secret. Empty means none.
	Hint string
	// Home is the path to go to if the visitor came from no page. Empty means
	// "/".
	Home string
}

type form struct {
	FormConfig
	sessions *Sessions
	path     string
	tries    *rate.Limiter
	origins  *http.CrossOriginProtection
}

// Form returns a page on which a person signs in with one secret, and out
// again. Mount it at the path and below it. All visitors together can try 20
// secrets at once, and then one each second; the page refuses further tries
// with status 429. The error names what is wrong with the path or the
// configuration.
func (s *Sessions) Form(at string, c FormConfig) (http.Handler, error) {
	switch {
	case !strings.HasPrefix(at, "/") || at == "/" || path.Clean(at) != at || strings.ContainsAny(at, "{} "):
		return nil, errors.New("signin: Form: the path is not one of its own; pass a path such as /sign-in")
	case c.Verify == nil:
		return nil, errors.New("signin: Form: Verify is nil; pass a function that returns the person of a secret")
	}
	if c.Label == "" {
		c.Label = "Code"
	}
	f := &form{c, s, at, rate.NewLimiter(rate.Every(tryPause), triesAtOnce), http.NewCrossOriginProtection()}
	f.Home = ReturnPath(c.Home, "/")
	if err := f.origins.AddTrustedOrigin(s.origin); err != nil { // a proxy may change the Host header
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+at, func(w http.ResponseWriter, r *http.Request) { f.show(w, r, http.StatusOK, "") })
	mux.HandleFunc("POST "+at, f.signIn)
	mux.HandleFunc("POST "+at+"/out", f.signOut)
	webpage.HandleFiles(mux, at)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		webpage.Isolate(w.Header())
		if f.origins.Check(r) != nil {
			f.show(w, r, http.StatusForbidden, "This was sent from another page. Sign in here.")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		mux.ServeHTTP(w, r)
	}), nil
}

func (f *form) signIn(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		f.show(w, r, http.StatusBadRequest, "The request is not a form of this page.")
		return
	}
	if !f.tries.Allow() {
		f.show(w, r, http.StatusTooManyRequests, "There were too many tries. Please try again in a minute.")
		return
	}
	person, err := f.Verify(r.Context(), r.PostForm.Get(fieldSecret))
	switch {
	case errors.Is(err, guard.ErrUnavailable):
		f.show(w, r, http.StatusServiceUnavailable, "You cannot be signed in now. Please try again in a moment.")
	case err != nil || !person.Human || f.replace(w, r, person) != nil:
		f.show(w, r, http.StatusUnauthorized, "No person can sign in with this.")
	default:
		http.Redirect(w, r, ReturnPath(r.URL.Query().Get(ReturnParam), f.Home), http.StatusSeeOther)
	}
}

// replace ends the session of the browser, if it has one, and starts another.
func (f *form) replace(w http.ResponseWriter, r *http.Request, person guard.Principal) error {
	f.sessions.open.End(f.sessions.id(r))
	return f.sessions.Start(w, person)
}

func (f *form) signOut(w http.ResponseWriter, r *http.Request) {
	if r.ParseForm() != nil || !f.sessions.IsFormToken(r, r.PostForm.Get(fieldForm), signOut) {
		f.show(w, r, http.StatusForbidden, "The form was of another session. Please try again.")
		return
	}
	f.sessions.End(w, r)
	http.Redirect(w, r, f.path, http.StatusSeeOther)
}

type formView struct {
	Path, Label, Hint, Problem, By, Out string
}

func (f *form) show(w http.ResponseWriter, r *http.Request, status int, problem string) {
	v := formView{Path: f.path, Label: f.Label, Hint: f.Hint, Problem: problem}
	if person, err := f.sessions.Principal(r); err == nil {
		v.By, _ = trust.Sanitize(person.Subject)
		v.Out = f.sessions.FormToken(r, signOut)
	}
	webpage.Render(w, status, pages, "form", v)
}
