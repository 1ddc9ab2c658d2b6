package observe_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type unitInput struct {
	Unit string `json:"unit" jsonschema:"enum=m"`
}

// measure is a tool of a server.
var measure = contract.New("lengths.measure", func(context.Context, unitInput) (string, error) { return "3", nil }).
	Description("Measures the length.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).
	Permissions("lengths:read").MustBuild()

func ExampleArgumentsOf() {
	arguments, err := observe.ArgumentsOf(measure)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(arguments.Valid(observe.Random(1)).JSON))
	b := arguments.Broken(observe.Random(3))
	fmt.Println(string(b.JSON), b.Keyword, b.Pointer)
	// Output:
	// {"unit":"m"}
	// {"unit":"m","unknown":true} additionalProperties /unknown
}

// This test counts a handler's runs.
func ExampleObserved() {
	test := func(t *testing.T) {
		runs := 0
		counted := observe.Observed(measure, observe.Observer{
			Handler: func(ctx context.Context, run func(context.Context) (any, error)) (any, error) {
				runs++
				return run(ctx)
			},
		})
		c := contracttest.NewClient(t, []*contract.Tool{counted})
		c.Call("lengths.measure", unitInput{Unit: "m"})
		if runs != 0 {
			t.Error("the handler ran for a caller without the permission lengths:read")
		}
	}
	_ = test // go test calls it as TestMeasure
}
