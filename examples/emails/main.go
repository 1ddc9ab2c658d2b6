// Command emails is an MCP server for a mail system: contacts, drafts, emails
// that leave the organisation, links to files, and a secret that agents cannot
// find. Package mail has the contracts.
//
//	go run ./examples/emails                        over stdio, as you
//	go run ./examples/emails -permissions contacts:read
//	go run ./examples/emails -http 127.0.0.1:8080   callers: Authorization: Bearer alice, bob
//	go run ./examples/emails -store redis://127.0.0.1:6379/0
//	go run ./examples/emails -state state.db
//	go run ./examples/emails -audit audit.jsonl
//	go run ./examples/emails -verify-audit audit.jsonl
//	go run ./examples/emails -names dotted          for hosts that take dots
//	go run ./examples/emails -approval              a person confirms on a page
//	go run ./examples/emails -step-up               campaigns need a recent authentication
//	go run ./examples/emails -sdk official          on the official SDK, instead of mcp-go
//
// # Repeated calls
//
// Two calls that create a draft create one draft if they have the same
// idempotency key, or no key and the same email. A download link is returned
// again while it is valid. With -state this holds for all processes with the
// file, and after a restart; with -store, for all that share the Redis. Results
// in the store are sealed under EMAILS_SEALING_KEY, which must be the same in
// all processes.
//
// Every answer of such a call has an operationId. The tool operations_get takes
// it and tells what became of the call, also after the server was killed.
//
// # Step-up
//
// With -step-up, sending a campaign needs a recent authentication. Over HTTP
// alice-mfa has one and alice has not. The answer to alice names what is
// missing.
//
// # The page of the contracts
//
// Over HTTP, people read at /contracts what the tools declare, and programs at
// /contracts.json. Each visitor sees the tools of its own list. Someone who
// signs in with the token auditor sees all tools, also the forbidden one.
//
// # Approval
//
// A person must confirm every email to the outside. With -approval this also
// works for clients that cannot ask a person. The call answers with an address
// where the person decides. When the person has approved, the repeated call
// runs, once.
//
// Over stdio the browser opens if this machine has a display, unless -browser
// is false; the server also prints the address to stderr. Over HTTP the person
// signs in at /approvals with the token of a person: auditor. Agents such as
// alice cannot decide, not even about their own calls.
package main

import (
	"flag"
	"os"

	"github.com/toolcontract/toolcontract/examples/emails/mail"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/examples/internal/examplestore"
)

// sealingKey is the environment variable with the key that seals results.
const sealingKey = "EMAILS_SEALING_KEY"

func main() { os.Exit(server().Main(os.Args[1:], os.Stdout, os.Stderr)) }

func server() exampleserver.Server {
	store, post := &examplestore.Store{Name: "emails", KeyEnv: sealingKey}, new(mail.Post)
	return exampleserver.Server{
		Name: "emails", Version: "1.0.0", Approval: true, Contracts: true, Tools: post.Tools, OpenBackend: store.Open,
		Flags: func(set *flag.FlagSet) {
			store.Flags(set)
			set.BoolVar(&post.StepUp, "step-up", false, "require an authentication within the last five minutes to send a campaign")
		},
	}
}
