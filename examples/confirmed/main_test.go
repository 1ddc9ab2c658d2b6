package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/contracttest"
)

func TestDelete_RunsOnlyAfterAPersonHasApproved(t *testing.T) {
	t.Parallel()
	tools, err := server().Tools()
	assert.NoError(t, err)
	c := contracttest.NewClient(t, tools).As(contract.Principal{Subject: "anna", Permissions: contract.PermissionsOf(tools...)})

	assert.Equal(t, contract.CodeConfirmationRequired, c.Call("notes.delete", deleteIn{ID: "n1"}).Outcome.Code)
	r := c.Answering(contracttest.Approve).Call("notes.delete", deleteIn{ID: "n1"})
	assert.Equal(t, deleteOut{"n1"}, contracttest.Output[deleteOut](t, r))
	assert.Contains(t, r.Questions[0].Title, "Delete note")
}

func TestServer_TakesTheFlagOfThePage(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	assert.Equal(t, 2, server().Main([]string{"-approvals"}, &out, &errs), "a mistyped flag")
	assert.Contains(t, errs.String(), "-approval")
}
