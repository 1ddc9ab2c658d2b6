// Command smallest is the server of the manual's page about stores: one tool,
// whose records any number of processes share in a Redis.
package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/program"
	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/trust"
)

type payment struct {
	To     string `json:"to"`
	Amount int    `json:"amount"`
}

// pay stands in for your code.
func pay(_ context.Context, in payment) (payment, error) { return in, nil }

func tools() ([]*contract.Tool, error) {
	tool, err := contract.New("payments.send", pay).
		Description("Sends money.").
		Version("1.0.0").
		Effect(risk.HighRiskWrite).
		Trust(trust.Trusted).
		Permissions("payments:send").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed}). // so equal calls are one payment
		Build()
	return []*contract.Tool{tool}, err
}

// open returns the store that all replicas share.
func open() (program.Backend, error) {
	key, err := base64.StdEncoding.DecodeString(os.Getenv("SEALING_KEY"))
	if err != nil {
		return program.Backend{}, fmt.Errorf("SEALING_KEY is not base64: %w", err)
	}
	records, err := redisstore.Open(os.Getenv("REDIS_URL"))
	if err != nil {
		return program.Backend{}, err
	}
	warnings, err := records.Check(context.Background()) // such as a policy that evicts records
	if err != nil {
		warnings = append(warnings, fmt.Sprintf("Redis does not answer yet: %v", err))
	}
	return program.Backend{
		Options:  []guard.Option{guard.WithStore(records), guard.WithSealingKeys(key), guard.WithNamespace("payments")},
		Warnings: warnings,
		Close:    records.Close,
	}, nil
}

func main() {
	os.Exit(program.Server{Name: "payments", Version: "1.0.0", Tools: tools, OpenBackend: open}.
		Main(os.Args[1:], os.Stdout, os.Stderr))
}
