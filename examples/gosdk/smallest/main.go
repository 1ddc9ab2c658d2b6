// Command smallest is the smallest server: a function, its contract, and one
// call that serves both over stdio.
package main

import (
	"context"
	"log"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type addIn struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type addOut struct {
	Sum float64 `json:"sum"`
}

func add(_ context.Context, in addIn) (addOut, error) { return addOut{in.A + in.B}, nil }

// Add is the tool: the function add with its contract.
var Add = contract.New("calc.add", add).
	Description("Adds two numbers.").
	Version("1.0.0").
	Effect(risk.ReadOnly).
	Trust(trust.Trusted).
	MustBuild()

func main() {
	if err := gosdk.ServeStdio("calc", "1.0.0", nil, gosdk.WithTools(Add)); err != nil {
		log.Fatal(err)
	}
}
