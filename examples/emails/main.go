// Command emails is an MCP server with the contracts of a mail system: people
// to look up, drafts, emails that leave the organisation, and a secret that no
// agent finds. Package mail beside it has the contracts.
//
//	go run ./examples/emails                        over stdio, as you
//	go run ./examples/emails -permissions contacts:read
//	go run ./examples/emails -http 127.0.0.1:8080   callers: Authorization: Bearer alice, bob
package main

import (
	"fmt"
	"os"

	"github.com/toolcontract/toolcontract/examples/emails/mail"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
)

func main() { os.Exit(run()) }

func run() int {
	tools, err := new(mail.Post).Tools()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return exampleserver.Server{Name: "emails", Version: "1.0.0", Tools: tools}.Main(os.Args[1:], os.Stderr)
}
