package docs_test

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type emailInput struct {
	To   string `json:"to"   jsonschema:"format=email"`
	Text string `json:"text" contract:"sensitive"`
}

var errNoMailbox = contract.Retryable("no_mailbox", "The address cannot receive mail.")

func sendEmail(context.Context, emailInput) (struct{}, error) { return struct{}{}, nil }

func sendTool() *contract.Tool {
	return contract.New("emails.send", sendEmail).
		Description("Sends an email.").Version("1.0.0").
		Effect(risk.ExternalPublication). // so a person approves each call
		Trust(trust.Trusted).Permissions("emails:send").
		RateLimit(20, time.Minute).
		Failures(errNoMailbox).
		MustBuild()
}

func serveMail(g *guard.Guard) error {
	return mcpgo.ServeStdio("mail", "1.0.0", g, mcpgo.WithTools(sendTool()))
}

// Without a function that finds the caller, the server does not start.
func Example_readme() {
	fmt.Println(serveMail(nil) != nil)
	// Output: true
}
