package stepup

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/guard/people"
	"github.com/toolcontract/toolcontract/contract/signin"
	"github.com/toolcontract/toolcontract/internal/webpage"
)

// DefaultPath is the path of the page.
const DefaultPath = "/step-up"

const (
	fieldID    = "id"
	fieldToken = "token"
	purpose    = "step-up"
	maxForm    = 16 << 10 // bytes
)

// Address returns the function for [guard.WithStepUp] if the page is served at
// an origin, such as that of serve.Server.Origin.
func Address(origin string) guard.StepUpPage {
	return func(_ context.Context, r people.StepUpRequest) (string, error) {
		return strings.TrimSuffix(origin, "/") + pathOf(r.ID), nil
	}
}

func pathOf(id string) string { return DefaultPath + "?" + url.Values{fieldID: {id}}.Encode() }

// A Page is the [http.Handler] of the page. Make one with [New] and mount it at
// [DefaultPath] and below. The zero Page cannot be used. It is safe for
// concurrent use.
type Page struct {
	guard   guard.People
	people  *signin.Sessions
	signIn  string
	handler http.Handler
}

// New returns the page of a guard, for the people of sessions. signIn is the
// path of the server's sign-in, such as /sign-in. The error names the wrong
// argument.
func New(g *guard.Guard, people *signin.Sessions, signIn string) (*Page, error) {
	switch {
	case g == nil:
		return nil, errors.New("stepup: the guard is nil; make one with guard.New")
	case people == nil:
		return nil, errors.New("stepup: the sessions are nil; make them with signin.New")
	case signIn == "" || signin.ReturnPath(signIn, "") != signIn || strings.Contains(signIn, "?"):
		return nil, errors.New("stepup: the sign-in is not a path of this server; pass a path such as /sign-in")
	}
	p := &Page{guard: g.People(), people: people, signIn: signIn}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+DefaultPath, p.known(p.show))
	mux.HandleFunc("POST "+DefaultPath, p.known(p.complete))
	webpage.HandleFiles(mux, DefaultPath)
	p.handler = mux
	return p, nil
}

// ServeHTTP implements [http.Handler].
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	webpage.Isolate(w.Header())
	p.handler.ServeHTTP(w, r)
}

// A visit is one request about a call by a person who is signed in.
type visit struct {
	w  http.ResponseWriter
	r  *http.Request
	by guard.Principal
	id string
}

// known sends people who are not signed in to the sign-in.
func (p *Page) known(next func(visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil || r.Form.Get(fieldID) == "" {
			notice(w, http.StatusBadRequest, view{Heading: "Nothing to do", Text: "The address is not complete. Open the address that your client shows."})
			return
		}
		v := visit{w: w, r: r, id: r.Form.Get(fieldID)}
		var err error
		if v.by, err = p.people.Principal(r); err != nil {
			notice(w, http.StatusUnauthorized, view{
				Heading: "Authenticate again", SignIn: p.signInFor(v.id, contract.StepUp{}),
				Text: "A call on your behalf waits until you have authenticated.",
			})
			return
		}
		next(v)
	}
}

// signInFor returns the address of the sign-in that leads back to a call.
func (p *Page) signInFor(id string, demand contract.StepUp) string {
	query := url.Values{signin.ReturnParam: {pathOf(id)}}
	if demand.MaxAgeSeconds > 0 {
		query.Set("max_age", strconv.FormatInt(demand.MaxAgeSeconds, 10))
	}
	if demand.ACR != "" {
		query.Set("acr_values", demand.ACR)
	}
	return p.signIn + "?" + query.Encode()
}

// show shows the call to its principal, and the form that confirms it.
func (p *Page) show(v visit) {
	request, err := p.guard.OpenStepUp(v.r.Context(), v.id, v.by)
	if err == nil && isWeaker(v.by, request.Demand) {
		err = people.ErrStepUpTooWeak
	}
	if err != nil {
		p.failed(v, err, request.Demand)
		return
	}
	webpage.Render(v.w, http.StatusOK, pages, "consent", view{
		Heading: "Was this you?", ID: v.id, By: plain(v.by.Subject), Tenant: plain(v.by.Tenant), Token: p.people.FormToken(v.r, purpose, v.id),
		Tool: plain(request.Tool), CallID: request.CallID, Question: request.Question, Expires: moment{request.Expires},
	})
}

// isWeaker reports whether an authentication does not meet a demand. The guard
// checks it again.
func isWeaker(by guard.Principal, demand contract.StepUp) bool {
	tooOld := demand.MaxAgeSeconds > 0 && time.Since(by.AuthTime) > time.Duration(demand.MaxAgeSeconds)*time.Second
	return tooOld || demand.ACR != "" && by.ACR != demand.ACR
}

func (p *Page) complete(v visit) {
	if !p.people.IsFormToken(v.r, v.r.PostForm.Get(fieldToken), purpose, v.id) {
		notice(v.w, http.StatusForbidden, view{
			Heading: "Not from here", By: plain(v.by.Subject), Again: pathOf(v.id),
			Text: "The form was of another session, and nothing was confirmed.",
		})
		return
	}
	if err := p.guard.CompleteStepUp(v.r.Context(), v.id, v.by); err != nil {
		p.failed(v, err, contract.StepUp{})
		return
	}
	notice(v.w, http.StatusOK, view{
		Heading: "Done", By: plain(v.by.Subject),
		Text: "You have authenticated for this one call. Go back to your client and continue there. You can close this page.",
	})
}

// failed shows why the call cannot be confirmed now.
func (p *Page) failed(v visit, err error, demand contract.StepUp) {
	status, n := http.StatusServiceUnavailable, view{Heading: "Not now", Text: "Your authentication cannot be recorded now. Please try again in a moment."}
	switch {
	case errors.Is(err, people.ErrNoStepUp):
		status, n = http.StatusNotFound, view{Heading: "It has expired", Text: "The request does not exist or has expired. If you still want the call, repeat it in your client."}
	case errors.Is(err, people.ErrStepUpForeign):
		status, n = http.StatusForbidden, view{Heading: "Not yours", Text: "This call belongs to another person. If you did not open this page yourself, someone may want you to authenticate for them."}
	case errors.Is(err, people.ErrStepUpUsed):
		status, n = http.StatusConflict, view{Heading: "Done before", Text: "Someone, probably you, has already authenticated for this call. That works only once."}
	case errors.Is(err, people.ErrStepUpTooWeak):
		status, n = http.StatusForbidden, view{
			Heading: "Authenticate again", SignIn: p.signInFor(v.id, demand),
			Text: "The call needs a stronger or more recent authentication than that of your session.",
		}
	}
	n.By = plain(v.by.Subject)
	notice(v.w, status, n)
}
