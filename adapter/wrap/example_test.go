package wrap_test

import (
	"fmt"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// Rules name no SDK. WrapAll of an adapter takes them.
func ExampleRules() {
	rules := wrap.Rules{
		Base: contract.Base{Version: "1.0.0", Permissions: []string{"orders:use"}},
		Tools: map[string]wrap.Rule{
			"cancel_order": {Base: contract.Base{Effect: risk.HighRiskWrite}, Declare: func(b *wrap.Builder) { b.ConfirmAlways() }},
			"ask_customer": {Options: []wrap.Option{wrap.WithRounds(2)}},
		},
	}
	fmt.Println(len(rules.Tools))
	// Output: 2
}

// A report is a text for a terminal.
func ExampleReport() {
	report := wrap.Report{Tools: []wrap.Tool{
		{Name: "cancel_order", Changes: []string{"a person is asked before every call"}},
		{Name: "find_order"},
	}}
	fmt.Print(report.String())
	// Output:
	// tool          effect  risk  trust  asks  contract
	// cancel_order                             none: left as it is
	// find_order                               none: left as it is
	//
	// What changes for clients:
	// - a person is asked before every call
	//   cancel_order
}
