// Command deployed is the server of the manual's page about deployments: one
// tool over HTTP, for replicas behind a proxy that share a Redis and keys.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/oauth"
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
		Timeout(15 * time.Second).
		Build()
	return []*contract.Tool{tool}, err
}

// sealingKeys reads the keys of all replicas, the newest first.
func sealingKeys(file string) ([][]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var keys [][]byte
	for line := range bytes.FieldsSeq(text) {
		key, err := base64.StdEncoding.AppendDecode(nil, line)
		if err != nil {
			return nil, errors.New("SEALING_KEYS_FILE has a line that is not base64; write one key to a line")
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("SEALING_KEYS_FILE has no key; write one to a line")
	}
	return keys, nil
}

// open returns what all replicas share.
func open() (program.Backend, error) {
	keys, err := sealingKeys(os.Getenv("SEALING_KEYS_FILE"))
	if err != nil {
		return program.Backend{}, err
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
		Options: []guard.Option{
			guard.WithStore(records), guard.WithSealingKeys(keys[0], keys[1:]...), guard.WithNamespace("payments"),
			guard.WithTimes(guard.Times{Drain: 20 * time.Second}), // longer than a call
		},
		Warnings: warnings,
		Close:    records.Close,
	}, nil
}

func main() { os.Exit(run()) }

func run() int {
	keys, err := oauth.NewKeySet(os.Getenv("ISSUER_KEYS"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "payments: ISSUER_KEYS:", err)
		return 2
	}
	return program.Server{
		Name: "payments", Version: "1.0.0", Tools: tools, OpenBackend: open, Public: true,
		Tokens: &oauth.VerifierConfig{Issuer: os.Getenv("ISSUER"), Keys: keys.Key},
	}.Main(os.Args[1:], os.Stdout, os.Stderr)
}
