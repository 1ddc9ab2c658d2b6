package signin

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
	"github.com/toolcontract/toolcontract/internal/webpage"
)

// StepUpPath is the path of the page of [Sessions.StepUp].
const StepUpPath = "/step-up"

const (
	fieldID       = "id"
	fieldConfirm  = "token"
	stepUp        = "step-up" // the purpose of the form
	maxStepUpForm = 16 << 10  // bytes
)

// StepUpAddress returns the function for [guard.PeopleOptions.StepUpPage] if
// the page of [Sessions.StepUp] is served at an origin, such as that of
// serve.Server.Origin.
func StepUpAddress(origin string) guard.StepUpPage {
	return func(_ context.Context, r people.StepUpRequest) (string, error) {
		return strings.TrimSuffix(origin, "/") + stepUpPathOf(r.ID), nil
	}
}

func stepUpPathOf(id string) string { return StepUpPath + "?" + url.Values{fieldID: {id}}.Encode() }

type stepUpPage struct {
	guard    guard.People
	sessions *Sessions
	signIn   string
}

// StepUp returns the page on which a person confirms an authentication for one
// call of the guard. Mount it at [StepUpPath] and below. signIn is the path of
// the server's sign-in, such as /sign-in. The error names the wrong argument.
func (s *Sessions) StepUp(g *guard.Guard, signIn string) (http.Handler, error) {
	switch {
	case g == nil:
		return nil, errors.New("signin: StepUp: the guard is nil; make one with guard.New")
	case signIn == "" || ReturnPath(signIn, "") != signIn || strings.Contains(signIn, "?"):
		return nil, errors.New("signin: StepUp: the sign-in is not a path of this server; pass a path such as /sign-in")
	}
	p := &stepUpPage{guard: g.People(), sessions: s, signIn: signIn}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+StepUpPath, p.known(p.show))
	mux.HandleFunc("POST "+StepUpPath, p.known(p.complete))
	webpage.HandleFiles(mux, StepUpPath)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		webpage.Isolate(w.Header())
		mux.ServeHTTP(w, r)
	}), nil
}

// A visit is one request about a call by a person who is signed in.
type visit struct {
	w  http.ResponseWriter
	r  *http.Request
	by guard.Principal
	id string
}

// known sends people who are not signed in to the sign-in.
func (p *stepUpPage) known(next func(visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxStepUpForm)
		if err := r.ParseForm(); err != nil || r.Form.Get(fieldID) == "" {
			stepUpNotice(w, http.StatusBadRequest, stepUpView{
				Heading: "Nothing to do", Text: "The address is not complete. Open the address that your client shows.",
			})
			return
		}
		v := visit{w: w, r: r, id: r.Form.Get(fieldID)}
		var err error
		if v.by, err = p.sessions.Principal(r); err != nil {
			stepUpNotice(w, http.StatusUnauthorized, stepUpView{
				Heading: "Authenticate again", SignIn: p.signInFor(v.id, contract.StepUp{}),
				Text: "A call on your behalf waits until you have authenticated.",
			})
			return
		}
		next(v)
	}
}

// signInFor returns the address of the sign-in that leads back to a call.
func (p *stepUpPage) signInFor(id string, demand contract.StepUp) string {
	query := url.Values{ReturnParam: {stepUpPathOf(id)}}
	if demand.MaxAge > 0 {
		query.Set("max_age", strconv.FormatInt(int64(demand.MaxAge/time.Second), 10))
	}
	if demand.ACR != "" {
		query.Set("acr_values", demand.ACR)
	}
	return p.signIn + "?" + query.Encode()
}

// show shows the call to its principal, and the form that confirms it.
func (p *stepUpPage) show(v visit) {
	request, err := p.guard.OpenStepUp(v.r.Context(), v.id, v.by)
	if err == nil && isWeaker(v.by, request.Demand) {
		err = people.ErrStepUpTooWeak
	}
	if err != nil {
		p.failed(v, err, request.Demand)
		return
	}
	webpage.Render(v.w, http.StatusOK, stepUpPages, "consent", stepUpView{
		Heading: "Was this you?", ID: v.id, By: plain(v.by.Subject), Tenant: plain(v.by.Tenant),
		Token: p.sessions.FormToken(v.r, stepUp, v.id), Tool: plain(request.Tool), CallID: request.CallID,
		Question: request.Question, Expires: moment{request.Expires},
	})
}

// isWeaker reports whether an authentication does not meet a demand. The guard
// checks it again.
func isWeaker(by guard.Principal, demand contract.StepUp) bool {
	tooOld := demand.MaxAge > 0 && time.Since(by.AuthTime) > demand.MaxAge
	return tooOld || demand.ACR != "" && by.ACR != demand.ACR
}

func (p *stepUpPage) complete(v visit) {
	if !p.sessions.IsFormToken(v.r, v.r.PostForm.Get(fieldConfirm), stepUp, v.id) {
		stepUpNotice(v.w, http.StatusForbidden, stepUpView{
			Heading: "Not from here", By: plain(v.by.Subject), Again: stepUpPathOf(v.id),
			Text: "The form was of another session, and nothing was confirmed.",
		})
		return
	}
	if err := p.guard.CompleteStepUp(v.r.Context(), v.id, v.by); err != nil {
		p.failed(v, err, contract.StepUp{})
		return
	}
	stepUpNotice(v.w, http.StatusOK, stepUpView{
		Heading: "Done", By: plain(v.by.Subject),
		Text: "You have authenticated for this one call. Go back to your client and continue there. You can close this page.",
	})
}

// failed shows why the call cannot be confirmed now.
func (p *stepUpPage) failed(v visit, err error, demand contract.StepUp) {
	status := http.StatusServiceUnavailable
	n := stepUpView{
		Heading: "Not now", Text: "Your authentication cannot be recorded now. Please try again in a moment.",
	}
	switch {
	case errors.Is(err, people.ErrNoStepUp):
		status, n.Heading = http.StatusNotFound, "It has expired"
		n.Text = "The request does not exist or has expired. If you still want the call, repeat it in your client."
	case errors.Is(err, people.ErrStepUpForeign):
		status, n.Heading = http.StatusForbidden, "Not yours"
		n.Text = "This call belongs to another person. " +
			"If you did not open this page yourself, someone may want you to authenticate for them."
	case errors.Is(err, people.ErrStepUpUsed):
		status, n.Heading = http.StatusConflict, "Done before"
		n.Text = "Someone, probably you, has already authenticated for this call. That works only once."
	case errors.Is(err, people.ErrStepUpTooWeak):
		status, n.Heading, n.SignIn = http.StatusForbidden, "Authenticate again", p.signInFor(v.id, demand)
		n.Text = "The call needs a stronger or more recent authentication than that of your session."
	}
	n.By = plain(v.by.Subject)
	stepUpNotice(v.w, status, n)
}
