package fuzz_test

import (
	"context"
	"flag"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/fuzz"
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
		Effect(risk.ReadOnly).Permissions("shelf:read").Build()
	require.NoError(t, err)
	return tool
}

// far does what the contract does not mention: it panics for a place beyond
// 100, except the last one. From the end of a range, rapid does not always
// shrink to a smaller number.
func far(in shelfInput) (shelfOutput, error) {
	if in.Place > 100 && in.Place < 1000 {
		panic("no such place")
	}
	return shelfOutput{Book: "Emma"}, nil
}

func near(shelfInput) (shelfOutput, error) { return shelfOutput{Book: "Emma"}, nil }

// FuzzShelf runs in every go test, and with go test -fuzz=FuzzShelf.
func FuzzShelf(f *testing.F) {
	fuzz.Tools(f, []*contract.Tool{shelf(f, near)}, verify.Case{Input: shelfInput{Place: 3}})
}

func TestFuzz_PrintsTheSmallestFailureForReplay(t *testing.T) {
	t.Parallel()
	text := failtest.Text(t, func(t testing.TB) { fuzz.Check(t, []*contract.Tool{shelf(t, far)}) })
	assert.Contains(t, text, "contradicted [handler.panic]")
	assert.Contains(t, text, "[]verify.Step{\n\t{Tool: \"shelf.read\", Input: `{\"place\":101}`},\n}")
}

func TestFuzz_FailsIfNothingReachesTheHandler(t *testing.T) {
	t.Parallel()
	denied := verify.WithCallers(contract.Principal{Subject: "anna"})
	text := failtest.Text(t, func(t testing.TB) { fuzz.Check(t, []*contract.Tool{shelf(t, near)}, denied) })
	assert.Contains(t, text, "contradicted [handler.notReached]")
}

type impossibleInput struct {
	Place int `json:"place" jsonschema:"minimum=2,maximum=1"`
}

func TestFuzz_FailsIfNothingSatisfiesTheSchema(t *testing.T) {
	t.Parallel()
	read := func(context.Context, impossibleInput) (shelfOutput, error) { return shelfOutput{}, nil }
	tool, err := contract.New("shelf.read", read).
		Description("Reads a book.").Version("1.0.0").Trust(trust.Trusted).Effect(risk.ReadOnly).Permissions("shelf:read").Build()
	require.NoError(t, err)
	text := failtest.Text(t, func(t testing.TB) { fuzz.Check(t, []*contract.Tool{tool}) })
	assert.Contains(t, text, "imum refuses them at /place")
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
	text := failtest.Text(t, func(t testing.TB) { fuzz.Check(t, []*contract.Tool{shelf(t, once)}) })
	assert.Contains(t, text, "contradicted [handler.panic]")
	assert.Contains(t, text, "WithFixture")
}

type shelvesInput struct {
	Places []int `json:"places" jsonschema:"minimum=0"`
}

func TestFuzz_MakesListsSmaller(t *testing.T) {
	t.Parallel()
	tool, err := contract.New("shelf.read", func(_ context.Context, in shelvesInput) (shelfOutput, error) {
		for _, place := range in.Places {
			if place > 100 {
				panic("no such place")
			}
		}
		return shelfOutput{Book: "Emma"}, nil
	}).Description("Reads a book.").Version("1.0.0").Trust(trust.Trusted).Effect(risk.ReadOnly).Permissions("shelf:read").Build()
	require.NoError(t, err)
	text := failtest.Text(t, func(t testing.TB) { fuzz.Check(t, []*contract.Tool{tool}) })
	assert.Contains(t, text, "Input: `{\"places\":[101]}`")
}

func TestFuzz_LogsWhatIsAcceptedAndRefusesAStaleAcceptance(t *testing.T) {
	t.Parallel()
	accepted := verify.WithAccepted("handler.panic", "The shelf is short.")
	f := &failtest.T{TB: t}
	fuzz.Check(f, []*contract.Tool{shelf(t, far)}, accepted, verify.Case{Input: shelfInput{Place: 500}})
	assert.False(t, f.Failed())
	logs := strings.Join(f.Logs, "\n")
	assert.Contains(t, logs, "contradicted [handler.panic]")
	assert.Contains(t, logs, "(accepted: The shelf is short.)")
	text := failtest.Text(t, func(t testing.TB) { fuzz.Check(t, []*contract.Tool{shelf(t, near)}, accepted) })
	assert.Contains(t, text, "nothing contradicts handler.panic any more")
}

func TestFuzz_FindsHandlersThatEndTheirGoroutine(t *testing.T) {
	t.Parallel()
	exits := func(shelfInput) (shelfOutput, error) {
		runtime.Goexit() // as FailNow does in a test
		return shelfOutput{}, nil
	}
	text := failtest.Text(t, func(t testing.TB) { fuzz.Check(t, []*contract.Tool{shelf(t, exits)}) })
	assert.Contains(t, text, "contradicted [handler.panic]")
}

// The number of cases is that of WithDrawn, above and below the default of
// package rapid. The test is not parallel, because the number is a flag.
func TestFuzz_TriesAsManyCasesAsAreAskedFor(t *testing.T) {
	if testing.Short() {
		t.Skip("package rapid tries a fifth of the cases with -short")
	}
	checks := flag.Lookup("rapid.checks")
	for drawn, flagged := range map[int]string{250: checks.DefValue, 7: checks.DefValue, 30: "20"} {
		require.NoError(t, checks.Value.Set(flagged))
		tried := 0
		fuzz.Check(t, []*contract.Tool{shelf(t, near)}, verify.WithDrawn(drawn), verify.WithSetup(func(testing.TB) { tried++ }))
		want := drawn
		if flagged != checks.DefValue {
			want = min(drawn, 20)
		}
		assert.Equal(t, want, tried)
		assert.Equal(t, flagged, checks.Value.String(), "the flag is as it was")
		require.NoError(t, checks.Value.Set(checks.DefValue))
	}
}

// A fixture's tools are served together, so a handler finds the others even if
// only one is called.
func TestFuzz_ServesTheOtherToolsOfAFixture(t *testing.T) {
	t.Parallel()
	tools := func() []*contract.Tool {
		put := contract.New("shelf.put", func(context.Context, shelfInput) (shelfOutput, error) { return shelfOutput{}, nil }).
			Description("Puts a book.").Version("1.0.0").Trust(trust.Trusted).Effect(risk.LowRiskWrite).Permissions("shelf:read").
			Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"place"}})
		take := contract.New("shelf.take", func(ctx context.Context, in shelfInput) (shelfOutput, error) {
			return shelfOutput{Book: "Emma"}, guard.Forget(ctx, "shelf.put", map[string]any{"place": in.Place})
		}).Description("Takes a book.").Version("1.0.0").Trust(trust.Trusted).Effect(risk.LowRiskWrite).Permissions("shelf:read")
		return []*contract.Tool{take.MustBuild(), put.MustBuild()}
	}
	fuzz.Check(t, tools()[:1], verify.WithFixture(func(testing.TB) verify.Fixture { return verify.Fixture{Tools: tools()} }))
}
