package approval

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/guard/people"
	"github.com/toolcontract/toolcontract/internal/webpage"
	"github.com/toolcontract/toolcontract/internal/websession"
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
)

var (
	notFromHere   = notice{Title: "Not from here", Text: "This was sent from another page. Open the question and decide there."}
	notUnderstood = notice{Title: "Not understood", Text: "The submitted form is not that of this page."}
)

func (p *Page) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+p.path, p.known(p.list))
	mux.HandleFunc("GET "+p.path+"/{$}", p.known(p.list))
	webpage.HandleFiles(mux, p.path)
	mux.HandleFunc("GET "+p.path+questionPath+"{question}", p.known(p.show))
	mux.HandleFunc("POST "+p.path+questionPath+"{question}", p.known(p.decide))
	return mux
}

// A visit is one request of a person whom the page knows.
type visit struct {
	w      http.ResponseWriter
	r      *http.Request
	by     guard.Principal
	people guard.People
}

// known refuses requests that another site sent, and requests of people whom
// the page does not know.
func (p *Page) known(next func(visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := p.origins.Check(r); err != nil {
			p.say(w, http.StatusForbidden, notFromHere)
			return
		}
		by, err := p.authenticate(r)
		switch {
		case err == nil && !by.IsAnonymous():
		case r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") == "cross-site":
			// A browser that another site sent here withholds a strict cookie.
			// It sends the cookie when this page sends it on.
			p.say(w, http.StatusOK, notice{Title: "One moment", Text: "The question is being opened.", Again: r.URL.EscapedPath()})
			return
		default:
			n := notice{Title: "Not signed in", Text: p.unknown, SignIn: p.signInFrom(r.URL.Path)}
			if p.opensItself {
				n.Opens = p.returnPath(r.URL.Path)
			}
			p.say(w, http.StatusUnauthorized, n)
			return
		}
		people := p.people.Load()
		if people == nil {
			p.say(w, http.StatusServiceUnavailable, notice{Title: "Not ready", Text: "The server is starting."})
			return
		}
		next(visit{w: w, r: r, by: by, people: *people})
	}
}

// list shows the questions that wait for this person, newest first.
func (p *Page) list(v visit) {
	page := listView{frame: p.frame("Approvals", v.by)}
	for _, token := range slices.Backward(p.questions.all()) {
		q, err := v.people.OpenQuestion(v.r.Context(), token, v.by)
		switch {
		case errors.Is(err, people.ErrNoQuestion), err == nil && q.Decision != nil:
			p.questions.remove(token)
		case errors.Is(err, guard.ErrUnavailable):
			page.Unread++
		case err == nil:
			page.Questions = append(page.Questions, p.summary(q, time.Now()))
		}
	}
	render(v.w, http.StatusOK, "list", page)
}

// show shows one question in full, and the form that decides it.
func (p *Page) show(v visit) {
	q, err := v.people.OpenQuestion(v.r.Context(), v.r.PathValue("question"), v.by)
	if err != nil {
		p.failed(v, err)
		return
	}
	p.showQuestion(v, q, http.StatusOK, "")
}

func (p *Page) decide(v visit) {
	token := v.r.PathValue("question")
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if err := v.r.ParseForm(); err != nil {
		p.say(v.w, http.StatusBadRequest, notUnderstood)
		return
	}
	decision := v.r.PostForm.Get(fieldDecision)
	if !websession.IsFormToken(v.r.PostForm.Get(fieldToken), p.formKey, v.formOf(token)...) ||
		decision != decisionYes && decision != decisionNo {
		q, err := v.people.OpenQuestion(v.r.Context(), token, v.by)
		if err != nil {
			p.failed(v, err)
			return
		}
		p.showQuestion(v, q, http.StatusForbidden, "Nothing was decided: the form was of another session. Please decide again.")
		return
	}
	err := v.record(token, decision, v.r.PostForm.Get(fieldWord))
	if errors.Is(err, people.ErrDecided) || errors.Is(err, people.ErrWrongWord) {
		q, again := v.people.OpenQuestion(v.r.Context(), token, v.by)
		switch {
		case again == nil && q.Decision != nil:
			p.showQuestion(v, q, http.StatusConflict, "Your answer does not count, because the question was decided before.")
			return
		case again == nil && errors.Is(err, people.ErrWrongWord):
			p.showQuestion(v, q, http.StatusUnprocessableEntity,
				"Nothing was decided: you typed another word than the one that approves this call.")
			return
		}
	}
	if err != nil {
		p.failed(v, err)
		return
	}
	p.questions.remove(token)
	http.Redirect(v.w, v.r, p.path+questionPath+token, http.StatusSeeOther)
}

// formOf returns what the token of a question's form is bound to: the person
// that the form was shown to, the session and the question.
func (v visit) formOf(question string) []string {
	return []string{v.by.Issuer, v.by.Tenant, v.by.Subject, sessionOf(v.r.Context()), question}
}

// record passes the decision of the form to the guard, which checks the word.
func (v visit) record(token, decision, word string) error {
	if decision == decisionYes {
		return v.people.ApproveTyped(v.r.Context(), token, word, v.by)
	}
	return v.people.Decide(v.r.Context(), token, false, v.by)
}

// failed shows why there is no question to show.
func (p *Page) failed(v visit, err error) {
	status := http.StatusServiceUnavailable
	n := notice{
		Title: "Not now",
		Text: "The record of questions cannot be reached. " +
			"If your decision was not recorded, you can decide again in a moment.",
	}
	switch {
	case errors.Is(err, people.ErrNoQuestion):
		status, n = http.StatusNotFound,
			notice{Title: "The question is gone", Text: "It has expired, or it was never asked. To be asked again, repeat the call."}
	case errors.Is(err, people.ErrMayNotDecide):
		status, n = http.StatusForbidden, notice{Title: "Not yours to decide", Text: "You may not see or decide about this call."}
	case errors.Is(err, people.ErrDecided):
		status, n = http.StatusConflict, notice{Title: "Decided", Text: "The question was decided before."}
	}
	n.By = plain(v.by.Subject)
	p.say(v.w, status, n)
}
