package pages

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

const (
	// secretParam is the query parameter for the secret of an address that
	// works once.
	secretParam = "secret"
	// maxSecrets caps the addresses that are waiting to be opened, and
	// maxLocalSessions the browsers that are signed in. A new one replaces the
	// oldest.
	maxSecrets       = 16
	maxLocalSessions = 16

	signInPath = "/sign-in"
)

// These limit how many browser windows open, so that a model with many
// questions does not flood a person. Questions without a window are still in
// the page's list.
const (
	// windowsAtOnce is how many windows may open in quick succession. Questions
	// and sign-ins are counted separately.
	windowsAtOnce = 3
	// windowInterval is the time after which one more window may open.
	windowInterval = time.Minute
)

// A LoopbackConfig configures [ListenLoopback]. The zero LoopbackConfig opens
// new questions in the browser if the machine has a display.
type LoopbackConfig struct {
	// Notify is called for each new question. It receives an address that signs
	// a browser in once and leads to the question. Use it to print the address.
	// The address must not reach the client. The function must not block.
	// Default: none.
	Notify func(q people.PendingQuestion, address string)
	// NoBrowser stops the page from opening a browser. A person who has a
	// question's address from the client signs in with the code in the file
	// that the page names, or with an address from Notify or
	// [Approvals.Address].
	NoBrowser bool
	// OpenBrowser replaces the function that opens the browser of the user who
	// runs this process. It is called for a new question, unless the client
	// sends its user to it: at most once for each question, at most three times
	// in quick succession, and after that once a minute. It is also called for
	// a person who presses the page's sign-in button. Its address signs one
	// browser in, once, and must not reach the client. It must not block and
	// must be safe for concurrent use. For a question its error is ignored,
	// because the person can open the address some other way.
	OpenBrowser func(address string) error
}

// A loopback is the part of [Approvals] that serves the person at the server's
// own machine.
type loopback struct {
	*Approvals

	person          guard.Principal
	sessions        *Sessions
	code            localCode
	secrets         recent[digest] // stored instead of the secrets, because those open the page
	hosts           []string
	next            http.Handler
	notify          func(q people.PendingQuestion, address string)
	open            func(address string) error // nil: no browser opens
	questionWindows *rate.Limiter
	signInWindows   *rate.Limiter
	server          *http.Server
	served          chan struct{} // closed when the server has stopped
	serveErr        error         // why it stopped; valid once served is closed
}

// ListenLoopback serves a page at 127.0.0.1, on a free port, for the person at
// the machine that the server runs on. A visitor who opens [Approvals.Address]
// is authenticated as person, and counts as human. If the machine has a
// display, a new question opens in the browser. Pass the issuer, the subject
// and the tenant of the local user; a person without a subject is an error. ctx
// is used only to open the port. Close the page after the guard.
func ListenLoopback(ctx context.Context, person guard.Principal, c LoopbackConfig) (*Approvals, error) {
	if person.IsAnonymous() {
		return nil, errors.New("pages: the person at the machine has no subject")
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	a, err := newLoopback(listener.Addr().String(), person, c)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	go a.local.serve(listener)
	return a, nil
}

// newLoopback returns the page for a host and port.
func newLoopback(host string, person guard.Principal, c LoopbackConfig) (*Approvals, error) {
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	person.Human = true
	every := rate.Every(windowInterval)
	l := &loopback{
		person: person, hosts: []string{host, "localhost:" + port}, secrets: recent[digest]{most: maxSecrets},
		code: localCode{name: "approvals-" + port + ".txt"},
		sessions: newSessions(http.Cookie{
			Name: "approvals-" + port, Path: approvalsPath, SameSite: http.SameSiteStrictMode, // all ports of a host share its cookies
		}, maxLocalSessions),
		notify: c.Notify, open: c.OpenBrowser, served: make(chan struct{}),
		questionWindows: rate.NewLimiter(every, windowsAtOnce), signInWindows: rate.NewLimiter(every, windowsAtOnce),
	}
	switch {
	case c.NoBrowser:
		l.open = nil
	case l.open == nil && hasDisplay():
		l.open = openBrowser
	}
	l.Approvals, err = NewApprovals(l.sessions.Principal, ApprovalsConfig{Address: "http://" + host + approvalsPath})
	if err != nil {
		return nil, err
	}
	l.local = l
	l.session = l.sessions.id
	l.next = l.handler
	l.handler = http.HandlerFunc(l.handle)
	l.server = &http.Server{
		Handler: l.Approvals, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
	}
	return l.Approvals, nil
}

func (l *loopback) serve(listener net.Listener) {
	defer close(l.served)
	if err := l.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		l.serveErr = err
	}
}

func (l *loopback) close(ctx context.Context) error {
	var err error
	if l.server.Shutdown(ctx) != nil {
		err = l.server.Close()
	}
	<-l.served
	l.code.remove()
	return errors.Join(err, l.serveErr)
}

// announce shows a new question to the person.
func (l *loopback) announce(q people.PendingQuestion) {
	to := l.path + questionPath + q.Token
	if l.notify != nil {
		l.notify(q, l.signInAddress(to))
	}
	if l.open != nil && !q.ClientSends && l.questionWindows.Allow() {
		_ = l.open(l.signInAddress(to)) // the person can open the address some other way
	}
}

// signInAddress returns an address for a path of the page that signs one
// browser in, once.
func (l *loopback) signInAddress(path string) string {
	secret := rand.Text()
	l.secrets.add(digestOf(secret), people.PrincipalName{})
	return strings.TrimSuffix(l.address, l.path) + path + "?" + secretParam + "=" + secret
}

func (l *loopback) handle(w http.ResponseWriter, r *http.Request) {
	isOwn := r.URL.Path == l.path || strings.HasPrefix(r.URL.Path, l.path+"/")
	query := r.URL.Query()
	switch {
	case !slices.Contains(l.hosts, r.Host):
		l.notice(w, r, http.StatusMisdirectedRequest, page{Heading: "Not here", Text: "This server only answers at 127.0.0.1."})
	case isOwn && r.Method == http.MethodGet && query.Has(secretParam):
		l.enter(w, r, query.Get(secretParam))
	case r.Method == http.MethodPost && r.URL.Path == l.path+signInPath:
		l.signIn(w, r)
	default:
		l.next.ServeHTTP(w, r)
	}
}

// enter signs a browser in and sends it on to an address without the secret. It
// answers with a page instead of a redirect, because a browser that another
// site sent here does not send a SameSite=Strict cookie after a redirect.
func (l *loopback) enter(w http.ResponseWriter, r *http.Request, secret string) {
	if r.Header.Get("Sec-Purpose") != "" { // a prefetch: the person has not opened the address
		l.notice(w, r, http.StatusForbidden, page{Heading: "Not yet", Text: "Open the address in a browser."})
		return
	}
	// If the browser is already signed in, the address is not spent and still
	// works in another one.
	if _, err := l.authenticate(r); err != nil {
		if !l.secrets.remove(digestOf(secret)) {
			l.notice(w, r, http.StatusForbidden, page{
				Heading: "The address was used",
				Text:    "Each address signs in one browser, once. Take a newer one from the server.",
			})
			return
		}
		l.sessions.begin(w, l.person)
	}
	l.notice(w, r, http.StatusOK, page{
		Heading: "Signed in", Text: "The approvals are being opened.", Again: r.URL.EscapedPath(), By: plain(l.person.Subject),
	})
}

// notSignedIn is the page for a browser that opened a path without being signed
// in. The person may have got a question's address from the client, and that
// address doesn't sign a browser in (MCP 2025-11-25, elicitation, safe URL
// handling). There are two ways in, and the client has neither: a window on
// this machine, and a code in a file that only the person can read.
func (l *loopback) notSignedIn(path string) page {
	n := page{Heading: "Not signed in", Return: path, Opens: l.open != nil, CodeFile: l.code.file()}
	switch {
	case n.Opens:
		n.Text = "Sign in to see the questions. That opens another window, in which you can decide."
	case n.CodeFile != "":
		n.Text = "Sign in to see the questions. The code is in a file that only you can read."
	default:
		n.Text = "Open the address that the server printed to its standard error. Each address works once."
	}
	return n
}

// signIn handles the forms of [loopback.notSignedIn].
func (l *loopback) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	switch {
	case l.origins.Check(r) != nil:
		l.notice(w, r, http.StatusForbidden, notFromHere)
	case r.ParseForm() != nil:
		l.notice(w, r, http.StatusBadRequest, notUnderstood)
	case !r.PostForm.Has(fieldCode) && l.open != nil:
		l.openSignedIn(w, r)
	case l.code.spend(r.PostForm.Get(fieldCode)):
		l.sessions.begin(w, l.person)
		http.Redirect(w, r, l.knownPath(r.PostForm.Get(returnParam)), http.StatusSeeOther)
	default:
		n := l.notSignedIn(l.knownPath(r.PostForm.Get(returnParam)))
		n.Heading = "Not the code of the file"
		l.notice(w, r, http.StatusForbidden, n)
	}
}

// openSignedIn opens a browser window that is signed in. The response contains
// no secret: only a window on this machine gets it.
func (l *loopback) openSignedIn(w http.ResponseWriter, r *http.Request) {
	to := l.knownPath(r.PostForm.Get(returnParam))
	switch {
	case !l.signInWindows.Allow():
		l.notice(w, r, http.StatusTooManyRequests, page{
			Heading: "Not now", Text: "Several windows were opened already. Look for them, or try again in a minute.",
		})
	case l.open(l.signInAddress(to)) != nil:
		n := l.notSignedIn(to)
		n.Heading = "Not opened"
		n.Text = "The browser cannot be opened."
		l.notice(w, r, http.StatusServiceUnavailable, n)
	default:
		l.notice(w, r, http.StatusOK, page{
			Heading: "Look at the other window",
			Text:    "Another window was opened, in which you are signed in. You can close this one.",
		})
	}
}

// knownPath returns the given path if it is that of a question that this
// process was asked, and the path of the list otherwise. This keeps a caller's
// text out of the address that the browser opens.
func (l *loopback) knownPath(to string) string {
	token, ok := strings.CutPrefix(to, l.path+questionPath)
	if ok && slices.Contains(l.questions.all(), token) {
		return to
	}
	return l.path
}
