package stepup

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// Path is the path of the page. Mount the page at it, with and without a
// trailing slash.
const Path = "/step-up"

const (
	stylePath = Path + "/style.css"
	iconPath  = Path + "/icon.svg"
	maxForm   = 16 << 10 // bytes
	keyBytes  = 32
	maxName   = 100 // bytes of a subject or a tenant
)

// The fields and the steps of the forms.
const (
	fieldID      = "id"
	fieldStep    = "step"
	fieldSubject = "subject"
	fieldTenant  = "tenant"
	fieldCode    = "code"
	fieldProof   = "proof"

	stepCode     = "code"     // requests a code
	stepSignIn   = "sign-in"  // sends the code
	stepComplete = "complete" // confirms the call
)

// Address returns the option value for [guard.WithStepUp] if the page is served
// at origin, such as http://127.0.0.1:8080.
func Address(origin string) guard.StepUpPage {
	return func(_ context.Context, r guard.StepUpRequest) (string, error) {
		return origin + Path + "?" + url.Values{fieldID: {r.ID}}.Encode(), nil
	}
}

// A Page is the [http.Handler] of the page. Make one with [New]. It is safe for
// concurrent use.
type Page struct {
	guard   *guard.Guard
	issuer  string
	acr     string
	codes   *Codes
	key     []byte
	handler http.Handler
}

// New returns the page of g. The people are users of issuer. An authentication
// with codes has the authentication class acr.
func New(g *guard.Guard, issuer, acr string, codes *Codes) *Page {
	p := &Page{guard: g, issuer: issuer, acr: acr, codes: codes, key: make([]byte, keyBytes)}
	rand.Read(p.key) // never fails
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, p.begin)
	mux.HandleFunc("POST "+Path, p.post)
	mux.HandleFunc("GET "+stylePath, file("style.css"))
	mux.HandleFunc("GET "+iconPath, file("icon.svg"))
	p.handler = http.NewCrossOriginProtection().Handler(mux)
	return p
}

// ServeHTTP implements [http.Handler].
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	p.handler.ServeHTTP(w, r)
}

// begin asks for the name of the person. It does not show the call, because
// only its principal may see it.
func (p *Page) begin(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get(fieldID)
	if id == "" {
		notice(w, http.StatusBadRequest, "Nothing to do", "The address is not complete. Open the address that your client shows.")
		return
	}
	render(w, http.StatusOK, "who", view{Heading: "Authenticate again", ID: id})
}

func (p *Page) post(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || r.PostForm.Get(fieldID) == "" {
		notice(w, http.StatusBadRequest, "Not understood", "The request is not a form of this page.")
		return
	}
	form := r.PostForm
	who := Person{Tenant: form.Get(fieldTenant), Subject: form.Get(fieldSubject)}
	v := view{Heading: "Authenticate again", ID: form.Get(fieldID), Subject: who.Subject, Tenant: who.Tenant}
	switch form.Get(fieldStep) {
	case stepCode:
		p.sendCode(w, v, who)
	case stepSignIn:
		p.signIn(w, r, v, who)
	case stepComplete:
		p.complete(w, r, v.ID)
	default:
		notice(w, http.StatusBadRequest, "Not understood", "The request is not a form of this page.")
	}
}

func (p *Page) sendCode(w http.ResponseWriter, v view, who Person) {
	if who.Subject == "" || len(who.Subject) > maxName || len(who.Tenant) > maxName {
		v.Problem = "Enter your user name."
		render(w, http.StatusBadRequest, "who", v)
		return
	}
	if err := p.codes.Send(who); err != nil {
		v.Problem = "No code can be sent now. Please try again in a few minutes."
		render(w, http.StatusServiceUnavailable, "who", v)
		return
	}
	render(w, http.StatusOK, "code", v)
}

// signIn shows the call to a person that has signed in, if the call is theirs.
func (p *Page) signIn(w http.ResponseWriter, r *http.Request, v view, who Person) {
	if !p.codes.Check(who, r.PostForm.Get(fieldCode)) {
		v.Problem = "The code is wrong or has expired."
		render(w, http.StatusUnauthorized, "code", v)
		return
	}
	signed := proof{Person: who, At: time.Now(), ID: v.ID}
	request, err := p.guard.OpenStepUp(r.Context(), v.ID, p.principal(signed))
	if err != nil {
		p.failed(w, err)
		return
	}
	v.Proof, err = p.sign(signed)
	if err != nil {
		p.failed(w, err)
		return
	}
	v.Heading, v.Tool, v.CallID = "Was this you?", request.Tool, request.CallID
	v.Question = request.Question
	v.ExpiresAt = request.Expires.UTC().Format(time.RFC3339)
	v.Expires = request.Expires.UTC().Format("2 January 2006, 15:04:05 UTC")
	render(w, http.StatusOK, "consent", v)
}

func (p *Page) complete(w http.ResponseWriter, r *http.Request, id string) {
	signed, ok := p.verify(r.PostForm.Get(fieldProof), id)
	if !ok {
		notice(w, http.StatusForbidden, "Sign in again", "Your sign-in has expired. Open the address from your client again.")
		return
	}
	if err := p.guard.CompleteStepUp(r.Context(), id, p.principal(signed)); err != nil {
		p.failed(w, err)
		return
	}
	notice(w, http.StatusOK, "Done", "You have authenticated for this one call. Go back to your client and continue there. You can close this page.")
}

// principal returns the principal that signed in.
func (p *Page) principal(of proof) guard.Principal {
	return guard.Principal{Issuer: p.issuer, Tenant: of.Tenant, Subject: of.Subject, Human: true, AuthTime: of.At, ACR: p.acr}
}

// failed shows why the step-up failed.
func (p *Page) failed(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, guard.ErrNoStepUp):
		notice(w, http.StatusNotFound, "It has expired", "The request does not exist or has expired. If you still want the call, repeat it in your client.")
	case errors.Is(err, guard.ErrStepUpForeign):
		notice(w, http.StatusForbidden, "Not yours", "This call belongs to another person. If you did not open this page yourself, someone may want you to authenticate for them.")
	case errors.Is(err, guard.ErrStepUpUsed):
		notice(w, http.StatusConflict, "Done before", "Someone, probably you, has already authenticated for this call. That works only once.")
	case errors.Is(err, guard.ErrStepUpTooWeak):
		notice(w, http.StatusForbidden, "Not enough", "The call needs a stronger or more recent authentication than this page provides.")
	default:
		notice(w, http.StatusServiceUnavailable, "Not now", "Your authentication cannot be recorded now. Please try again in a moment.")
	}
}
