package contract_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type tableInput struct {
	Day string `json:"day" jsonschema:"format=date"`
}

type guests struct {
	People int    `json:"people" jsonschema:"minimum=1,maximum=12"`
	Where  string `json:"where,omitempty" jsonschema:"enum=inside,enum=outside,default=inside"`
}

// An exampleTB is what a client of a test needs of its test.
type exampleTB struct {
	testing.TB

	cleanups []func()
}

func (*exampleTB) Helper()                  {}
func (*exampleTB) Context() context.Context { return context.Background() }
func (e *exampleTB) Cleanup(f func())       { e.cleanups = append(e.cleanups, f) }

func (e *exampleTB) end() {
	for _, f := range e.cleanups {
		f()
	}
}

// A handler asks for what the arguments don't say, and then acts once.
func ExampleAsk() {
	book := contract.New("tables.book", func(ctx context.Context, in tableInput) (string, error) {
		g, err := contract.Ask[guests](ctx, "How many people come on "+in.Day+"?")
		if err != nil {
			return "", err // before the answer, and without one
		}
		return fmt.Sprintf("a table %s for %d", g.Where, g.People), nil
	}).Description("Books a table.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("tables:write").Asks(1, guests{}).MustBuild()

	t := &exampleTB{} // in a test, t is that of the test function
	defer t.end()
	anna := contract.Principal{Subject: "anna", Permissions: []string{"tables:write"}}
	c := contracttest.NewClient(t, []*contract.Tool{book}).As(anna)
	r := c.Answering(func(q people.Question) contracttest.ElicitResult {
		fmt.Println(q.Message)
		return contracttest.ElicitResult{Action: "accept", Content: map[string]any{"people": 4}}
	}).Call("tables.book", tableInput{Day: "2026-12-24"})
	fmt.Println(r.Text)
	fmt.Println(c.Call("tables.book", tableInput{Day: "2026-12-24"}).Outcome.Code)
	// Output:
	// The tool tables.book asks: How many people come on 2026-12-24?
	// a table inside for 4
	// confirmation_required
}
