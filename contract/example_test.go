package contract_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func ExampleNew() {
	type AddIn struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	type AddOut struct {
		Sum float64 `json:"sum"`
	}
	add := func(_ context.Context, in AddIn) (AddOut, error) { return AddOut{in.A + in.B}, nil }

	tool, err := contract.New("calc.add", add).
		Description("Adds two numbers.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).
		Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	d := tool.Document()
	fmt.Println(tool.Name(), d.Risk, d.Confirmation)
	fmt.Println(string(d.InputSchema))
	// Output:
	// calc.add low never
	// {"properties":{"a":{"type":"number"},"b":{"type":"number"}},"additionalProperties":false,"type":"object","required":["a","b"]}
}

type shareInput struct {
	_ contract.Tags          `name:"files.share" version:"1.0.0" description:"Shares a file by a link."`
	_ contract.Tags          `effect:"external-publication" trust:"trusted" permissions:"files:share" rateLimit:"20/1m"`
	_ contract.SideEffectTag `description:"Who has the link can read the file." reach:"external" undo:"reversible"`
	_ contract.FailureTag    `code:"no_such_file" class:"retryable" description:"There is no such file."`

	FileID string `json:"fileId"`
}

type shareOutput struct {
	URL string `json:"url"`
}

// The tag declares the failure, and the handler makes its errors.
var errNoSuchFile = contract.Retryable("no_such_file", "There is no such file.")

func share(_ context.Context, in shareInput) (shareOutput, error) {
	return shareOutput{}, errNoSuchFile.Errorf("the file is gone").At("/fileId")
}

func ExampleTags() {
	tool := contract.New("", share).MustBuild()
	d := tool.Document()
	fmt.Println(d.Name, d.Risk, d.Permissions, d.FailureModes[0].Code)

	// A verb wins over a tag.
	stricter := contract.New("", share).Permissions("files:share", "files:publish").MustBuild()
	fmt.Println(stricter.Document().Permissions)
	// Output:
	// files.share critical [files:share] no_such_file
	// [files:share files:publish]
}

func ExampleBase() {
	mail := contract.Base{
		Version:     "1.0.0",
		Category:    "communication",
		Trust:       trust.Trusted,
		Permissions: []string{"emails:read"},
	}

	count := contract.New("emails.count", handler[struct{}, map[string]int]).From(mail).
		Description("Counts emails by folder.").Effect(risk.ReadOnly).
		MustBuild()
	search := contract.New("emails.search", handler[struct{}, string]).From(mail).
		Description("Finds emails.").Effect(risk.ReadOnly).
		Trust(trust.PromptInjectionProne). // others wrote what it returns
		MustBuild()
	for _, tool := range []*contract.Tool{count, search} {
		d := tool.Document()
		fmt.Println(d.Name, d.Category, d.ContentTrust, d.Permissions)
	}
	// Output:
	// emails.count communication trusted [emails:read]
	// emails.search communication prompt-injection-prone [emails:read]
}

func ExampleError() {
	errNoMailbox := contract.Retryable("invalid_recipient", "A recipient address cannot receive mail.")
	errRelayDown := contract.Fatal("relay_down", "The mail relay is unreachable.")

	send := func(to string) error {
		switch to {
		case "nobody":
			return errNoMailbox.Errorf("not a mailbox").At("/to/0").Hint("Look the address up first.")
		case "down":
			// The cause is for the audit log alone.
			return errRelayDown.Wrap(errors.New("dial tcp 10.0.0.3:25: refused"))
		}
		return nil
	}
	for _, to := range []string{"nobody", "down"} {
		err := send(to)
		failure, _ := errors.AsType[*contract.Error](err)
		fmt.Println(err, failure.Pointer(), errors.Is(err, errNoMailbox))
	}
	// Output:
	// invalid_recipient: not a mailbox /to/0 true
	// relay_down: The mail relay is unreachable.  false
}

func ExampleDeclarationErrors() {
	type Input struct {
		Count int `json:"count" jsonschema:"minumum=1"`
	}
	_, err := contract.New("orders.delete", handler[Input, struct{}]).
		Effect(risk.Destructive).Autonomous(true).Permissions("orders:delete").
		Build()
	for _, e := range contract.DeclarationErrors(err) {
		fmt.Printf("[%s] %s: %s\n", e.Rule, e.Where, e.Message)
	}
	// Output:
	// [description.missing] description: the tool has no description
	// [version.missing] version: the contract has no version
	// [autonomous.contradiction] autonomous: autonomous true contradicts risk critical with confirmation always
	// [schema.tag.unknown] inputSchema Input.Count: "minumum" is not a keyword (did you mean "minimum"?)
}

func ExampleDocument_Hints() {
	tool := contract.New("orders.cancel", handler[struct{}, struct{}]).
		Description("Cancels the open order.").Version("1.0.0").
		Effect(risk.HighRiskWrite).Trust(trust.Trusted).Permissions("orders:write").
		SideEffects(contract.SideEffect{
			Description: "The order is closed.", Reach: contract.Internal, Undo: contract.Irreversible,
		}).
		MustBuild()
	fmt.Printf("%+v\n", tool.Document().Hints())
	// Output:
	// {ReadOnly:false Destructive:true Idempotent:false OpenWorld:false}
}

func ExampleDocument_Summary() {
	tool := contract.New("orders.cancel", handler[struct{}, struct{}]).
		Description("Cancels the open order.").Version("1.2.0").
		Effect(risk.HighRiskWrite).Trust(trust.Trusted).Permissions("orders:write").
		MustBuild()
	data, err := json.Marshal(tool.Document().Summary())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(data))
	// Output:
	// {"format":1,"name":"orders.cancel","risk":"high","effect":"high-risk-write","contentTrust":"trusted","confirmation":"always","reversibility":"irreversible","version":"1.2.0","autonomous":false,"permissions":["orders:write"],"auditEvent":"orders.cancel","failureCodes":["confirmation_required","confirmation_pending","confirmation_declined","idempotency_key_in_progress","outcome_unknown","already_done","timeout"]}
}

func ExampleBuilder_DryRun() {
	type Input struct {
		Segment string `json:"segment"`
	}
	type Data struct {
		Recipients int `json:"recipients"`
	}
	preview := func(context.Context, Input) (dryrun.Preview[Data], error) {
		return dryrun.Preview[Data]{Data: Data{Recipients: 4821}}, nil
	}
	tool := contract.New("emails.bulk_send", handler[Input, struct{}]).
		Description("Sends an email to a segment.").Version("1.0.0").
		Effect(risk.ExternalPublication).Permissions("emails:send").
		DryRun(dryrun.By(preview).Required()).
		MustBuild()
	fmt.Println(tool.Document().DryRun)
	// Output:
	// required
}

func ExampleParseDocument() {
	_, err := contract.ParseDocument([]byte(`{"format":1,"name":"orders.cancel","autonomous":false,"RISK":"low"}`))
	fmt.Println(err != nil)

	// The documents of others may know more.
	var d contract.Document
	err = json.Unmarshal([]byte(`{"format":1,"name":"orders.cancel","autonomous":false,"RISK":"low"}`), &d)
	fmt.Println(err, d.Risk, len(d.Unknown))
	// Output:
	// true
	// <nil> undeclared 1
}
