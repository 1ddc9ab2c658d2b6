// Command calculator is an MCP server whose tools come from calculator.json, a
// document of the MCP Tool Definition Specification. Each capability in the
// document is a tool; calculator.go binds a function to it.
//
//	go run ./examples/calculator                          over stdio, as you
//	go run ./examples/calculator -http 127.0.0.1:8080     callers: Authorization: Bearer alice
//	go run ./examples/calculator -audit audit.jsonl
//	go run ./examples/calculator -verify-audit audit.jsonl
//
// The security level of the document is 1, so that calls over HTTP need a
// token.
package main

import (
	"os"

	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
)

func main() { os.Exit(run()) }

func run() int {
	return exampleserver.Server{Name: "calculator", Version: "1.0.0", Tools: tools}.Main(os.Args[1:], os.Stdout, os.Stderr)
}
