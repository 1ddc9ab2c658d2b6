// Command emails is examples/emails on the official Go SDK: the same tools and
// the same flags. Only the field SDK differs. In examples/gosdk:
//
//	go run ./emails                        over stdio, as you
//	go run ./emails -http 127.0.0.1:8080   callers: Authorization: Bearer alice, bob
//
// The comment of examples/emails describes the tools and the other flags.
package main

import (
	"flag"
	"os"

	"github.com/toolcontract/toolcontract/examples/emails/mail"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/examples/internal/examplestore"
	"github.com/toolcontract/toolcontract/gosdk"
)

// sealingKey is the environment variable with the key that seals results.
const sealingKey = "EMAILS_SEALING_KEY"

func main() { os.Exit(run()) }

func run() int {
	store, post := &examplestore.Store{Name: "emails", KeyEnv: sealingKey}, new(mail.Post)
	return exampleserver.Server{
		Name: "emails", Version: "1.0.0", SDK: gosdk.SDK{}, Approval: true, Tools: post.Tools, OpenBackend: store.Open,
		Flags: func(set *flag.FlagSet) {
			store.Flags(set)
			set.BoolVar(&post.StepUp, "step-up", false, "require an authentication within the last five minutes to send a campaign")
		},
	}.Main(os.Args[1:], os.Stdout, os.Stderr)
}
