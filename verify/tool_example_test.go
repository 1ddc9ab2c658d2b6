package verify_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/internal/testing/failtest"
)

// A search that counts its calls is not read-only. In a test, t comes from the
// test function, and on Linux the kernel is a witness too.
func ExampleTool() {
	failtest.Example(func(t testing.TB) {
		var searches []string
		search := contract.New("notes.search", func(_ context.Context, in noteIn) (noteOut, error) {
			searches = append(searches, in.Text)
			return noteOut{ID: "note-1"}, nil
		}).Description("Finds a note.").Version("1.0.0").
			Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()

		v := verify.Observe(t, search,
			verify.Case{Name: "tea", Input: noteIn{Text: "tea"}},
			verify.WithState(func() any { return searches }))
		for _, j := range v.Judgements {
			if j.Conclusion == verify.Contradicted {
				fmt.Println(j)
			}
		}
	})
	// Output:
	// contradicted [readonly.effect] Effect(risk.ReadOnly): in "tea": state: nil became length 1; state: [0]: added "tea"; declare the write, or remove it from the handler; allow bookkeeping by WithAllowance
}

// Each case gets a tool with state of its own.
func ExampleWithFixture() {
	failtest.Example(func(t testing.TB) {
		saved := func(notes map[string]bool) *contract.Tool {
			return contract.New("notes.save", func(_ context.Context, in noteIn) (noteOut, error) {
				notes[in.Text] = true
				return noteOut{ID: in.Text}, nil
			}).Description("Saves a note.").Version("1.0.0").
				Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").MustBuild()
		}
		v := verify.Observe(t, saved(nil), verify.WithDrawn(2),
			verify.WithFixture(func(testing.TB) verify.Fixture {
				notes := map[string]bool{}
				return verify.Fixture{Tool: saved(notes), State: func() any { return notes }}
			}))
		fmt.Println(v.Runs, v.Witnesses)
	})
	// Output: 2 [state]
}

// The handler's log is searched for secret arguments.
func ExampleLog() {
	failtest.Example(func(t testing.TB) {
		var log verify.Log
		type signIn struct {
			Token string `json:"token" contract:"secret"`
		}
		tool := contract.New("session.open", func(_ context.Context, in signIn) (noteOut, error) {
			_, err := fmt.Fprintf(&log, "sign in with %s\n", in.Token)
			return noteOut{}, err
		}).Description("Opens a session.").Version("1.0.0").
			Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()

		v := verify.Observe(t, tool, verify.Case{Input: signIn{"hunter2-hunter2"}}, verify.WithLog(&log))
		for _, j := range v.Judgements {
			if j.Rule == "secret.leak" {
				fmt.Println(j.Observed)
			}
		}
	})
	// Output: the log of the handler has the value of /token
}

// readShelf is a tool of the examples.
func readShelf() *contract.Tool {
	return contract.New("shelf.read", func(_ context.Context, in shelfInput) (shelfOutput, error) { return near(in) }).
		Description("Reads a book.").Version("1.0.0").Trust(trust.Trusted).Effect(risk.ReadOnly).Permissions("shelf:read").MustBuild()
}

// Keep a failure that package fuzz has found as a test.
func ExampleReplay() {
	failtest.Example(func(t testing.TB) {
		verify.Replay(t, []*contract.Tool{readShelf()}, []verify.Step{
			{Tool: "shelf.read", Input: `{"place":101}`},
		})
	})
	// Output:
}

func ExampleCheckIdempotency() {
	b := &bank{keys: map[string]int{}}
	pay := contract.New("orders.pay", func(_ context.Context, in payment) (receipt, error) { return b.pay(in), nil }).
		Description("Pays an order.").Version("1.0.0").Trust(trust.Trusted).Effect(risk.LowRiskWrite).Permissions("orders:pay").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"order"}}).MustBuild()
	failtest.Example(func(t testing.TB) {
		verify.CheckIdempotency(t, pay,
			verify.Case{Input: payment{"o-1", 100}}, verify.Case{Input: payment{"o-2", 200}},
			verify.WithSetup(func(testing.TB) { b.empty() }), verify.WithEffects(b.count))
	})
	// Output:
}

// The invoice that one call creates becomes an argument of others, even after
// it was voided, and as a caller from another tenant.
func ExampleResource() {
	invoices := verify.Resource{
		Name:    "invoice",
		Created: map[string]string{"invoices.create": "/number"},
		Used:    map[string]string{"invoices.get": "/invoice", "invoices.void": "/invoice"},
		Deleted: map[string]string{"invoices.void": "/invoice"},
	}
	options := []verify.Option{verify.WithResource(invoices)} // for both fuzz.Tools and Replay
	fmt.Println(len(options))
	// Output: 1
}
