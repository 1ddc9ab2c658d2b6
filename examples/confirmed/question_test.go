package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard/people"
)

// question is what a person is asked. docs/quickstart.md shows it.
const question = `Allow Delete note (notes.delete) to run?
Deletes a note for good.
Risk critical, effect destructive, cannot be undone, on behalf of "anna".
- The note is gone. (within this system; cannot be undone)
Arguments:
  "id": "n1"`

func TestDelete_AsksTheQuestionOfTheManual(t *testing.T) {
	t.Parallel()
	asked := ""
	c := contracttest.NewClient(t, []*contract.Tool{Delete}).
		As(contract.Principal{Subject: "anna", Permissions: contract.PermissionsOf(Delete)})
	c.Answering(func(q people.Question) contracttest.ElicitResult {
		asked = q.Message
		return contracttest.Approve(q)
	}).Call("notes.delete", deleteIn{ID: "n1"})
	assert.Equal(t, question, strings.TrimSpace(asked))
}
