package store_test

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// A call is made three times: while the first still runs, the second is told to wait; the third gets what
// the first recorded.
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
