package failurecheck_test

import (
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/verify/failurecheck"
)

// One test covers the whole server. It fails for every tool whose handler can
// return what the tool does not declare, or that declares what its handler
// never returns.
func ExampleCheck() {
	var tools []*contract.Tool // all tools of the server

	_ = func(t *testing.T) {
		failurecheck.Check(t, tools...)
	}
	// Output:
}
