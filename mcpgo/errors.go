package mcpgo

import (
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
)

func errNilServer() error {
	return &contract.DeclarationError{Rule: "serve.server", Message: "the server is nil",
		Remedy: "make one with server.NewMCPServer, or use mcpgo.NewServer"}
}

func errNoContracts() error {
	return &contract.DeclarationError{
		Rule: "serve.server", Message: "the server has no contracts",
		Remedy: "call mcpgo.Register or mcpgo.WrapAll first",
	}
}

func errNilOption() error {
	return &contract.DeclarationError{Rule: "serve.option", Where: "options", Message: "an option is nil", Remedy: "remove it"}
}

func errTaken(name, tool, remedy string) error {
	return &contract.DeclarationError{
		Rule: "serve.taken", Tool: tool, Where: "name",
		Message: "the name " + name + " is taken, in a session or by a contract of the server", Remedy: remedy,
	}
}

func runsAsTask(t mcp.Tool) bool {
	return t.Execution != nil && t.Execution.TaskSupport != "" && t.Execution.TaskSupport != mcp.TaskSupportForbidden
}

func errTask(name string) *contract.DeclarationError {
	return &contract.DeclarationError{
		Rule: "serve.task", Tool: name, Where: "execution", Message: "the contract of a tool that runs as a task cannot be enforced",
		Remedy: "remove its task support",
	}
}

// recoverRejection turns a panic of mcp-go, or of one of its options, into an
// error.
func recoverRejection(err *error, clause, remedy string) {
	if v := recover(); v != nil {
		*err = &contract.DeclarationError{
			Rule: "serve.rejected", Where: clause,
			Message: fmt.Sprintf("mcp-go, or one of its options, panicked: %v", v), Remedy: remedy,
		}
	}
}
