package idempotency_test

import (
	"fmt"

	"github.com/toolcontract/toolcontract/idempotency"
)

// A server reads from its configuration what a tool does about an unknown
// outcome.
func ExampleOnUnknown() {
	var v idempotency.OnUnknown
	if err := v.UnmarshalText([]byte("rerun")); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v == idempotency.Rerun)
	// Output: true
}
