package guard_test

import (
	"context"
	"fmt"
	"log"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type dropInput struct {
	Forever bool `json:"forever,omitempty"`
}

func ExampleGuard_Effective() {
	drop := contract.New("notes.drop", func(context.Context, dropInput) (noteOutput, error) { return noteOutput{ID: 1}, nil }).
		Description("Drops the notes.").Version("1.0.0").
		Effect(risk.Destructive).Trust(trust.Trusted).Permissions("notes:write").
		Resolve(contract.Least{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever},
			func(in dropInput) contract.Resolution {
				if in.Forever {
					return contract.Resolution{} // as declared
				}
				return contract.Resolution{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever}
			}).MustBuild()
	g, err := guard.New(asAnna(), quiet())
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close(context.Background())
	for _, arguments := range []string{`{}`, `{"forever":true}`, `{"forever":1}`} {
		d, err := g.Effective(context.Background(), drop, []byte(arguments))
		if err != nil {
			fmt.Println(arguments, err)
			continue
		}
		fmt.Println(arguments, d.Risk, d.Effect, d.Confirmation)
	}
	// Output:
	// {} medium low-risk-write never
	// {"forever":true} critical destructive always
	// {"forever":1} guard: the arguments do not fit the input schema
}
