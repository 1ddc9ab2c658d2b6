package main

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

func TestMain(m *testing.M) {
	exampletest.Main(m, func() int {
		main()
		return 0
	})
}

type agreeable struct{}

func (agreeable) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{people.ConfirmKey: true},
	}}, nil
}

func TestState_HasTheAnswersOfPeople(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.db")
	for range 2 { // sessions
		c := exampletest.StdioOf(t, exampletest.Command(t, "-state", file), exampletest.Modern,
			client.WithElicitationHandler(agreeable{}))
		_, outcome := exampletest.Call(t, c, "cancel_order", `{"id":"o1"}`)
		assert.Equal(t, contract.StatusOK, outcome.Status)
	}
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	defer db.Close()
	found, err := sqlstore.Inspect(t.Context(), db, sqlstore.SQLite)
	require.NoError(t, err)
	assert.Positive(t, found.Nonces, "the marks of used answers")
}

func TestState_ThatCannotBeUsedIsAnErrorAtTheStart(t *testing.T) {
	t.Parallel()
	cmd := exampletest.Command(t, "-state", t.TempDir())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	require.Error(t, cmd.Run())
	assert.Contains(t, stderr.String(), "name a file in it")
}
