package docs_test

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type doorOutput struct {
	State string `json:"state" jsonschema:"enum=open,enum=closed"`
}

func Example_results() {
	state := "closed"
	door := contract.New("door.state", func(context.Context, struct{}) (doorOutput, error) { return doorOutput{state}, nil }).
		Description("Reports the state of the door.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).
		MustBuild()

	c := callerOf(door, contract.Principal{})
	c.call(`{}`)
	state = "half open"
	c.call(`{}`)
	// Output:
	// {"state":"closed"}
	// [FATAL] output_invalid: The tool's result breaks its output schema.
}
