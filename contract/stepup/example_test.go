package stepup_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/signin"
	"github.com/toolcontract/toolcontract/contract/stepup"
)

// The page shares the sign-in of the other pages. A visitor that is not signed
// in learns only that.
func ExamplePage() {
	const origin = "https://mail.example.com"
	people, err := signin.New(origin)
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := guard.New(guard.WithStepUp(stepup.Address(origin)))
	if err != nil {
		fmt.Println(err)
		return
	}
	page, err := stepup.New(g, people, "/sign-in")
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
