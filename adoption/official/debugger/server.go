// Package debugger puts contracts on the tools of go-delve/mcp-dap-server,
// which come and go with a debugging session. That server is not on the module
// proxy, so one with the same tools and errors stands in for it.
package debugger

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// New returns the server for a program with these variables. Every call goes
// through g. The report lists what the contracts change for clients.
func New(g *guard.Guard, variables map[string]string) (*mcp.Server, *wrap.Report, error) {
	s := newUpstream(variables)
	report, err := gosdk.WrapAll(s, g, rules())
	return s, report, err
}

// rules declares the tools of a session before one is started. Anyone who may
// debug can run any program, so starting one asks a person.
func rules() wrap.Rules {
	r := wrap.Rules{
		Base: contract.Base{
			Version:     "1.0.0",
			Trust:       trust.Untrusted,
			Permissions: []string{"programs:debug"},
		},
		Tools: map[string]wrap.Rule{},
	}
	for _, name := range []string{"context", "info"} {
		r.Tools[name] = wrap.Rule{Base: contract.Base{Effect: risk.ReadOnly}, Later: true}
	}
	write := func(effect risk.Effect, description string, names ...string) {
		for _, name := range names {
			r.Tools[name] = wrap.Rule{
				Base: contract.Base{
					Effect:      effect,
					SideEffects: []contract.SideEffect{{Description: description, Reach: contract.Internal}},
				},
				Later: name != "debug",
			}
		}
	}
	write(risk.HighRiskWrite, "Starts a program, or attaches to one.", "debug")
	write(risk.LowRiskWrite, "Ends the session, or lets the program run on.", "stop", "continue", "step", "pause")
	write(risk.LowRiskWrite, "Changes where the program stops.", "breakpoint", "clear-breakpoints")
	write(risk.LowRiskWrite, "Runs an expression in the program.", "evaluate")
	return r
}
