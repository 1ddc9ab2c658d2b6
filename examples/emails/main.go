// Command emails is an MCP server with the contracts of a mail system: people
// to look up, drafts, emails that leave the organisation, links to files, and a
// secret that no agent finds. Package mail beside it has the contracts.
//
//	go run ./examples/emails                        over stdio, as you
//	go run ./examples/emails -permissions contacts:read
//	go run ./examples/emails -http 127.0.0.1:8080   callers: Authorization: Bearer alice, bob
//	go run ./examples/emails -store redis://127.0.0.1:6379/0
//	go run ./examples/emails -audit audit.jsonl
//	go run ./examples/emails -verify-audit audit.jsonl
//	go run ./examples/emails -names underscore      for hosts that take no dot
//	go run ./examples/emails -approval              a person says yes on a page
//	go run ./examples/emails -step-up               campaigns need a fresh authentication
//
// A draft that a client repeats, with the same idempotency key or without one
// with the same email, is made once; and a link while it is valid. With -store
// that holds for all processes on one Redis, and after a restart.
// EMAILS_SEALING_KEY has the key under which the results are sealed there; it is
// the same in all processes.
//
// With -step-up, over HTTP, alice-mfa may send a campaign, who has just
// authenticated, and alice may not: the answer names what is missing.
//
// An email to the outside is confirmed by a person. With -approval that works
// for clients that can ask nobody too: the call answers with an address, the
// person decides there, and the same call again runs once. Over stdio the person
// is who opens the address that stands on stderr, and works once; over HTTP who
// signs in at /approvals with the token of a person: auditor. Tokens of agents,
// such as alice, do not decide, about their own calls either.
package main

import (
	"flag"
	"os"

	"github.com/toolcontract/toolcontract/examples/emails/mail"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
)

func main() { os.Exit(run()) }

func run() int {
	store, post := &sharedStore{}, new(mail.Post)
	return exampleserver.Server{
		Name: "emails", Version: "1.0.0", Approval: true, Tools: post.Tools, OpenBackend: store.open,
		Flags: func(set *flag.FlagSet) {
			store.flags(set)
			set.BoolVar(&post.StepUp, "step-up", false, "let only those send a campaign who have authenticated within five minutes")
		},
	}.Main(os.Args[1:], os.Stdout, os.Stderr)
}
