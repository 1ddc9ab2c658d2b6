package contract_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type refundInput struct {
	Invoice string `json:"invoice"`
	Cents   int64  `json:"cents"`
}

// refund returns the contract of a tool that a person must approve.
func refund() *contract.Builder[refundInput, struct{}] {
	return contract.New("invoices.refund", handler[refundInput, struct{}]).
		Title("Refund an invoice").Description("Pays an invoice back.").Version("1.0.0").
		Effect(risk.PaidOperation).Trust(trust.Trusted).Permissions("invoices:refund")
}

// callAsAnna calls the tool for a principal whose client asks a person.
func callAsAnna(tool *contract.Tool, person people.Asker) (contract.Outcome, error) {
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
			return guard.Principal{Subject: "anna", Permissions: contract.PermissionsOf(tool)}, nil
		})))
	if err != nil {
		return contract.Outcome{}, err
	}
	defer g.Close(context.Background())
	tools, err := g.Protect(tool)
	if err != nil {
		return contract.Outcome{}, err
	}
	r, err := exchange.Of(tools).Call(context.Background(), exchange.Request{
		Tool: tool.Name(), Arguments: []byte(`{"invoice":"2025-17","cents":4000}`),
		Client: exchange.Client{Ask: person},
	})
	if err != nil {
		return contract.Outcome{}, err
	}
	return r.Outcome, nil
}

// The person who must approve a refund reads a sentence about it before the
// arguments.
func ExampleBuilder_Question() {
	tool := refund().
		Question(func(in refundInput) string {
			return fmt.Sprintf("Refund %d.%02d EUR of invoice %s", in.Cents/100, in.Cents%100, in.Invoice)
		}).
		MustBuild()

	outcome, err := callAsAnna(tool, func(_ context.Context, q people.Question) (json.RawMessage, error) {
		fmt.Println(q.Title)
		fmt.Println(q.Words)
		return json.RawMessage(`{"action":"accept","content":{"confirm":true}}`), nil
	})
	fmt.Println(outcome.Status, err)
	// Output:
	// Allow Refund an invoice (invoices.refund) to run?
	// Refund 40.00 EUR of invoice 2025-17
	// ok <nil>
}

// The person types the number of the invoice. An answer without the word counts
// as declined.
func ExampleBuilder_ConfirmTyping() {
	tool := refund().
		ConfirmTyping(func(in refundInput) string { return in.Invoice }).
		MustBuild()

	answering := func(form string) people.Asker {
		return func(_ context.Context, q people.Question) (json.RawMessage, error) {
			fmt.Println("type:", q.Word)
			return json.RawMessage(form), nil
		}
	}
	for _, form := range []string{`{"action":"accept","content":{"word":"2025-17"}}`, `{"action":"accept"}`} {
		outcome, err := callAsAnna(tool, answering(form))
		fmt.Println(outcome.Status, outcome.Code, err)
	}
	// Output:
	// type: 2025-17
	// ok  <nil>
	// type: 2025-17
	// error confirmation_declined <nil>
}
