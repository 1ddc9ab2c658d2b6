package pages_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/serve/pages"
)

// A server on a person's own machine serves the page itself, and shows where a
// question is waiting.
func ExampleListenLoopback() {
	ctx := context.Background()
	person := guard.Principal{Issuer: "local", Subject: "anna"}
	page, err := pages.ListenLoopback(ctx, person, pages.LoopbackConfig{
		Notify: func(q people.PendingQuestion, address string) {
			fmt.Println("To decide about", q.Tool, "open", address)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := guard.New(guard.WithPeople(guard.PeopleOptions{Approver: page}))
	if err != nil {
		fmt.Println(err)
		return
	}
	// The server runs here.
	fmt.Println("on this machine:", strings.HasPrefix(page.Address(), "http://127.0.0.1:"))
	if err := g.Close(ctx); err != nil {
		fmt.Println(err)
	}
	if err := page.Close(ctx); err != nil {
		fmt.Println(err)
	}
	// Output: on this machine: true
}
