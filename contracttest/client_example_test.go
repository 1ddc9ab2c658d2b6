package contracttest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// In a test, t comes from the test function.
func ExampleClient() {
	exampleTest(func(t testing.TB) {
		publish := contract.New("notes.publish", func(_ context.Context, in noteIn) (noteOut, error) {
			return noteOut{ID: "note-1"}, nil
		}).Description("Publishes a note.").Version("1.0.0").
			Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").ConfirmAlways().MustBuild()

		tools := []*contract.Tool{publish}
		anna := contract.Principal{Subject: "anna", Permissions: contract.PermissionsOf(tools...)}
		c := contracttest.NewClient(t, tools).As(anna)

		r := c.Answering(contracttest.Approve).Call("notes.publish", noteIn{Text: "hello"})
		fmt.Println(contracttest.Output[noteOut](t, r).ID, "after:", r.Questions[0].Title)
		r = c.Call("notes.publish", noteIn{Text: "hello"})
		fmt.Println(r.Outcome.Code, r.Outcome.Class)
	})
	// Output:
	// note-1 after: Allow notes.publish to run?
	// confirmation_required fatal
}

// A person can answer the way the question demands.
func ExamplePerson() {
	approveShort := func(q people.Question) contracttest.ElicitResult {
		if len(q.Arguments[0].Text) > 20 {
			return contracttest.Decline(q)
		}
		return contracttest.Approve(q)
	}
	fmt.Println(approveShort(people.Question{Arguments: []people.Argument{{Name: "text", Text: `"hello"`}}}).Action)
	// Output: accept
}
