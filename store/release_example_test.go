package store_test

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// An execution that fails before its effect releases its record, so that the
// same call can be made again.
func ExampleRelease() {
	ctx := context.Background()
	memory, err := store.NewMemory()
	if err != nil {
		fmt.Println(err)
		return
	}
	key := store.Scope{Namespace: "mail", Principal: "bob", Tool: "emails.send"}.Key("draft 7")
	for range 2 {
		claim := store.Claim{
			Key: key, Owner: store.NewOwner(), Fingerprint: store.Fingerprint([]byte(`{}`)),
			Lease: time.Minute, Retention: time.Hour, Start: true,
		}
		answer, err := memory.Claim(ctx, claim)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(answer.Status, memory.Release(ctx, store.Release{Key: key, Owner: claim.Owner}))
	}
	// Output:
	// claimed <nil>
	// claimed <nil>
}
