package store_test

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// A client makes the same call three times. The second call finds the first one
// running. The third call gets the result that the first one recorded.
func ExampleMemory() {
	ctx := context.Background()
	memory, err := store.NewMemory(store.WithMaxEntries(10_000), store.WithMaxBytes(8<<20))
	if err != nil {
		fmt.Println(err)
		return
	}
	scope := store.Scope{Namespace: "mail", Principal: "bob", Tool: "emails.create_draft"}
	call := func() (store.Claim, store.ClaimResult) {
		c := store.Claim{
			Key:         scope.Key("draft 7"),
			Owner:       store.NewOwner(),
			Fingerprint: store.Fingerprint([]byte(`{"subject":"Hello"}`)),
			Lease:       time.Minute, Retention: 24 * time.Hour,
			Start: true,
		}
		answer, err := memory.Claim(ctx, c)
		if err != nil {
			fmt.Println(err)
		}
		return c, answer
	}

	first, answer := call()
	fmt.Println("first:", answer.Status)
	_, answer = call()
	fmt.Println("second:", answer.Status)
	err = memory.Complete(ctx, store.Completion{
		Key: first.Key, Owner: first.Owner, State: store.Completed,
		Result: []byte(`{"draftId":"d1"}`), Retention: 24 * time.Hour,
	})
	if err != nil {
		fmt.Println(err)
	}
	_, answer = call()
	fmt.Printf("third: %v %v %s\n", answer.Status, answer.State, answer.Result)
	// Output:
	// first: claimed
	// second: running
	// third: finished completed {"draftId":"d1"}
}

// A test can inject the clock, so that time passes at once.
func ExampleWithClock() {
	now := time.Date(2026, time.November, 22, 3, 0, 0, 0, time.UTC)
	memory, err := store.NewMemory(store.WithClock(func() time.Time { return now }))
	if err != nil {
		fmt.Println(err)
		return
	}
	nonce := store.Nonce{Key: store.Scope{Principal: "bob"}.Key("token 7"), TTL: time.Hour}
	spend := func() {
		first, err := memory.Spend(context.Background(), nonce, store.NewOwner())
		fmt.Println(first, err)
	}
	spend()
	spend()
	now = now.Add(time.Hour)
	spend()
	// Output:
	// true <nil>
	// false <nil>
	// true <nil>
}
