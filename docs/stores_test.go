package docs_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"log"
	"os"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/store/redisstore"
)

// replica returns the guard of one replica, and a function that closes its
// store. Close the guard first.
func replica(ctx context.Context, url string,
	verify func(context.Context, string) (guard.Principal, error)) (*guard.Guard, func() error, error) {
	key, err := base64.StdEncoding.DecodeString(os.Getenv("SEALING_KEY")) // openssl rand -base64 32
	if err != nil {
		return nil, nil, fmt.Errorf("SEALING_KEY is not base64: %w", err)
	}
	records, err := redisstore.Open(url)
	if err != nil {
		return nil, nil, err
	}
	warnings, err := records.Check(ctx) // such as a policy that evicts records
	for _, w := range warnings {
		log.Print(w)
	}
	if err != nil {
		log.Printf("Redis does not answer yet: %v", err)
	}
	g, err := guard.New(
		guard.WithStore(records),
		guard.WithSealingKeys(key),
		guard.WithNamespace("mail-production"),
		guard.WithPrincipal(mcpgo.Bearer(verify)))
	return g, records.Close, err
}

// A key that is too short is refused when the server starts.
func Example_stores() {
	os.Setenv("SEALING_KEY", base64.StdEncoding.EncodeToString([]byte("short")))
	_, _, err := replica(canceled(), "redis://127.0.0.1:1", nil)
	fmt.Println(err != nil)
	// Output: true
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
