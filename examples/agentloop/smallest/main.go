// Command smallest is the caller of the manual's page about agents: it makes
// one call, which a person approves.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
)

func main() {
	if err := call(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func call(ctx context.Context) error {
	server := client.New(client.Command{Path: "./notes"})
	host := agent.Host{Ask: func(_ context.Context, q agent.Question) (agent.Answer, error) {
		fmt.Println("approved:", q.Tool.Contract.Effect, string(q.Arguments)) // ask a person here
		return q.Approve(), nil
	}}
	a, err := agent.Connect(ctx, server, agent.Options{Host: host, AskFirst: true})
	if err != nil {
		return err
	}
	result, err := a.Call(ctx, "notes_delete", map[string]string{"id": "n1"})
	if err == nil {
		fmt.Println(string(result.Structured))
	}
	return errors.Join(err, a.Close())
}
