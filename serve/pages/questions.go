package pages

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/webpage"
)

const (
	questionPath = "/question/"

	// The fields of a question's form, and the values of fieldDecision.
	fieldToken    = "token"
	fieldDecision = "decision"
	fieldWord     = "word" // what the person typed, if the question has a word
	decisionYes   = "yes"
	decisionNo    = "no"

	maxForm = 8 << 10 // bytes

	listSeconds = 10 // until the browser loads the list again
)

var (
	notFromHere   = page{Heading: "Not from here", Text: "This was sent from another page. Open the question and decide there."}
	notUnderstood = page{Heading: "Not understood", Text: "The submitted form is not that of this page."}
)

func (a *Approvals) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+a.path, a.requirePerson(a.list))
	mux.HandleFunc("GET "+a.path+"/{$}", a.requirePerson(a.list))
	webpage.HandleFiles(mux, a.path)
	mux.HandleFunc("GET "+a.path+questionPath+"{question}", a.requirePerson(func(v visit) { a.show(v, http.StatusOK, "") }))
	mux.HandleFunc("POST "+a.path+questionPath+"{question}", a.requirePerson(a.decide))
	return mux
}

// requirePerson refuses requests that another site sent, and requests from
// people whom the page does not know.
func (a *Approvals) requirePerson(next func(visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := a.origins.Check(r); err != nil {
			a.notice(w, r, http.StatusForbidden, notFromHere)
			return
		}
		by, err := a.authenticate(r)
		people := a.people.Load()
		switch to := a.publicPath(r, r.URL.EscapedPath()); {
		case err == nil && !by.IsAnonymous() && people != nil:
			next(visit{w: w, r: r, by: by, people: *people, id: r.PathValue("question")})
		case err == nil && !by.IsAnonymous():
			a.notice(w, r, http.StatusServiceUnavailable, page{Heading: "Not ready", Text: "The server is starting."})
		case r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") == "cross-site":
			// A browser that another site sent here withholds a SameSite=Strict
			// cookie. It sends the cookie once this page sends it on.
			a.notice(w, r, http.StatusOK, page{Heading: "One moment", Text: "The question is being opened.", Again: to})
		default:
			n := page{
				Heading: "Not signed in", Text: "Only people whom this server knows can see its questions.", SignIn: a.signInFrom(r, to),
			}
			if a.local != nil {
				n = a.local.notSignedIn(to)
			}
			a.notice(w, r, http.StatusUnauthorized, n)
		}
	}
}

// notice shows a page that has only text.
func (a *Approvals) notice(w http.ResponseWriter, r *http.Request, status int, n page) {
	n.Path = a.publicPath(r, a.path)
	render(w, status, "notice", n)
}

// list shows the questions that are waiting for this person, newest first.
func (a *Approvals) list(v visit) {
	view := listView{page: page{Path: a.publicPath(v.r, a.path), Heading: "Approvals", By: plain(v.by.Subject), Every: listSeconds}}
	for _, token := range slices.Backward(a.questions.all()) {
		q, err := v.people.OpenQuestion(v.r.Context(), token, v.by)
		switch {
		case errors.Is(err, people.ErrNoQuestion), err == nil && q.Decision != nil:
			a.questions.remove(token)
		case errors.Is(err, guard.ErrUnavailable):
			view.Unread++
		case err == nil:
			view.Questions = append(view.Questions, a.summary(v, q, time.Now()))
		}
	}
	render(v.w, http.StatusOK, "list", view)
}

// show shows one question in full, with the form that decides it.
func (a *Approvals) show(v visit, status int, problem string) {
	q, err := v.people.OpenQuestion(v.r.Context(), v.id, v.by)
	if err != nil {
		a.showError(v, err)
		return
	}
	view := a.questionView(v, q)
	view.Problem = problem
	render(v.w, status, "question", view)
}

func (a *Approvals) decide(v visit) {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if err := v.r.ParseForm(); err != nil {
		a.notice(v.w, v.r, http.StatusBadRequest, notUnderstood)
		return
	}
	decision := v.r.PostForm.Get(fieldDecision)
	isOwn := a.formKey.accepts(v.r.PostForm.Get(fieldToken), a.formOf(v)...)
	if !isOwn || decision != decisionYes && decision != decisionNo {
		a.show(v, http.StatusForbidden, "Nothing was decided: the form was of another session. Please decide again.")
		return
	}
	switch err := v.record(decision, v.r.PostForm.Get(fieldWord)); {
	case err == nil:
		a.questions.remove(v.id)
		http.Redirect(v.w, v.r, a.publicPath(v.r, a.path+questionPath+v.id), http.StatusSeeOther)
	case errors.Is(err, people.ErrDecided):
		a.show(v, http.StatusConflict, "Your answer does not count, because the question was decided before.")
	case errors.Is(err, people.ErrWrongWord):
		a.show(v, http.StatusUnprocessableEntity,
			"Nothing was decided: you typed another word than the one that approves this call.")
	default:
		a.showError(v, err)
	}
}

// formOf returns what the token of a question's form is bound to: the person
// whom the form was shown to, the session and the question.
func (a *Approvals) formOf(v visit) []string {
	return []string{v.by.Issuer, v.by.Tenant, v.by.Subject, a.session(v.r), v.id}
}

// record passes the form's decision to the guard, which checks the word.
func (v visit) record(decision, word string) error {
	if decision == decisionYes {
		return v.people.ApproveTyped(v.r.Context(), v.id, word, v.by)
	}
	return v.people.Decide(v.r.Context(), v.id, false, v.by)
}

// showError shows why there is no question to show.
func (a *Approvals) showError(v visit, err error) {
	status := http.StatusServiceUnavailable
	n := page{
		Heading: "Not now",
		Text: "The record of questions cannot be reached. " +
			"If your decision was not recorded, you can decide again in a moment.",
	}
	switch {
	case errors.Is(err, people.ErrNoQuestion):
		status = http.StatusNotFound
		n.Heading = "The question is gone"
		n.Text = "It has expired, or it was never asked. To be asked again, repeat the call."
	case errors.Is(err, people.ErrMayNotDecide):
		status = http.StatusForbidden
		n.Heading = "Not yours to decide"
		n.Text = "You may not see or decide about this call."
	}
	n.By = plain(v.by.Subject)
	a.notice(v.w, v.r, status, n)
}
