// Command emails is an MCP server with the contracts of a mail system: people
// to look up, drafts, emails that leave the organisation, and a secret that no
// agent finds. Package mail beside it has the contracts.
//
//	go run ./examples/emails                        over stdio, as you
//	go run ./examples/emails -permissions contacts:read
//	go run ./examples/emails -http 127.0.0.1:8080   callers: Authorization: Bearer alice, bob
//	go run ./examples/emails -audit audit.jsonl
//	go run ./examples/emails -verify-audit audit.jsonl
//	go run ./examples/emails -names underscore      for hosts that take no dot
package main

import (
	"os"

	"github.com/toolcontract/toolcontract/examples/emails/mail"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
)

func main() { os.Exit(run()) }

func run() int {
	return exampleserver.Server{Name: "emails", Version: "1.0.0", Tools: new(mail.Post).Tools}.Main(os.Args[1:], os.Stdout, os.Stderr)
}
