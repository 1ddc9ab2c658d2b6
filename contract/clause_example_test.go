package contract_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type message struct {
	To   []string `json:"to"`
	Text string   `json:"text"`
}

// send returns a contract of a tool that sends messages.
func send() *contract.Builder[message, struct{}] {
	return contract.New("messages.send", handler[message, struct{}]).
		Description("Sends a message.").Version("1.0.0").
		Effect(risk.ExternalPublication).Trust(trust.Trusted).Permissions("messages:send")
}

func ExampleBuilder() {
	tool, err := send().
		SecurityLevel(4).
		RateLimit(20, time.Minute).
		Timeout(5 * time.Second).
		AuditEvent("message.sent").
		Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	d := tool.Document()
	fmt.Println(d.Risk, d.Confirmation, d.AuditEvent, d.Timeout)
	// Output:
	// critical always message.sent 5s
}

func ExampleSideEffect() {
	tool := send().SideEffects(contract.SideEffect{
		Description: "One message leaves for each recipient.",
		Reach:       contract.External,
		Undo:        contract.Irreversible,
		OnRepeat:    "A second message leaves.",
		Affects:     "The recipients.",
	}).MustBuild()
	hints := tool.Document().Hints()
	fmt.Println(hints.OpenWorld, hints.Destructive)
	// Output:
	// true true
}

func ExampleIdempotency() {
	tool := send().Idempotency(contract.Idempotency{
		Mode:      idempotency.Managed,
		KeyFields: []string{"to", "text"},
	}).MustBuild()
	i := tool.Document().Idempotency
	fmt.Println(i.Mode, i.KeyFields, i.Retention, i.OnUnknown)
	// Output:
	// managed [to text] 24h0m0s refuse
}

func ExampleReconciling() {
	outbox := map[string]bool{} // the texts that have left
	ask := func(_ context.Context, in message, _ time.Time) (contract.Reconciled[struct{}], error) {
		if outbox[in.Text] {
			return contract.Happened(struct{}{}), nil
		}
		return contract.DidNotHappen[struct{}](), nil
	}
	tool := send().
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true}).
		Reconcile(ask, contract.Reconciling{Quiet: 30 * time.Second}).
		MustBuild()
	d := tool.Document()
	fmt.Println(d.Reconcile.Quiet, d.Idempotency.ClientKey)
	// Output:
	// 30s true
}

func ExampleStepUp() {
	tool := send().StepUp(contract.StepUp{MaxAge: 5 * time.Minute, ACR: "mfa"}).MustBuild()
	fmt.Println(*tool.Document().StepUp)
	// Output:
	// { 5m0s mfa}
}

func ExampleDeprecation() {
	tool := send().Version("1.3.0").Deprecated(contract.Deprecation{
		Since:      "1.2.0",
		ReplacedBy: "messages.post",
		Note:       "It will be removed in 2.0.0.",
	}).MustBuild()
	fmt.Println(tool.Document().Deprecated.ReplacedBy)
	// Output:
	// messages.post
}

func ExampleResolution() {
	// A message without recipients is only kept as a draft.
	resolve := func(in message) contract.Resolution {
		if len(in.To) > 0 {
			return contract.Resolution{} // as declared
		}
		return contract.Resolution{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever}
	}
	least := contract.Least{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever}
	tool := send().Resolve(least, resolve).MustBuild()

	draft, err := tool.Document().Resolved(resolve(message{Text: "Hello"}))
	fmt.Println(draft.Risk, draft.Confirmation, err)
	_, err = draft.Resolved(contract.Resolution{Risk: risk.Critical})
	fmt.Println(err)
	// Output:
	// medium never <nil>
	// contract: the resolution is not within the contract: risk critical is above the declared medium
}

func ExampleReply() {
	type Chart struct {
		Points int `json:"points"`
	}
	reply := contract.Reply[Chart]{
		Out: Chart{Points: 12},
		Content: []contract.Content{
			contract.ImageContent{Data: []byte("…"), MIMEType: "image/png"},
			contract.LinkContent{URI: "https://example.com/charts/7", Name: "The chart in full"},
		},
	}
	fmt.Println(reply.Out.Points, len(reply.Content))
	// Output:
	// 12 2
}

func ExampleFailure() {
	errFull := contract.Retryable("mailbox_full", "The mailbox of a recipient is full.")

	err := error(errFull.Errorf("the mailbox of %s is full", "ann").At("/to/0").After(time.Hour))
	fmt.Println(err, errors.Is(err, errFull))
	failure, _ := errors.AsType[*contract.Error](err)
	fmt.Println(failure.Code(), failure.Pointer(), failure.RetryAfter())
	// Output:
	// mailbox_full: the mailbox of ann is full true
	// mailbox_full /to/0 1h0m0s
}
