package main

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/guard/people"
)

func TestMain(m *testing.M) {
	exampletest.Main(m, func() int {
		main()
		return 0
	})
}

// A person gives each question the same answer.
type person mcp.ElicitationResponseAction

func (p person) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseAction(p), Content: map[string]any{people.ConfirmKey: true},
	}}, nil
}

func TestCancel_RunsOnceAPersonApproved(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		for action, code := range map[mcp.ElicitationResponseAction]string{
			mcp.ElicitationResponseActionAccept:  "",
			mcp.ElicitationResponseActionDecline: contract.CodeConfirmationDeclined,
		} {
			c := exampletest.StdioOf(t, exampletest.Command(t), era, client.WithElicitationHandler(person(action)))
			_, outcome := exampletest.Call(t, c, "cancel_order", `{"id":"o7"}`)
			assert.Equal(t, code, outcome.Code, era)
		}
	}
}
