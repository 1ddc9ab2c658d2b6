package approval

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/guard/people"
	"github.com/toolcontract/toolcontract/internal/webpage"
	"github.com/toolcontract/toolcontract/internal/websession"
)

// secretParam is the query parameter with the secret of an address that works
// once.
const secretParam = "secret"

const (
	// maxSessions is the number of browsers that may be signed in. A new one
	// replaces the oldest.
	maxSessions = 16
	// sessionTime is the time for which a browser stays signed in.
	sessionTime = 12 * time.Hour
)

// A Loopback is a [Page] for the person at the machine on which the server
// runs. It is served on the loopback interface. Make one with [ListenLoopback];
// the zero Loopback cannot be used. It is safe for concurrent use.
type Loopback struct {
	*Page

	person   guard.Principal
	secrets  secrets
	sessions *websession.Sessions[struct{}]
	cookie   string
	hosts    map[string]bool
	notify   func(q people.PendingQuestion, address string)
	server   *http.Server
	served   chan struct{} // closed when the server has stopped
	failed   error         // why it stopped; valid once served is closed
}

// A LoopbackConfig configures a [Loopback]. The zero LoopbackConfig opens new
// questions in the browser if the machine has a display.
type LoopbackConfig struct {
	// Notify is called for each new question. It receives an address that signs
	// a browser in once and leads to the question. Use it to print the address.
	// The address must not reach the client. The function must not block.
	// Default: none.
	Notify func(q people.PendingQuestion, address string)
	// NoBrowser makes the page open no browser. The person must sign in with an
	// address from Notify or [Loopback.Address], even if the client sends its
	// user to the page.
	NoBrowser bool
	// OpenBrowser replaces the function that opens the browser of the user that
	// runs this process. It is called as that of [Config] is, and also opens a
	// signed-in window for a person who presses the page's sign-in button; the
	// page then shows an error. Its address signs one browser in, once, and
	// must not reach the client.
	OpenBrowser func(address string) error
}

// ListenLoopback serves a page at 127.0.0.1, on a free port. A visitor that
// opens [Loopback.Address] is authenticated as person, and counts as human. If
// the machine has a display, a new question opens in the browser. Pass the
// issuer, the subject and the tenant of the local user; a person without a
// subject is an error. ctx is used only to open the port. Close the Loopback
// when the guard is closed.
func ListenLoopback(ctx context.Context, person guard.Principal, c LoopbackConfig) (*Loopback, error) {
	if person.IsAnonymous() {
		return nil, errors.New("approval: the person at the machine has no subject")
	}
	person.Human = true
	l := &Loopback{
		person: person, notify: c.Notify, served: make(chan struct{}),
		sessions: websession.New[struct{}](maxSessions, sessionTime),
	}
	open := c.OpenBrowser
	if open == nil && hasDisplay() {
		open = openBrowser
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("approval: %w", err)
	}
	host := listener.Addr().String()
	_, port, err := net.SplitHostPort(host)
	if err == nil {
		l.Page, err = New(l.authenticate, Config{Address: "http://" + host + DefaultPath})
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	l.unknown = "Open the address that the server printed to its standard error. Each address works once."
	if open != nil && !c.NoBrowser {
		l.browser, l.opensItself = newBrowser(open), true
		l.unknown = "Sign in to see the questions. That opens another window, in which you can decide."
	}
	l.cookie = "approvals-" + port // all ports of a host share its cookies
	l.hosts = map[string]bool{host: true, "localhost:" + port: true}
	l.server = &http.Server{
		Handler: l, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
	}
	go func() {
		defer close(l.served)
		if err := l.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			l.failed = err
		}
	}()
	return l, nil
}

// Address returns an address of the list that signs one browser in, once. Each
// call returns a new address, and the last 16 work. Show it only to the person.
func (l *Loopback) Address() string { return l.signingIn(l.path) }

// Pending implements [guard.Approver]. It lists the question and returns its
// address, which signs no browser in.
func (l *Loopback) Pending(_ context.Context, q people.PendingQuestion) (string, error) {
	if l.questions.add(q.Token) {
		address := func() string { return l.signingIn(l.path + questionPath + q.Token) }
		if l.notify != nil {
			l.notify(q, address())
		}
		if !q.ClientSends {
			l.browser.show(address)
		}
	}
	return l.address + questionPath + q.Token, nil
}

// Close stops the server. It waits until ctx ends for open requests, and for
// connections that browsers opened in advance. It then cuts what is left, which
// is not an error. It may be called twice.
func (l *Loopback) Close(ctx context.Context) error {
	var err error
	if l.server.Shutdown(ctx) != nil {
		err = l.server.Close()
	}
	<-l.served
	return errors.Join(err, l.failed)
}

// ServeHTTP implements [http.Handler]. It only answers requests for the names
// of the loopback interface, because an attacker can make another name lead
// here (DNS rebinding).
func (l *Loopback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	webpage.Isolate(w.Header(), localTimes)
	if !l.hosts[r.Host] {
		l.say(w, http.StatusMisdirectedRequest, notice{Title: "Not here", Text: "This server only answers at 127.0.0.1."})
		return
	}
	if cookie, err := r.Cookie(l.cookie); err == nil {
		r = r.WithContext(withSession(r.Context(), cookie.Value))
	}
	own := r.URL.Path == l.path || strings.HasPrefix(r.URL.Path, l.path+"/")
	if query := r.URL.Query(); r.Method == http.MethodGet && own && query.Has(secretParam) {
		l.enter(w, r, query.Get(secretParam))
		return
	}
	if l.opensItself && r.Method == http.MethodPost && r.URL.Path == l.path+signInPath {
		l.signIn(w, r)
		return
	}
	l.handler.ServeHTTP(w, r)
}

// enter signs a browser in and sends it on to an address without the secret. It
// answers with a page instead of a redirect, because a browser that another
// site sent here does not send a strict cookie after a redirect.
func (l *Loopback) enter(w http.ResponseWriter, r *http.Request, secret string) {
	if r.Header.Get("Sec-Purpose") != "" { // a prefetch: the person has not opened the address
		l.say(w, http.StatusForbidden, notice{Title: "Not yet", Text: "Open the address in a browser."})
		return
	}
	in := notice{
		Title: "Signed in", Text: "The approvals are being opened.",
		Again: r.URL.EscapedPath(), By: plain(l.person.Subject),
	}
	if l.isSignedIn(r) {
		l.say(w, http.StatusOK, in) // the address is not spent and works in another browser
		return
	}
	if !l.secrets.spend(secret) {
		l.say(w, http.StatusForbidden, notice{
			Title: "The address was used",
			Text:  "Each address signs in one browser, once. Take a newer one from the server.",
		})
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: l.cookie, Value: l.sessions.Begin(struct{}{}), Path: l.path, MaxAge: int(sessionTime / time.Second),
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	l.say(w, http.StatusOK, in)
}

var errNotSignedIn = errors.New("approval: the browser is not signed in")

func (l *Loopback) authenticate(r *http.Request) (guard.Principal, error) {
	if !l.isSignedIn(r) {
		return guard.Principal{}, errNotSignedIn
	}
	return l.person, nil
}

func (l *Loopback) isSignedIn(r *http.Request) bool {
	_, ok := l.sessions.Find(sessionOf(r.Context()))
	return ok
}
