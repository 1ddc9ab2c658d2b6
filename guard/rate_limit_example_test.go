package guard_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store"
)

// Guards of one process share a limiter, and with it the limits of their tools.
func ExampleWithLimiter() {
	limiter, err := store.NewMemoryLimiter(store.WithMaxEntries(10_000)) // a few megabytes at most
	if err != nil {
		log.Fatal(err)
	}
	add := noteTool("notes.add").RateLimit(2, 24*time.Hour).MustBuild()
	for _, server := range []string{"stdio", "http"} {
		g, err := guard.New(asAnna(), quiet(), guard.WithLimiter(limiter))
		if err != nil {
			log.Fatal(err)
		}
		tools, err := g.Protect(add)
		if err != nil {
			log.Fatal(err)
		}
		for range 2 {
			r := call(tools, "notes.add", `{"text":"buy milk"}`)
			wait := time.Duration(r.Outcome.RetryAfterMs) * time.Millisecond
			fmt.Println(server, r.Outcome.Status, r.Outcome.Code, wait.Round(time.Hour))
			if server == "http" {
				break
			}
		}
		if err := g.Close(context.Background()); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// stdio ok  0s
	// stdio ok  0s
	// http error rate_limit_exceeded 12h0m0s
}
