package guard_test

import (
	"context"
	"fmt"
	"log"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

// The agent can add two notes on its own. From the third on, a person must
// agree.
func ExampleWithSessionBound() {
	add := noteTool("notes.add").MustBuild()
	g, err := guard.New(asAnna(), quiet(), guard.WithSessionBound(risk.Chain{Irreversible: 3}))
	if err != nil {
		log.Fatal(err)
	}
	tools, err := g.Protect(add)
	if err != nil {
		log.Fatal(err)
	}
	for range 3 {
		effective, err := g.Effective(context.Background(), add, []byte(`{"text":"buy milk"}`))
		if err != nil {
			log.Fatal(err)
		}
		r := call(tools, "notes.add", `{"text":"buy milk"}`)
		fmt.Println(effective.Confirmation, r.Outcome.Status)
	}
	if err := g.Close(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// never ok
	// never ok
	// always error
}
