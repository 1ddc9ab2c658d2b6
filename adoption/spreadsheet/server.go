// Package spreadsheet puts contracts on the tools of negokaz/excel-mcp-server,
// which edits workbooks and whose error results say what was wrong with a call.
// That server is not on the module proxy, so one with the same tools, arguments
// and errors stands in for it.
package spreadsheet

import (
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// New returns the server for the workbooks. Every call goes through g. The report
// lists what the contracts change for clients.
func New(g *guard.Guard, books *Workbooks) (*server.MCPServer, *wrap.Report, error) {
	s := newUpstream(books)
	report, err := mcpgo.WrapAll(s, g, rules(), mcpgo.WithClosedWorld())
	return s, report, err
}

func rules() wrap.Rules {
	read := wrap.Rule{Base: contract.Base{Effect: risk.ReadOnly, Permissions: []string{"sheets:read"}}}
	write := func(effect risk.Effect, description string) wrap.Rule {
		return wrap.Rule{Base: contract.Base{
			Effect:      effect,
			Permissions: []string{"sheets:write"},
			SideEffects: []contract.SideEffect{{Description: description, Reach: contract.Internal}},
			Idempotency: contract.Idempotency{Mode: idempotency.Keyed},
		}}
	}
	return wrap.Rules{
		Base: contract.Base{Version: "1.0.0", Trust: trust.Untrusted},
		Tools: map[string]wrap.Rule{
			"excel_describe_sheets": read,
			"excel_read_sheet":      read,
			"excel_write_to_sheet":  write(risk.HighRiskWrite, "Replaces cells of a workbook, or adds a sheet."),
			"excel_create_table":    write(risk.LowRiskWrite, "Adds a table to a sheet."),
			"excel_copy_sheet":      write(risk.LowRiskWrite, "Adds a sheet to a workbook."),
			"excel_format_range":    write(risk.LowRiskWrite, "Changes how cells look."),
		},
	}
}
