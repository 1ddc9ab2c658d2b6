package guard_test

import (
	"context"
	"fmt"
	"log"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type noteInput struct {
	Text string `json:"text" jsonschema:"minLength=1,maxLength=80"`
}

type noteOutput struct {
	ID int `json:"id"`
}

func Example() {
	note := contract.New("notes.add", func(context.Context, noteInput) (noteOutput, error) { return noteOutput{ID: 1}, nil }).
		Description("Adds a note.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").
		MustBuild()

	anna := guard.Principal{Subject: "anna", Permissions: []string{"notes:write"}}
	var record audit.Recorder
	g, err := guard.New(
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return anna, nil })),
		guard.WithAudit(&record))
	if err != nil {
		log.Fatal(err)
	}
	table, err := adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{note}}) // an adapter of an SDK does this
	if err != nil {
		log.Fatal(err)
	}
	for _, arguments := range []string{`{"text":"buy milk"}`, `{"text":"","urgent":true}`} {
		answer, err := table.Call(context.Background(), table.Entry("notes_add"), adapter.Request{Arguments: []byte(arguments)})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.Content[0].(contract.TextContent).Text)
	}
	if err := g.Close(context.Background()); err != nil { // waits for the audit queue
		log.Fatal(err)
	}
	for _, e := range record.Events() {
		fmt.Println("audit:", e.Kind, e.Tool, e.Principal, e.Decision, e.Status)
	}
	// Output:
	// {"id":1}
	// invalid_input: the arguments do not fit the input schema
	// - /text: must have at least 1 character
	// - /urgent: is not a known property; known: text
	// audit: terminal notes.add anna allow ok
	// audit: terminal notes.add anna deny error
}
