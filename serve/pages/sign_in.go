package pages

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/webpage"
)

const (
	fieldSecret = "token"
	fieldForm   = "form_token"
	signOut     = "sign-out" // the purpose of the form
)

// A SignIn configures [Sessions.SignInPage]. Verify is required.
type SignIn struct {
	// Verify returns the person that a secret belongs to, such as a code that
	// was sent to the person, or a token. An error means that there is no such
	// person; its text is not shown. An error that wraps [guard.ErrUnavailable]
	// means that the secret cannot be verified right now. A principal without
	// Human, such as an agent, is refused. It must be safe for concurrent use.
	Verify func(ctx context.Context, secret string) (guard.Principal, error)
	// Label names the secret. Empty means "Code".
	Label string
	// Hint explains where a person finds the secret. Empty means none.
	Hint string
	// Home is the path to go to if the visitor did not come from a page,
	// without the path of [NewSessions]. Empty means "/".
	Home string
	// ProxyHeader is the header in which the proxy in front of the server
	// passes the address of its client, such as X-Forwarded-For. The last
	// address in it counts, because clients can forge the earlier ones. The
	// proxy must set the header or append to it. Set this field behind a proxy:
	// otherwise all visitors share the tries of the proxy's address. Empty
	// means the address of the connection.
	ProxyHeader string
}

type signInPage struct {
	SignIn

	sessions *Sessions
	path     string // including the server's own
	tries    *tries
	origins  *http.CrossOriginProtection
}

// SignInPage returns a page on which a person signs in with one secret, and out
// again. Mount it at the path and below it. Neither the path nor the paths of
// the page's requests include that of [NewSessions], which is how serve.Server
// mounts pages. The error names what is wrong with the path or the
// configuration.
//
// The visitors of one address, or of one /64 network of IPv6, can try 20
// secrets at once, then one each second; the page refuses further tries with
// status 429. All visitors together can try 50 secrets at once, then ten each
// second; further tries wait, for at most five seconds. This slows down a
// guesser with many addresses but does not stop it, because that would lock
// people out. Use secrets that cannot be guessed.
func (s *Sessions) SignInPage(mount string, c SignIn) (http.Handler, error) {
	switch {
	case !isOwnPath(mount):
		return nil, errors.New("pages: SignInPage: the path is not one of its own; pass a path such as /sign-in")
	case c.Verify == nil:
		return nil, errors.New("pages: SignInPage: Verify is nil; pass a function that returns the person of a secret")
	}
	if c.Label == "" {
		c.Label = "Code"
	}
	c.Home = s.path + ReturnPath(c.Home, "/")
	tries, err := newTries()
	if err != nil {
		return nil, err
	}
	p := &signInPage{c, s, s.path + mount, tries, http.NewCrossOriginProtection()}
	if err := p.origins.AddTrustedOrigin(s.origin); err != nil { // a proxy may change the Host header
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+mount, func(w http.ResponseWriter, r *http.Request) { p.show(w, r, http.StatusOK, "") })
	mux.HandleFunc("POST "+mount, p.signIn)
	mux.HandleFunc("POST "+mount+"/out", p.signOut)
	webpage.HandleFiles(mux, mount)
	return isolate(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.origins.Check(r) != nil {
			p.show(w, r, http.StatusForbidden, "This was sent from another page. Sign in here.")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		mux.ServeHTTP(w, r)
	})), nil
}

func (p *signInPage) signIn(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		p.show(w, r, http.StatusBadRequest, "The request is not a form of this page.")
		return
	}
	if !p.tries.allow(r.Context(), source(r, p.ProxyHeader)) {
		p.show(w, r, http.StatusTooManyRequests, "There were too many tries. Please try again in a minute.")
		return
	}
	person, err := p.Verify(r.Context(), r.PostForm.Get(fieldSecret))
	switch {
	case errors.Is(err, guard.ErrUnavailable):
		p.show(w, r, http.StatusServiceUnavailable, "You cannot be signed in now. Please try again in a moment.")
	case err != nil || !person.Human || p.replace(w, r, person) != nil:
		p.show(w, r, http.StatusUnauthorized, "No person can sign in with this.")
	default:
		http.Redirect(w, r, p.returnPath(r), http.StatusSeeOther)
	}
}

// returnPath returns the path to go to after the sign-in. A path that is not
// below the server's own belongs to another server on the same host.
func (p *signInPage) returnPath(r *http.Request) string {
	to := ReturnPath(r.URL.Query().Get(returnParam), p.Home)
	u, err := url.Parse(to)
	if err != nil || p.sessions.path != "" && !strings.HasPrefix(path.Clean(u.Path)+"/", p.sessions.path+"/") {
		return p.Home
	}
	return to
}

// replace ends the browser's session, if it has one, and starts another.
func (p *signInPage) replace(w http.ResponseWriter, r *http.Request, person guard.Principal) error {
	p.sessions.forget(r)
	return p.sessions.Start(w, person)
}

func (p *signInPage) signOut(w http.ResponseWriter, r *http.Request) {
	if r.ParseForm() != nil || !p.sessions.isFormToken(r, r.PostForm.Get(fieldForm), signOut) {
		p.show(w, r, http.StatusForbidden, "The form was of another session. Please try again.")
		return
	}
	p.sessions.End(w, r)
	http.Redirect(w, r, p.path, http.StatusSeeOther)
}

type signInView struct {
	page
	Label, Hint, Out string
}

func (p *signInPage) show(w http.ResponseWriter, r *http.Request, status int, problem string) {
	v := signInView{page: page{Path: p.path, Heading: "Sign in", Problem: problem}, Label: p.Label, Hint: p.Hint}
	if person, err := p.sessions.Principal(r); err == nil {
		v.By = plain(person.Subject)
		v.Out = p.sessions.formToken(r, signOut)
	}
	render(w, status, "sign-in", v)
}

// returnParam is the query parameter for the path to return to after the
// sign-in.
const returnParam = "return_to"

// signInAt returns the address of a sign-in that leads back to a path. It
// passes on what a call demands of the authentication.
func signInAt(u url.URL, to string, demand contract.StepUp) string {
	query := u.Query()
	query.Set(returnParam, to)
	if demand.MaxAge > 0 {
		query.Set("max_age", strconv.FormatInt(int64(demand.MaxAge/time.Second), 10))
	}
	if demand.ACR != "" {
		query.Set("acr_values", demand.ACR)
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// maxReturn is the maximum length of a path to return to, in bytes.
const maxReturn = 2000

// ReturnPath returns the given path with its query if it is a path of this
// server. Otherwise it returns home, for example for an address of another
// host. A redirect to the result never leaves the server, even if an attacker
// made the link to the sign-in. Pass the value of the parameter return_to,
// which includes the path of serve.Config.Origin. home may be an absolute
// address.
func ReturnPath(to, home string) string {
	u, err := url.Parse(to)
	isPath := strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && !strings.ContainsFunc(to, isForeign)
	if err != nil || !isPath || u.Host != "" || u.Scheme != "" || len(to) > maxReturn {
		return home
	}
	return u.RequestURI()
}

func isForeign(r rune) bool { return r == '\\' || unicode.IsControl(r) }
