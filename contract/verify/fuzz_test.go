package verify_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/verify"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type shelfInput struct {
	Place int `json:"place" jsonschema:"minimum=0,maximum=1000"`
}

type shelfOutput struct {
	Book string `json:"book"`
}

// shelf returns a read-only tool with a handler.
func shelf(t testing.TB, run func(shelfInput) (shelfOutput, error)) *contract.Tool {
	t.Helper()
	tool, err := contract.New("shelf.read", func(_ context.Context, in shelfInput) (shelfOutput, error) { return run(in) }).
		Title("Shelf").Description("Reads a book.").Version("1.0.0").Trust(trust.Trusted).
		Effect(risk.ReadOnly).Permissions("shelf:read").Failures(errFull).Build()
	require.NoError(t, err)
	return tool
}

// far is what the contract does not mention: a panic for a place beyond 100,
// except the last one. From the end of a range, rapid does not always shrink to
// a smaller number.
func far(in shelfInput) (shelfOutput, error) {
	if in.Place > 100 && in.Place < 1000 {
		panic("no such place")
	}
	return shelfOutput{Book: "Emma"}, nil
}

func near(shelfInput) (shelfOutput, error) { return shelfOutput{Book: "Emma"}, nil }

// FuzzShelf runs in every go test, and by go test -fuzz=FuzzShelf.
func FuzzShelf(f *testing.F) {
	verify.Fuzz(f, []*contract.Tool{shelf(f, near)}, verify.Case{Input: shelfInput{Place: 3}})
}

// recorded is a failure as Fuzz prints it.
var recorded = []verify.Step{
	{Tool: "shelf.read", Input: `{"place":101}`},
}

func TestFuzz_PrintsTheSmallestFailureForReplay(t *testing.T) {
	t.Parallel()
	text := checked(t, func(t testing.TB) { verify.CheckCalls(t, []*contract.Tool{shelf(t, far)}) })
	assert.Contains(t, text, "contradicted [handler.panic]")
	assert.Contains(t, text, verify.GoOf(recorded))
	assert.Contains(t, text, verify.JSONOf(recorded))
}

func TestReplay_FindsTheFailureAgainUntilItIsMended(t *testing.T) {
	t.Parallel()
	replay := func(run func(shelfInput) (shelfOutput, error)) string {
		return checked(t, func(t testing.TB) { verify.Replay(t, []*contract.Tool{shelf(t, run)}, recorded) })
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
			assert.NotEmpty(t, checked(t, func(t testing.TB) {
				verify.Replay(t, []*contract.Tool{shelf(t, near)}, []verify.Step{step})
			}))
		})
	}
}

// everyField is written as goOf prints it, so that the compiler reads what
// users paste.
var everyField = []verify.Step{
	{Tool: "a.b", As: contract.Principal{Issuer: "i", Tenant: "t", Subject: "s", Permissions: []string{"p", "q"}, Human: true,
		AuthTime: time.Now(), ACR: "mfa"}, From: map[string]verify.Source{"/a/0": {Step: 1, Pointer: "/b"},
		"/c": {Step: 0, Pointer: ""}}, Input: `{"a":"\"\\n"}`, Invalid: true, Key: "k\n", Preview: true, Repeat: true},
	{Tool: "a.c", Input: "`"},
}

func TestSteps_ArePrintedAsGoThatCompiles(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("fuzz_test.go")
	require.NoError(t, err)
	assert.Contains(t, string(source), "var everyField = "+verify.GoOf(everyField))
	assert.Contains(t, string(source), "var recorded = "+verify.GoOf(recorded))
}

func TestFuzz_FailsIfNothingReachesTheHandler(t *testing.T) {
	t.Parallel()
	denied := verify.WithCallers(contract.Principal{Subject: "anna"})
	text := checked(t, func(t testing.TB) { verify.CheckCalls(t, []*contract.Tool{shelf(t, near)}, denied) })
	assert.Contains(t, text, "contradicted [handler.notReached]")
}

type impossibleInput struct {
	Place int `json:"place" jsonschema:"minimum=2,maximum=1"`
}

func TestFuzz_FailsIfNothingSatisfiesTheSchema(t *testing.T) {
	t.Parallel()
	tool, err := base[impossibleInput, shelfOutput]("shelf.read").Effect(risk.ReadOnly).Permissions("shelf:read").Build()
	require.NoError(t, err)
	text := checked(t, func(t testing.TB) { verify.CheckCalls(t, []*contract.Tool{tool}) })
	assert.Contains(t, text, "imum refuses them at /place")
}

func TestFuzz_AcceptsAContradictionForAReason(t *testing.T) {
	t.Parallel()
	accepted := verify.WithAccepted("handler.panic", "The shelf is short.")
	assert.Empty(t, checked(t, func(t testing.TB) { verify.CheckCalls(t, []*contract.Tool{shelf(t, far)}, accepted) }))
}

func TestFuzz_ExplainsAFailureThatASharedStateHides(t *testing.T) {
	t.Parallel()
	failed := false
	once := func(shelfInput) (shelfOutput, error) {
		if !failed {
			failed = true
			panic("only once")
		}
		return shelfOutput{}, nil
	}
	text := checked(t, func(t testing.TB) { verify.CheckCalls(t, []*contract.Tool{shelf(t, once)}) })
	assert.Contains(t, text, "contradicted [handler.panic]")
	assert.Contains(t, text, "WithFixture")
}
