package contract_test

import (
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// Some models send numbers as text. The published schema stays strict, and the
// contract has the forms.
func ExampleBuilder_Lenient() {
	type ListIn struct {
		Page int      `json:"page,omitempty"`
		Tags []string `json:"tags,omitempty"`
	}
	list := func(context.Context, ListIn) (string, error) { return "", nil }
	tool := contract.New("notes.list", list).
		Description("Lists notes.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).
		Lenient(contract.NullAsAbsent, contract.TextAsNumber, contract.SingleAsList).
		MustBuild()
	for _, form := range tool.Document().Lenient {
		fmt.Println(form)
	}
	// Output:
	// null-as-absent
	// text-as-number
	// single-as-list
}
