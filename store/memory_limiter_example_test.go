package store_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

func ExampleNewMemoryLimiter() {
	limiter, err := store.NewMemoryLimiter()
	if err != nil {
		log.Fatal(err)
	}
	anna := store.Bucket{Name: "anna at mail.send", Calls: 2, Per: 24 * time.Hour}
	all := store.Bucket{Name: "all at mail.send", Calls: 1000, Per: time.Hour}
	for range 3 {
		wait, err := limiter.Take(context.Background(), anna, all)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("wait", wait.Round(time.Hour))
	}
	// Output:
	// wait 0s
	// wait 0s
	// wait 12h0m0s
}
