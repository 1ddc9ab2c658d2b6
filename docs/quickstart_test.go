package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type noteInput struct {
	ID string `json:"id"`
}

func deleteNote(context.Context, noteInput) (struct{}, error) { return struct{}{}, nil }

func Example_quickStart() {
	remove := contract.New("notes.delete", deleteNote).
		Description("Deletes a note for good.").Version("1.0.0").
		Effect(risk.Destructive). // critical, so a person is always asked
		Trust(trust.Trusted).Permissions("notes:delete").
		MustBuild()

	request := guard.Request{Tool: "notes.delete", Arguments: json.RawMessage(`{"id":"n1"}`), Ask: person}
	result, err := callerOf(remove, anna("notes:delete")).tools.Call(context.Background(), request)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("outcome:", result.Outcome.Status)
	// Output:
	// Allow notes.delete to run?
	// Deletes a note for good.
	// Risk critical, effect destructive, on behalf of "anna".
	// Its changes are not declared: expect effects outside this system that cannot be undone.
	// Arguments:
	//   "id": "n1"
	// outcome: ok
}

// person stands in for the form of a client. The person approves every call.
func person(_ context.Context, q guard.Question) (json.RawMessage, error) {
	fmt.Println(strings.ReplaceAll(strings.TrimSpace(q.Message), "\n\n", "\n"))
	return json.RawMessage(`{"action":"accept","content":{"confirm":true}}`), nil
}
