package main

import (
	"context"
	_ "embed"
	"errors"
	"math"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

//go:embed calculator.json
var document []byte

// ErrTooLarge is returned instead of an infinite result.
var ErrTooLarge = contract.Retryable("result_too_large", "The result is larger than a number can be.")

type terms struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type answer struct {
	Result float64 `json:"result"`
}

func add(_ context.Context, in terms) (answer, error) { return finite(in.A + in.B) }

func subtract(_ context.Context, in terms) (answer, error) { return finite(in.A - in.B) }

func finite(result float64) (answer, error) {
	if math.IsInf(result, 0) {
		return answer{}, ErrTooLarge
	}
	return answer{result}, nil
}

// tools binds a handler to each capability of the document. It adds the clauses
// that a document cannot hold: what the tools change, and how far to trust
// them.
func tools() ([]*contract.Tool, error) {
	calculator, err := definition.Parse(document)
	if err != nil {
		return nil, err
	}
	base := contract.Base{Effect: risk.ReadOnly, Trust: trust.Trusted, Failures: []*contract.Failure{ErrTooLarge}}
	sum, err := contract.Bind(calculator, "add", add).From(base).Build()
	difference, more := contract.Bind(calculator, "subtract", subtract).From(base).Build()
	return []*contract.Tool{sum, difference}, errors.Join(err, more)
}
