// Command oauth is an MCP server that is an OAuth 2.1 resource server. Callers
// present a JWT access token (RFC 9068) for this server; its scopes are their
// permissions. Releasing a payout needs an authentication with a second factor
// within the last five minutes (RFC 9470).
//
//	go run ./examples/oauth                          over stdio, as you
//	go run ./examples/oauth -permissions account:read
//	go run ./examples/oauth -http 127.0.0.1:8080     callers: Authorization: Bearer TOKEN
//	go run ./examples/oauth -sdk official            on the official SDK
//	go run ./examples/oauth -audit audit.jsonl
//	go run ./examples/oauth -verify-audit audit.jsonl
//
// README.md shows the answer to each kind of token. Package oauth verifies
// tokens and challenges requests without one. Package pages serves the page on
// which people confirm a call and their sign-in, with codes that the server
// prints. In this folder, package payouts has the contracts, and package
// devissuer stands in for an authorization server. It gives anyone on this
// machine any token, so this example listens only on loopback addresses.
//
// Over stdio there are no tokens (MCP 2026-07-28, authorization), and the user
// who started the process is the principal. The time of that user's
// authentication is unknown, so payouts.release answers step_up_required.
package main

import (
	"os"

	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/examples/oauth/payouts"
)

func main() { os.Exit(run()) }

func run() int {
	const name, version = "payouts", "1.0.0"
	desk := payouts.NewDesk()
	sdk := new(exampleserver.SDK)
	return exampleserver.Server{
		Name: name, Version: version, Tools: desk.Tools, SDK: sdk,
		Web: resourceServer{name: name, version: version, tools: desk.Tools, sdk: sdk, stderr: os.Stderr}.web,
	}.Main(os.Args[1:], os.Stdout, os.Stderr)
}
