// Command files is an MCP server that lists, reads and writes text files below
// one folder. Package folder has the contracts.
//
//	go run ./examples/files -root DIR                        over stdio, as you
//	go run ./examples/files -root DIR -permissions files:read
//	go run ./examples/files -root DIR -http 127.0.0.1:8080   callers: Authorization: Bearer alice
//	go run ./examples/files -root DIR -full                  every write fails as on a full disk
//	go run ./examples/files -root DIR -audit audit.jsonl
//	go run ./examples/files -verify-audit audit.jsonl
//
// Put the audit log outside DIR. Inside, callers that may write files could
// replace the log.
package main

import (
	"errors"
	"flag"
	"os"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/files/folder"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
)

func main() { os.Exit(run()) }

func run() int {
	var root string
	var full bool
	return exampleserver.Server{
		Name: "files", Version: "1.0.0",
		Flags: func(set *flag.FlagSet) {
			set.StringVar(&root, "root", "", "the root `DIR` of the tools; it must exist")
			set.BoolVar(&full, "full", false, "make every write fail as on a full disk")
		},
		Tools: func() ([]*contract.Tool, error) {
			if root == "" {
				return nil, errors.New("no root: name a folder with -root; the tools can use only that folder")
			}
			f, err := folder.Open(root, full) // stays open until the process ends
			if err != nil {
				return nil, err
			}
			return f.Tools()
		},
	}.Main(os.Args[1:], os.Stdout, os.Stderr)
}
