// Command oauth is an MCP server that is an OAuth 2.1 resource server: callers
// come with a JWT access token (RFC 9068) that was made for it, whose scopes are
// their permissions, and a payout leaves only when its user has authenticated with
// a second factor within the last five minutes (RFC 9470).
//
//	go run ./examples/oauth                          over stdio, as you
//	go run ./examples/oauth -permissions account:read
//	go run ./examples/oauth -http 127.0.0.1:8080     callers: Authorization: Bearer TOKEN
//	go run ./examples/oauth -audit audit.jsonl
//	go run ./examples/oauth -verify-audit audit.jsonl
//
// README.md beside this file shows what each kind of token gets. Package
// accesstoken verifies tokens, package stepup is the page on which a person
// authenticates again, and package payouts has the contracts. Package devissuer
// stands in for an authorization server: it gives anybody on this machine any
// token, which is why this example listens on a loopback address alone.
//
// Over stdio there are no tokens (MCP 2026-07-28, authorization): the user who
// started the process is the principal. Nobody vouches for when they
// authenticated, so payouts.release answers step_up_required there.
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
	return exampleserver.Server{
		Name: name, Version: version, Tools: desk.Tools,
		Web: resourceServer{name: name, version: version, tools: desk.Tools, stderr: os.Stderr}.web,
	}.Main(os.Args[1:], os.Stdout, os.Stderr)
}
