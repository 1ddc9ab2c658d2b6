// Package filesystem puts contracts on the tools of
// github.com/mark3labs/mcp-filesystem-server, which reads and writes files.
package filesystem

import (
	"github.com/mark3labs/mcp-filesystem-server/filesystemserver"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// New returns the server for files in the given directories. Every call goes
// through g. The report lists what the contracts change for clients.
func New(g *guard.Guard, directories ...string) (*server.MCPServer, *wrap.Report, error) {
	s, err := filesystemserver.NewFilesystemServer(directories)
	if err != nil {
		return nil, nil, err
	}
	report, err := mcpgo.WrapAll(s, g, rules(), mcpgo.WithClosedWorld())
	return s, report, err
}

var (
	creates    = contract.SideEffect{Description: "Creates files or folders.", Reach: contract.Internal, Undo: contract.Reversible}
	overwrites = contract.SideEffect{Description: "Replaces the content of files.", Reach: contract.Internal}
	deletes    = contract.SideEffect{Description: "Deletes files or folders.", Reach: contract.Internal}
)

// The server declares no hints of its own, so each tool has a rule.
func rules() wrap.Rules {
	write := func(effect risk.Effect, permission string, effects ...contract.SideEffect) wrap.Rule {
		return wrap.Rule{Base: contract.Base{
			Effect:      effect,
			Permissions: []string{permission},
			SideEffects: effects,
			Idempotency: contract.Idempotency{Mode: idempotency.Keyed},
		}}
	}
	read := wrap.Rule{Base: contract.Base{Effect: risk.ReadOnly, Permissions: []string{"files:read"}}}
	create := write(risk.LowRiskWrite, "files:write", creates)
	overwrite := write(risk.HighRiskWrite, "files:write", creates, overwrites)
	remove := write(risk.Destructive, "files:delete", deletes)
	return wrap.Rules{
		Base: contract.Base{Version: "1.0.0", Trust: trust.Untrusted, OtherErrors: contract.ClassFatal},
		Tools: map[string]wrap.Rule{
			"read_file": read, "read_multiple_files": read, "get_file_info": read, "tree": read, "list_directory": read,
			"list_allowed_directories": read, "search_files": read, "search_within_files": read,
			"create_directory": create, "copy_file": overwrite, "move_file": overwrite, "modify_file": overwrite, "write_file": overwrite,
			"delete_file": remove,
		},
	}
}
