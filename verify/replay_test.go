package verify_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/internal/testing/failtest"
)

type shelfInput struct {
	Place int `json:"place" jsonschema:"minimum=0,maximum=1000"`
}

type shelfOutput struct {
	Book string `json:"book"`
}

// shelf returns a read-only tool with the handler run.
func shelf(t testing.TB, run func(shelfInput) (shelfOutput, error)) *contract.Tool {
	t.Helper()
	tool, err := contract.New("shelf.read", func(_ context.Context, in shelfInput) (shelfOutput, error) { return run(in) }).
		Title("Shelf").Description("Reads a book.").Version("1.0.0").Trust(trust.Trusted).
		Effect(risk.ReadOnly).Permissions("shelf:read").Failures(errFull).Build()
	require.NoError(t, err)
	return tool
}

// far does what the contract does not mention: it panics for a place beyond
// 100.
func far(in shelfInput) (shelfOutput, error) {
	if in.Place > 100 {
		panic("no such place")
	}
	return shelfOutput{Book: "Emma"}, nil
}

func near(shelfInput) (shelfOutput, error) { return shelfOutput{Book: "Emma"}, nil }

// recorded is a failure as package fuzz prints it.
var recorded = []verify.Step{
	{Tool: "shelf.read", Input: `{"place":101}`},
}

func TestReplay_FindsTheFailureAgainUntilItIsMended(t *testing.T) {
	t.Parallel()
	replay := func(run func(shelfInput) (shelfOutput, error)) string {
		return failtest.Text(t, func(t testing.TB) { verify.Replay(t, []*contract.Tool{shelf(t, run)}, recorded) })
	}
	assert.Contains(t, replay(far), "contradicted [handler.panic]")
	assert.Empty(t, replay(near))
}

func TestReplay_RefusesStepsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]verify.Step{
		"an unknown tool": {Tool: "shelf.burn", Input: `{}`},
		"a result of a later step": {Tool: "shelf.read", Input: `{"place":1}`, From: map[string]verify.Source{"/place": {Step: 7,
			Pointer: "/book"}}},
		"an input that is not JSON": {Tool: "shelf.read", Input: `{`, From: map[string]verify.Source{"/place": {}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.NotEmpty(t, failtest.Text(t, func(t testing.TB) {
				verify.Replay(t, []*contract.Tool{shelf(t, near)}, []verify.Step{step})
			}))
		})
	}
}

// everyField is written the way goOf prints it, so that the compiler checks
// what users will paste.
var everyField = []verify.Step{
	{Tool: "a.b", As: contract.Principal{Issuer: "i", Tenant: "t", Subject: "s", Permissions: []string{"p", "q"}, Human: true,
		AuthTime: time.Now(), ACR: "mfa"}, From: map[string]verify.Source{"/a/0": {Step: 1, Pointer: "/b"},
		"/c": {Step: 0, Pointer: ""}}, Input: `{"a":"\"\\n"}`, Invalid: true, Key: "k\n", Preview: true, Repeat: true},
	{Tool: "a.c", Input: "`"},
}

func TestSteps_ArePrintedAsGoThatCompiles(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("replay_test.go")
	require.NoError(t, err)
	inLine := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	assert.Contains(t, inLine(string(source)), inLine("var everyField = "+verify.GoOf(everyField)))
	assert.Contains(t, string(source), "var recorded = "+verify.GoOf(recorded))
}
