package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/guard/people"
)

func TestMain(m *testing.M) { exampletest.Main(m, run, "-names", "dotted", "-tier", "full") }

func TestSupport_TheDeskWorks(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			c := exampletest.Stdio(t, era)
			assert.ElementsMatch(t, []string{"tickets.search", "pages.fetch", "tickets.close", "tickets.import", "tickets.reply",
				"operations_get"},
				exampletest.Names(t, c))

			result, found := exampletest.Call(t, c, "tickets.search", `{"text":"invoice","most":"1"}`)
			assert.Equal(t, contract.StatusOK, found.Status)
			assert.Equal(t, []contract.Reading{{Pointer: "/most", As: contract.TextAsNumber}}, found.Readings)
			assert.Equal(t, []contract.DataKind{contract.PrivateData, contract.UntrustedData}, found.Reads)
			assert.Equal(t, map[string]any{"integrity": "untrusted", "confidentiality": "private"},
				result.Meta.AdditionalFields["ifc"])

			_, sent := exampletest.Call(t, c, "pages.fetch", `{"address":"https://example.net/?q=anna"}`)
			assert.Equal(t, contract.CodeConfirmationRequired, sent.Code, "this client cannot ask a person")

			_, all := exampletest.Call(t, c, "tickets.close", `{}`)
			assert.Equal(t, contract.CodeConfirmationRequired, all.Code)
			_, one := exampletest.Call(t, c, "tickets.close", `{"numbers":[1]}`)
			assert.Equal(t, contract.StatusOK, one.Status)
			_, none := exampletest.Call(t, c, "tickets.close", `{"numbers":[9]}`)
			assert.Equal(t, errNoTicket.Code(), none.Code)

			_, unasked := exampletest.Call(t, c, "tickets.reply", `{"number":1}`)
			assert.Equal(t, contract.CodeConfirmationRequired, unasked.Code, "this client has no model either")

			_, taken := exampletest.Call(t, c, "tickets.import", `{"ref":"7","text":"old"}`)
			assert.Equal(t, contract.StatusOK, taken.Status)
			_, refused := exampletest.Call(t, c, "tickets.import", `{"ref":"07","text":"old"}`)
			assert.Equal(t, errBadRef.Code(), refused.Code)
		})
	}
}

// The person has the last word on what the model drafts.
func TestSupport_AReplyIsDraftedAndThenWrittenByAPerson(t *testing.T) {
	t.Parallel()
	tools, err := newDesk().tools()
	require.NoError(t, err)
	c := contracttest.NewClient(t, tools).As(contract.Principal{Subject: "ben", Permissions: []string{"tickets:reply"}})
	var asked []string
	r := c.Answering(func(q people.Question) contracttest.ElicitResult {
		asked = append(asked, q.Message)
		return contracttest.ElicitResult{Action: "accept", Content: map[string]any{"text": "We send a new invoice."}}
	}).Call("tickets.reply", ReplyInput{Number: 1})
	assert.Equal(t, Reply{Text: "We send a new invoice.", Close: true}, contracttest.Output[Reply](t, r))
	require.Len(t, asked, 2)
	assert.Contains(t, asked[1], "We send a new invoice.", "the draft")
}

func TestSupport_OnlyThoseWhoMaySearchSeeCustomers(t *testing.T) {
	t.Parallel()
	c := exampletest.Stdio(t, exampletest.Modern, "-permissions", "tickets:read")
	assert.Contains(t, exampletest.Names(t, c), "tickets.search", "tickets:read is enough to find the tool")
	_, denied := exampletest.Call(t, c, "tickets.search", `{}`)
	assert.Equal(t, []string{"customers:read"}, denied.MissingPermissions)
	_, taken := exampletest.Call(t, c, "tickets.import", `{"ref":"7","text":"old"}`)
	assert.Equal(t, contract.StatusOK, taken.Status, "the permission is only audited")
}

func TestSupport_AFreezeDeniesChanges(t *testing.T) {
	t.Parallel()
	c := exampletest.Stdio(t, exampletest.Modern, "-freeze")
	_, found := exampletest.Call(t, c, "tickets.search", `{}`)
	assert.Equal(t, contract.StatusOK, found.Status)
	_, closed := exampletest.Call(t, c, "tickets.close", `{"numbers":[1]}`)
	assert.Equal(t, contract.CodePermissionDenied, closed.Code)
}
