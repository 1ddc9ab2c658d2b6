package mcpgo

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/adapter"
)

// A ByteReport lists the cost of tools in tools/list; see [Report].
type ByteReport = adapter.ByteReport

// A ToolBytes is the cost of one tool in tools/list.
type ToolBytes = adapter.ToolBytes

// Tokens estimates the tokens of n bytes of JSON: a quarter of them, rounded
// up. Models differ, so use it only to compare.
func Tokens(n int) int { return adapter.Tokens(n) }

// Report measures tools as [NewServer] would list them. It leaves out forbidden
// tools, which are not listed. The error joins a [contract.DeclarationError]
// for every nil tool and every tool that could not be served.
func Report(tools ...*contract.Tool) (ByteReport, error) { return adapter.Report(tools...) }
