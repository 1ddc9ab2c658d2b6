// Command emails is examples/emails with telemetry: the same tools and flags,
// and one more flag:
//
//	go run ./examples/otel/emails -otlp http://127.0.0.1:4318 -http 127.0.0.1:8080
//
// With -otlp, it sends a span of each call, and metrics, to the OpenTelemetry
// collector at this address (OTLP over HTTP). dashboard.json shows them in
// Grafana. The comment of examples/emails describes the tools and the other
// flags.
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

func main() { os.Exit(run()) }

func run() int {
	store, post, telemetry := &examplestore.Store{Name: "emails", KeyEnv: sealingKey}, new(mail.Post), new(telemetry)
	return exampleserver.Server{
		Name: "emails", Version: "1.0.0", Approval: true, Tools: post.Tools,
		OpenBackend: func() (exampleserver.Backend, error) { return telemetry.open(store.Open) },
		Flags: func(set *flag.FlagSet) {
			store.Flags(set)
			telemetry.flags(set)
			set.BoolVar(&post.StepUp, "step-up", false, "require an authentication within the last five minutes to send a campaign")
		},
	}.Main(os.Args[1:], os.Stdout, os.Stderr)
}
