package approval

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// An AuthenticateFunc finds out who looks at the page, from what the server can
// verify: a session cookie, a token, a header that a proxy sets and that nobody
// else can. Who may decide is a principal with Human set; see
// [guard.WithDeciders]. Any error means that the request is nobody's, and its
// text stays here. It is called for every request, by many goroutines at once.
type AuthenticateFunc func(r *http.Request) (guard.Principal, error)

// A Page is the [guard.Approver] that shows questions to people, and the
// [http.Handler] that serves them. Make one with [New] or [ListenLoopback], and
// hand it to one guard. It is safe for concurrent use.
type Page struct {
	authenticate AuthenticateFunc
	address      string // without a slash at its end; empty: callers are told none
	path         string
	signIn       string
	unknown      string // what people are told whom the page does not know
	formKey      []byte
	origins      *http.CrossOriginProtection
	handler      http.Handler
	guard        atomic.Pointer[guard.Guard]
	questions    *questions
}

// New makes a page for people whom authenticate knows.
func New(authenticate AuthenticateFunc, opts ...Option) (*Page, error) {
	if authenticate == nil {
		return nil, errors.New("approval: the function that authenticates is nil")
	}
	p := &Page{
		authenticate: authenticate, path: DefaultPath, unknown: "Only people whom this server knows see what is asked here.", formKey: make([]byte, minFormKey),
		origins: http.NewCrossOriginProtection(), questions: newQuestions(),
	}
	rand.Read(p.formKey) // never fails
	var errs []error
	for _, o := range opts {
		if o == nil {
			errs = append(errs, errors.New("approval: an option is nil"))
			continue
		}
		errs = append(errs, o.apply(p))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	p.handler = p.routes()
	return p, nil
}

// Attach implements [guard.Approver]. A page belongs to one guard.
func (p *Page) Attach(g *guard.Guard) error {
	if !p.guard.CompareAndSwap(nil, g) {
		return errors.New("approval: the page belongs to another guard")
	}
	return nil
}

// Pending implements [guard.Approver]: it lists the question and returns its
// address, which is empty without [WithAddress].
func (p *Page) Pending(_ context.Context, q guard.PendingQuestion) (string, error) {
	p.questions.add(q.Token)
	if p.address == "" {
		return "", nil
	}
	return p.address + questionPath + q.Token, nil
}

// ServeHTTP implements [http.Handler]. Mount it at the path of [WithAddress], and
// at that path with a slash at its end.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header())
	p.handler.ServeHTTP(w, r)
}

// setHeaders keeps the page to itself. A browser says in a POST where it came
// from only under a referrer policy that lets it.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}
