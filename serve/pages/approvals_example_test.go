package pages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/pages"
	"github.com/toolcontract/toolcontract/trust"
)

// A client that cannot ask its user gets the address at which a person decides.
func ExampleNewApprovals() {
	page, err := pages.NewApprovals(func(r *http.Request) (guard.Principal, error) {
		user, _, _ := r.BasicAuth() // the server's own sign-in has checked the password
		return guard.Principal{Issuer: "mail.example", Subject: user, Human: true}, nil
	}, pages.ApprovalsConfig{Address: "https://mail.example/approvals"})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := guard.New(guard.WithPeople(guard.PeopleOptions{Approver: page}),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
			return guard.Principal{Issuer: "mail.example", Subject: "alice", Permissions: []string{"mail:send"}}, nil
		})))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close(context.Background())
	send := contract.New("mail.send", func(context.Context, letter) (string, error) { return "sent", nil }).
		Description("Sends an email.").Version("1.0.0").Effect(risk.ExternalPublication).Trust(trust.Trusted).
		Permissions("mail:send").MustBuild()
	table, err := adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{send}})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/approvals", page)
	mux.Handle("/approvals/", page)

	result, err := table.Call(context.Background(), table.Entry("mail_send"), adapter.Request{Arguments: json.RawMessage(lunch)})
	if err != nil {
		fmt.Println(err)
		return
	}
	before, _, _ := strings.Cut(result.Outcome.URL, "/question/")
	fmt.Println(result.Outcome.Code, before)
	// Output: confirmation_pending https://mail.example/approvals
}
