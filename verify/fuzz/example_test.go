package fuzz_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/fuzz"
)

// readShelf is a tool of the examples.
func readShelf() *contract.Tool {
	return contract.New("shelf.read", func(_ context.Context, in shelfInput) (shelfOutput, error) { return near(in) }).
		Description("Reads a book.").Version("1.0.0").Trust(trust.Trusted).Effect(risk.ReadOnly).Permissions("shelf:read").MustBuild()
}

// The function is the body of FuzzShelf(f *testing.F). It runs in every go
// test, and for longer with go test -fuzz=FuzzShelf.
func ExampleTools() {
	run := func(f *testing.F) {
		fuzz.Tools(f, []*contract.Tool{readShelf()}, verify.Case{Input: shelfInput{Place: 3}})
	}
	fmt.Printf("%T\n", run)
	// Output: func(*testing.F)
}
