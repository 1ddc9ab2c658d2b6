package docs_test

import (
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/verify"
)

func TestOrders_AcceptedFindings(t *testing.T) {
	contracttest.Inspect(orderCanceller()).
		Accept("sideEffects.missing", "The description names the only one.").
		Assert(t)
}

func TestOrders_APersonApproves(t *testing.T) {
	c := contracttest.NewClient(t, []*contract.Tool{orderCanceller()}).As(anna("orders:write"))

	r := c.Call("orders.cancel", orderInput{ID: "1"})
	if r.Outcome.Code != contract.CodeConfirmationRequired {
		t.Fatal("ran without a question:", r.Text)
	}
	r = c.Answering(contracttest.Approve).Call("orders.cancel", orderInput{ID: "1"})
	if r.Outcome.Status != contract.StatusOK {
		t.Fatal(r.Text)
	}
	r = c.Answering(refuseLarge).Call("orders.cancel", orderInput{ID: "all"})
	if r.Outcome.Code != contract.CodeConfirmationDeclined {
		t.Fatal("cancelled all orders:", r.Text)
	}
}

// refuseLarge is a person who reads the arguments.
func refuseLarge(q people.Question) contracttest.ElicitResult {
	if q.Arguments[0].Text == `"all"` {
		return contracttest.Decline(q)
	}
	return contracttest.Approve(q)
}

func TestOrders_DoWhatTheyDeclare(t *testing.T) {
	cancelled := map[string]bool{}
	verify.Tool(t, orderCanceller(),
		verify.Case{Name: "an open order", Input: orderInput{ID: "1"}},
		verify.WithState(func() any { return cancelled }))
}
