package pages_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/pages"
)

// The page shares the sign-in of the other pages. A visitor who is not signed
// in learns nothing more.
func ExampleSessions_StepUpPage() {
	const origin = "https://mail.example.com"
	people, err := pages.NewSessions(origin)
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := guard.New(guard.WithPeople(guard.PeopleOptions{StepUpPage: people.StepUpAddress}))
	if err != nil {
		fmt.Println(err)
		return
	}
	page, err := people.StepUpPage(g, "/sign-in")
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, origin+"/step-up?id=x", nil))
	fmt.Println(w.Code)
	fmt.Println(g.Close(context.Background()))
	// Output:
	// 401
	// <nil>
}
