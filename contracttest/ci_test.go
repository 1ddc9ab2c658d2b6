package contracttest_test

import (
	"context"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type addIn struct {
	A float64 `json:"a" jsonschema:"description=The first summand."`
	B float64 `json:"b" jsonschema:"description=The second summand."`
}

type addOut struct {
	Sum float64 `json:"sum"`
}

// Add is the whole server of this test.
var Add = contract.New("calc.add", func(_ context.Context, in addIn) (addOut, error) { return addOut{in.A + in.B}, nil }).
	Title("Add").Description("Adds two numbers.").Version("1.0.0").
	Effect(risk.ReadOnly).Trust(trust.Trusted).NoPermissions("It only computes.").
	MustBuild()

func TestContracts(t *testing.T) {
	tools := []*contract.Tool{Add} // all tools of the server
	contracttest.Check(t, tools...)
	contracttest.Golden(t, "testdata/contracts.json", tools...)
}
