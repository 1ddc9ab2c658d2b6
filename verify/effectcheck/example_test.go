package effectcheck_test

import (
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/verify/effectcheck"
)

// One test covers the whole server. It fails for every tool whose source can do
// what the contract rules out, and for every tool that starts to reach more.
func Example() {
	var tools []*contract.Tool // all tools of the server

	_ = func(t *testing.T) {
		report, err := effectcheck.Analyze(tools)
		if err != nil {
			t.Fatal(err)
		}
		report.Allow("NETWORK/POST", "The search of the index is a POST.", "mail.search").Assert(t)

		built, err := compat.NewSnapshot(tools...)
		if err != nil {
			t.Fatal(err)
		}
		built.Capabilities = report.Capabilities()
		contracttest.GoldenSnapshot(t, "testdata/contracts.json", built)
	}
}

func ExampleWithFunction() {
	var tools []*contract.Tool

	_ = func(t *testing.T) {
		report, err := effectcheck.Analyze(tools,
			effectcheck.WithFunction("(*github.com/shurcooL/githubv4.Client).Query", "NETWORK/READ"),
			effectcheck.WithFunction("(*github.com/shurcooL/githubv4.Client).Mutate", "NETWORK/WRITE"),
			effectcheck.WithPackages("../cmd/server"))
		if err != nil {
			t.Fatal(err)
		}
		report.Assert(t)
	}
}
