// Command calculator is an MCP server whose tools come from a document of the
// MCP Tool Definition Specification, calculator.json: each capability in it is a
// tool, to which calculator.go binds a function.
//
//	go run ./examples/calculator                          over stdio, as you
//	go run ./examples/calculator -http 127.0.0.1:8080     callers: Authorization: Bearer alice
//	go run ./examples/calculator -audit audit.jsonl
//	go run ./examples/calculator -verify-audit audit.jsonl
//
// The document's security level is 1: over HTTP a call without a token is
// refused.
package main

import (
	"os"

	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
)

func main() { os.Exit(run()) }

func run() int {
	return exampleserver.Server{Name: "calculator", Version: "1.0.0", Tools: tools}.Main(os.Args[1:], os.Stdout, os.Stderr)
}
