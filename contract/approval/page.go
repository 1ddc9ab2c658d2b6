package approval

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/guard/people"
	"github.com/toolcontract/toolcontract/internal/webpage"
)

// An AuthenticateFunc returns the person that sent a request. It must use only
// data that the server can verify: a session cookie, a token, or a header that
// only a trusted proxy can set. Only a principal with Human set may decide; see
// [guard.WithDeciders]. If it returns an error or an anonymous principal, the
// request is refused. The text of the error is not shown. The function is
// called for every request and must be safe for concurrent use. Package signin
// has one for sessions in browsers: signin.Sessions.Principal.
type AuthenticateFunc func(r *http.Request) (guard.Principal, error)

// A Page is the [guard.Approver] that shows questions to people, and the
// [http.Handler] that serves them. Make one with [New] or [ListenLoopback], and
// pass it to one guard. The zero Page cannot be used. It is safe for concurrent
// use.
type Page struct {
	authenticate AuthenticateFunc
	address      string // without a trailing slash; empty: callers receive none
	path         string
	signIn       *url.URL // nil: none
	unknown      string   // the text for people whom the page does not know
	formKey      []byte
	origins      *http.CrossOriginProtection
	handler      http.Handler
	people       atomic.Pointer[guard.People]
	questions    *questions
	browser      *browser // nil: none
	opensItself  bool     // people sign in through a window that the page opens
}

// New returns a page for the people whom authenticate identifies. The error
// names every wrong option.
func New(authenticate AuthenticateFunc, opts ...Option) (*Page, error) {
	if authenticate == nil {
		return nil, errors.New("approval: the function that authenticates is nil")
	}
	p := &Page{
		authenticate: authenticate, path: DefaultPath, unknown: "Only people whom this server knows can see its questions.", formKey: make([]byte, minFormKey),
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

// Attach implements [guard.Approver]. A page belongs to one guard; a second
// guard is an error.
func (p *Page) Attach(of guard.People) error {
	if !p.people.CompareAndSwap(nil, &of) {
		return errors.New("approval: the page belongs to another guard")
	}
	return nil
}

// Pending implements [guard.Approver]. It lists the question and returns its
// address, which is empty without [WithAddress].
func (p *Page) Pending(_ context.Context, q people.PendingQuestion) (string, error) {
	isNew := p.questions.add(q.Token)
	if p.address == "" {
		return "", nil
	}
	address := p.address + questionPath + q.Token
	if isNew && !q.ClientSends {
		p.browser.show(func() string { return address })
	}
	return address, nil
}

// ServeHTTP implements [http.Handler]. Mount it at the path of [WithAddress],
// and at that path with a trailing slash.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	webpage.Isolate(w.Header(), localTimes)
	p.handler.ServeHTTP(w, r)
}
