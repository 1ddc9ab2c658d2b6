package approval

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/guard/people"
	"github.com/toolcontract/toolcontract/internal/webpage"
	"github.com/toolcontract/toolcontract/internal/websession"
)

// A Page is the [guard.Approver] that shows questions to people, and the
// [http.Handler] that serves them. Make one with [New] or [ListenLoopback], and
// pass it to one guard. The zero Page cannot be used. It is safe for concurrent
// use.
type Page struct {
	authenticate func(r *http.Request) (guard.Principal, error)
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

// New returns a page for people. The error names every wrong field of the
// configuration.
//
// authenticate returns the person that sent a request. It must use only data
// that the server can verify: a session cookie, a token, or a header that only
// a trusted proxy can set. Only a principal with Human set may decide; see
// [guard.WithDeciders]. If it returns an error or an anonymous
// principal, the request is refused. The text of the error is not shown. The
// function is called for every request and must be safe for concurrent use.
// Package signin has one for sessions in browsers: signin.Sessions.Principal.
func New(authenticate func(r *http.Request) (guard.Principal, error), c Config) (*Page, error) {
	if authenticate == nil {
		return nil, errors.New("approval: the function that authenticates is nil")
	}
	p := &Page{
		authenticate: authenticate, path: DefaultPath, formKey: websession.NewKey(),
		unknown: "Only people whom this server knows can see its questions.",
		origins: http.NewCrossOriginProtection(), questions: newQuestions(),
	}
	if err := c.set(p); err != nil {
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
// address, which is empty without one in the [Config].
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

// ServeHTTP implements [http.Handler]. Mount it at the path of its address, and
// at that path with a trailing slash.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	webpage.Isolate(w.Header(), localTimes)
	p.handler.ServeHTTP(w, r)
}
