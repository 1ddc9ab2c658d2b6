package pages_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/pages"
)

// The handler of the server's own sign-in starts the session, and any page can
// then look up the person.
func ExampleSessions() {
	people, err := pages.NewSessions("https://mail.example.com")
	if err != nil {
		fmt.Println(err)
		return
	}
	callback := func(w http.ResponseWriter, r *http.Request) {
		// The identity provider has authenticated anna.
		if err := people.Start(w, guard.Principal{Issuer: "https://login.example.com", Subject: "anna", ACR: "mfa"}); err != nil {
			http.Error(w, "Not signed in.", http.StatusInternalServerError)
			return
		}
		http.Redirect(w, r, pages.ReturnPath(r.FormValue("return_to"), "/approvals"), http.StatusSeeOther)
	}
	w := httptest.NewRecorder()
	callback(w, httptest.NewRequest(http.MethodGet, "/callback?return_to=//evil.example", nil))
	fmt.Println(w.Code, w.Header().Get("Location"))

	page := httptest.NewRequest(http.MethodGet, "/approvals", nil)
	_, err = people.Principal(page)
	fmt.Println(err)
	page.AddCookie(w.Result().Cookies()[0])
	person, err := people.Principal(page)
	fmt.Println(person.Subject, person.Human, err)
	// Output:
	// 303 /approvals
	// pages: the browser is not signed in
	// anna true <nil>
}

// A server that sends people a code needs no other page.
func ExampleSessions_SignInPage() {
	people, err := pages.NewSessions("https://mail.example.com")
	if err != nil {
		fmt.Println(err)
		return
	}
	form, err := people.SignInPage("/sign-in", pages.SignIn{
		Hint: "It was sent to you by email.",
		Verify: func(_ context.Context, code string) (guard.Principal, error) {
			return guard.Principal{}, errors.New("the code is not known")
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	form.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/sign-in", nil))
	fmt.Println(w.Code)
	// Output: 401
}
