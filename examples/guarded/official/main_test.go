package main

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// A person answers each question in the same way, and remembers the last one.
type person struct {
	action mcp.ElicitationResponseAction
	asked  string
}

func (p *person) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p.asked = r.Params.Message
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: p.action, Content: map[string]any{people.ConfirmKey: true},
	}}, nil
}

// behalf matches the caller, who is the user of this machine.
var behalf = regexp.MustCompile(`of "[^"]*"`)

func TestCancel_RunsOnceAPersonApproved(t *testing.T) {
	t.Parallel()
	for action, code := range map[mcp.ElicitationResponseAction]string{
		mcp.ElicitationResponseActionAccept:  "",
		mcp.ElicitationResponseActionDecline: contract.CodeConfirmationDeclined,
	} {
		p := &person{action: action}
		c := exampletest.StdioOf(t, exampletest.Command(t), exampletest.Modern, client.WithElicitationHandler(p))
		_, outcome := exampletest.Call(t, c, "cancel_order", `{"id":"o7"}`)
		assert.Equal(t, code, outcome.Code)

		question, err := os.ReadFile("../testdata/question.txt") // docs/person.md shows it
		require.NoError(t, err)
		assert.Equal(t, strings.TrimSpace(string(question)), behalf.ReplaceAllString(p.asked, `of "anna"`))
	}
}
