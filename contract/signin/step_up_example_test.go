package signin_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/signin"
)

// The page shares the sign-in of the other pages. A visitor that is not signed
// in learns only that.
func ExampleSessions_StepUp() {
	const origin = "https://mail.example.com"
	people, err := signin.New(origin)
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := guard.New(guard.WithPeople(guard.PeopleOptions{StepUpPage: signin.StepUpAddress(origin)}))
	if err != nil {
		fmt.Println(err)
		return
	}
	page, err := people.StepUp(g, "/sign-in")
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
