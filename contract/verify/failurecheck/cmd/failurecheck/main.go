// Command failurecheck compares the errors that handlers of tools can return
// with the failures that the tools declare.
//
//	go vet -vettool=$(which failurecheck) ./...
//
// Package failurecheck describes what it finds.
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/toolcontract/toolcontract/contract/verify/failurecheck"
)

func main() { unitchecker.Main(failurecheck.Analyzer) }
