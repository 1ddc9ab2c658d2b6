package main

import (
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
)

func TestDelete_APersonApproves(t *testing.T) {
	anna := contract.Principal{Subject: "anna", Permissions: []string{"notes:delete"}}
	c := contracttest.NewClient(t, []*contract.Tool{Delete}).As(anna)

	r := c.Call("notes.delete", deleteIn{ID: "n1"})
	if r.Outcome.Code != contract.CodeConfirmationRequired {
		t.Fatal("ran without a question:", r.Text)
	}
	r = c.Answering(contracttest.Approve).Call("notes.delete", deleteIn{ID: "n1"})
	if r.Outcome.Status != contract.StatusOK {
		t.Fatal(r.Text)
	}
	r = c.Answering(contracttest.Decline).Call("notes.delete", deleteIn{ID: "n2"})
	if r.Outcome.Code != contract.CodeConfirmationDeclined {
		t.Fatal("ran although a person declined:", r.Text)
	}
}
