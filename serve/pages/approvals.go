package pages

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/webpage"
)

// approvalsPath is the path of a page that has no configured address.
const approvalsPath = "/approvals"

// Approvals is the [guard.Approver] that shows questions to people, and the
// [http.Handler] that serves them. [NewApprovals] and [ListenLoopback] return
// one. Pass it to one guard. The zero Approvals is not usable. It is safe for
// concurrent use.
type Approvals struct {
	authenticate func(r *http.Request) (guard.Principal, error)
	session      func(r *http.Request) string // the ID of the visitor's session
	address      string                       // without a trailing slash; empty: callers receive none
	path         string
	signIn       *url.URL // nil: none
	formKey      formKey
	origins      *http.CrossOriginProtection
	handler      http.Handler
	people       atomic.Pointer[guard.People]
	questions    recent[string] // the tokens of those that this process was asked
	local        *loopback      // nil: not from ListenLoopback
}

// An ApprovalsConfig configures [Approvals]. The zero ApprovalsConfig is for a
// page at /approvals whose address callers do not receive.
type ApprovalsConfig struct {
	// Address is the absolute address, http or https, at which people reach the
	// page, such as serve.Server.Origin plus "/approvals". The page is mounted
	// at the path of the address. An address without a path, or with more than
	// a path, is an error. Default: the page is at /approvals, and callers do
	// not receive an address.
	Address string
	// SignIn is the address of the server's own sign-in, or its path without
	// that of serve.Config.Origin. The page links to it for people it does not
	// know, and adds the parameter return_to with the path that the visitor
	// opened. After the sign-in, redirect to the result of [ReturnPath] for its
	// value, so that the person returns to the question. An address that is
	// neither a path nor http or https is an error. Default: no link.
	SignIn string
	// FormKey authenticates the page's own forms. It has at least 32 random
	// bytes; a shorter key is an error. Use the same key on all replicas, so
	// that each accepts the others' forms. Default: a random key for this page
	// only.
	FormKey []byte
}

// maxListed is how many questions the list holds. A new one replaces the oldest
// question of the caller with the most.
const maxListed = 100

// NewApprovals returns a page for people. The error names every invalid field
// of the configuration.
//
// authenticate returns the person who sent a request. It must use only data
// that the server can verify: a session cookie, a token, or a header that only
// a trusted proxy can set. Only a principal with Human set may decide; see
// [guard.PeopleOptions]. If it returns an error or an anonymous principal, the
// request is refused. The text of the error is not shown. The function is
// called for every request and must be safe for concurrent use.
// [Sessions.Principal] is one for sessions in browsers.
func NewApprovals(authenticate func(r *http.Request) (guard.Principal, error), c ApprovalsConfig) (*Approvals, error) {
	if authenticate == nil {
		return nil, errors.New("pages: the function that authenticates is nil")
	}
	a := &Approvals{
		authenticate: authenticate, session: func(*http.Request) string { return "" }, path: approvalsPath, formKey: newFormKey(),
		origins: http.NewCrossOriginProtection(), questions: recent[string]{most: maxListed},
	}
	if err := errors.Join(a.setAddress(c.Address), a.setSignIn(c.SignIn), a.setFormKey(c.FormKey)); err != nil {
		return nil, err
	}
	a.handler = a.routes()
	return a, nil
}

func (a *Approvals) setAddress(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	isAbsolute := err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
	if !isAbsolute || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("pages: ApprovalsConfig.Address is not absolute, not http or https, or has more than a path")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	if !isOwnPath(u.Path) || u.EscapedPath() != u.Path {
		return errors.New("pages: ApprovalsConfig.Address has no path of its own, such as " + approvalsPath)
	}
	a.address = u.String()
	a.path = u.Path
	return a.origins.AddTrustedOrigin(u.Scheme + "://" + u.Host)
}

func (a *Approvals) setSignIn(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("pages: ApprovalsConfig.SignIn is neither a path nor http or https")
	}
	a.signIn = u
	return nil
}

func (a *Approvals) setFormKey(key []byte) error {
	if key == nil {
		return nil
	}
	if len(key) < formKeyBytes {
		return errors.New("pages: ApprovalsConfig.FormKey has fewer than 32 bytes")
	}
	a.formKey = slices.Clone(key)
	return nil
}

// Attach implements [guard.Approver]. A page belongs to one guard; a second
// guard is an error.
func (a *Approvals) Attach(of guard.People) error {
	if !a.people.CompareAndSwap(nil, &of) {
		return errors.New("pages: the page of approvals belongs to another guard")
	}
	return nil
}

// Pending implements [guard.Approver]. It lists the question and returns its
// address, which doesn't sign a browser in. The address is empty if the
// [ApprovalsConfig] has none.
func (a *Approvals) Pending(_ context.Context, q people.PendingQuestion) (string, error) {
	if a.questions.add(q.Token, q.Principal) && a.local != nil {
		a.local.announce(q)
	}
	if a.address == "" {
		return "", nil
	}
	return a.address + questionPath + q.Token, nil
}

// Address returns the address of the list. For a page from [ListenLoopback],
// the address signs one browser in, once: each call returns a new one, and the
// last 16 work. Show such an address only to the person.
func (a *Approvals) Address() string {
	if a.local != nil {
		return a.local.signInAddress(a.path)
	}
	return a.address
}

// Close stops the server of [ListenLoopback]. Until ctx ends, it waits for open
// requests and for connections that browsers opened in advance; then it cuts
// off what is left, which is not an error. It may be called twice. For a page
// from [NewApprovals] it does nothing.
func (a *Approvals) Close(ctx context.Context) error {
	if a.local != nil {
		return a.local.close(ctx)
	}
	return nil
}

// ServeHTTP implements [http.Handler]. Mount the page at the path of its
// address, and at that path with a trailing slash. A page from [ListenLoopback]
// doesn't need mounting. It answers only requests for names of the loopback
// interface, because an attacker can point another name here (DNS rebinding).
func (a *Approvals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	webpage.Isolate(w.Header(), localTimes)
	if a.address != "" { // which has the whole path
		r = webpage.WithPrefix(r, webpage.Prefix(r))
	}
	a.handler.ServeHTTP(w, r)
}

// publicPath returns a path of the page as browsers see it.
func (a *Approvals) publicPath(r *http.Request, path string) string {
	if a.address != "" {
		return path
	}
	return webpage.Prefix(r) + path
}

// signInFrom returns the address of the sign-in, with the path to return to. It
// is empty if the server has no sign-in.
func (a *Approvals) signInFrom(r *http.Request, to string) string {
	if a.signIn == nil {
		return ""
	}
	return signInAt(webpage.Below(r, *a.signIn), to, contract.StepUp{})
}
