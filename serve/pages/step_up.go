package pages

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/webpage"
)

// StepUpPath is the path of the page of [Sessions.StepUpPage].
const StepUpPath = "/step-up"

const (
	fieldID       = "id"
	stepUp        = "step-up" // the purpose of the form
	maxStepUpForm = 16 << 10  // bytes
)

// StepUpAddress is the [guard.StepUpPage] for a guard whose
// [Sessions.StepUpPage] is served at the sessions' origin.
func (s *Sessions) StepUpAddress(_ context.Context, r people.StepUpRequest) (string, error) {
	return s.origin + s.stepUpPathOf(r.ID), nil
}

func (s *Sessions) stepUpPathOf(id string) string {
	return s.path + StepUpPath + "?" + url.Values{fieldID: {id}}.Encode()
}

type stepUpPage struct {
	people   guard.People
	sessions *Sessions
	signIn   url.URL
}

// StepUpPage returns the page on which a person confirms an authentication for
// one call of the guard. Mount it at [StepUpPath] and below. signIn is the path
// of the server's sign-in, such as /sign-in. Neither path includes that of
// [NewSessions]; see [Sessions.SignInPage]. The error names the invalid
// argument.
func (s *Sessions) StepUpPage(g *guard.Guard, signIn string) (http.Handler, error) {
	switch {
	case g == nil:
		return nil, errors.New("pages: StepUpPage: the guard is nil; make one with guard.New")
	case signIn == "" || ReturnPath(signIn, "") != signIn || strings.Contains(signIn, "?"):
		return nil, errors.New("pages: StepUpPage: the sign-in is not a path of this server; pass a path such as /sign-in")
	}
	p := &stepUpPage{people: g.People(), sessions: s, signIn: url.URL{Path: s.path + signIn}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+StepUpPath, p.requirePerson(p.show))
	mux.HandleFunc("POST "+StepUpPath, p.requirePerson(p.answer))
	webpage.HandleFiles(mux, StepUpPath)
	return isolate(mux), nil
}

// requirePerson sends people who are not signed in to the sign-in.
func (p *stepUpPage) requirePerson(next func(visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxStepUpForm)
		err := r.ParseForm()
		v := visit{w: w, r: r, people: p.people, id: r.Form.Get(fieldID)}
		if err != nil || v.id == "" {
			p.notice(v, http.StatusBadRequest, page{
				Heading: "Nothing to do", Text: "The address is not complete. Open the address that your client shows.",
			})
			return
		}
		if v.by, err = p.sessions.Principal(r); err != nil {
			p.notice(v, http.StatusUnauthorized, page{
				Heading: "Authenticate again", SignIn: p.signInFor(v, contract.StepUp{}),
				Text: "A call on your behalf waits until you have authenticated.",
			})
			return
		}
		next(v)
	}
}

// signInFor returns the address of the sign-in that leads back to a call.
func (p *stepUpPage) signInFor(v visit, demand contract.StepUp) string {
	return signInAt(p.signIn, p.sessions.stepUpPathOf(v.id), demand)
}

// notice shows a page that has only text.
func (p *stepUpPage) notice(v visit, status int, n page) {
	n.Path = p.sessions.path + StepUpPath
	n.By = plain(v.by.Subject)
	render(v.w, status, "step-up notice", n)
}

type stepUpView struct {
	page
	ID, Token    string // of the form
	Tool, CallID string
	Expires      moment
	Question     *people.Question // nil if the store did not retain it
}

// show shows the call to its principal, with the form that confirms it.
func (p *stepUpPage) show(v visit) {
	request, err := v.people.OpenStepUp(v.r.Context(), v.id, v.by)
	if err != nil {
		p.showError(v, err, request.Demand)
		return
	}
	view := stepUpView{
		page: page{
			Path: p.sessions.path + StepUpPath, Heading: "Was this you?", By: plain(v.by.Subject), Tenant: plain(v.by.Tenant),
		},
		ID: v.id, Token: p.sessions.formToken(v.r, stepUp, v.id), Tool: plain(request.Tool), CallID: request.CallID,
		Question: request.Question, Expires: moment{request.Expires},
	}
	if isWeaker(v.by, request.Demand) {
		p.tooWeak(v, view, request.Demand)
		return
	}
	render(v.w, http.StatusOK, "step-up", view)
}

// tooWeak sends a person whose authentication does not meet the demand to the
// sign-in. The page shows none of the call's arguments, and the person can
// report the call.
func (p *stepUpPage) tooWeak(v visit, view stepUpView, demand contract.StepUp) {
	view.Heading = "Authenticate again"
	view.Text = "The call needs a stronger or more recent authentication than that of your session."
	view.SignIn = p.signInFor(v, demand)
	view.Question = nil
	render(v.w, http.StatusForbidden, "step-up too weak", view)
}

// isWeaker reports whether an authentication does not meet a demand. The guard
// checks it again.
func isWeaker(by guard.Principal, demand contract.StepUp) bool {
	tooOld := demand.MaxAge > 0 && time.Since(by.AuthTime) > demand.MaxAge
	return tooOld || demand.ACR != "" && by.ACR != demand.ACR
}

// answer handles the page's form.
func (p *stepUpPage) answer(v visit) {
	decision := v.r.PostForm.Get(fieldDecision)
	isOwn := p.sessions.isFormToken(v.r, v.r.PostForm.Get(fieldToken), stepUp, v.id)
	if !isOwn || decision != decisionYes && decision != decisionNo {
		p.notice(v, http.StatusForbidden, page{
			Heading: "Not from here", Call: p.sessions.stepUpPathOf(v.id),
			Text: "The form was of another session, and nothing was confirmed.",
		})
		return
	}
	complete := v.people.CompleteStepUp
	done := page{
		Heading: "Done",
		Text:    "You have authenticated for this one call. Go back to your client and continue there. You can close this page.",
	}
	if decision == decisionNo {
		complete = v.people.DeclineStepUp
		done.Heading = "It will not run"
		done.Text = "The call is refused, and the people who run this server get a warning. " +
			"If you do not know where it came from, change your password, and end the access of programs that you do not know."
	}
	if err := complete(v.r.Context(), v.id, v.by); err != nil {
		p.showError(v, err, contract.StepUp{})
		return
	}
	p.notice(v, http.StatusOK, done)
}

// showError shows why the call cannot be confirmed now.
func (p *stepUpPage) showError(v visit, err error, demand contract.StepUp) {
	status := http.StatusServiceUnavailable
	n := page{
		Heading: "Not now", Text: "Your authentication cannot be recorded now. Please try again in a moment.",
	}
	switch {
	case errors.Is(err, people.ErrNoStepUp):
		status = http.StatusNotFound
		n.Heading = "It has expired"
		n.Text = "The request does not exist or has expired. If you still want the call, repeat it in your client."
	case errors.Is(err, people.ErrStepUpForeign):
		status = http.StatusForbidden
		n.Heading = "Not yours"
		n.Text = "This call belongs to another person. " +
			"If you did not open this page yourself, someone may want you to authenticate for them."
	case errors.Is(err, people.ErrStepUpUsed):
		status = http.StatusConflict
		n.Heading = "Done before"
		n.Text = "Someone, probably you, has already answered for this call. That works only once."
	case errors.Is(err, people.ErrStepUpTooWeak):
		status = http.StatusForbidden
		n.Heading = "Authenticate again"
		n.SignIn = p.signInFor(v, demand)
		n.Text = "The call needs a stronger or more recent authentication than that of your session."
	}
	p.notice(v, status, n)
}
