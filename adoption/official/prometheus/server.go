// Package prometheus puts contracts on the tools of
// tjhop/prometheus-mcp-server, whose error results pass on what Prometheus says
// about a query. That server is not on the module proxy, so one with the same
// tools and errors stands in for it.
package prometheus

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// New returns the server for one Prometheus. Every call goes through g. The
// report lists what the contracts change for clients.
func New(g *guard.Guard, api API) (*mcp.Server, *wrap.Report, error) {
	s := newUpstream(api)
	report, err := gosdk.WrapAll(s, g, rules(), gosdk.WithClosedWorld())
	return s, report, err
}

// rules declares the tools that change Prometheus. Reads need no rules, because
// the server marks each of them with readOnlyHint.
func rules() wrap.Rules {
	administer := func(effect risk.Effect, description string) wrap.Rule {
		return wrap.Rule{Base: contract.Base{
			Effect:      effect,
			Permissions: []string{"metrics:admin"},
			SideEffects: []contract.SideEffect{{Description: description, Reach: contract.Internal}},
		}}
	}
	return wrap.Rules{
		Base: contract.Base{
			Version:     "1.0.0",
			Trust:       trust.Untrusted,
			Permissions: []string{"metrics:read"},
		},
		Tools: map[string]wrap.Rule{
			"clean_tombstones": administer(risk.Destructive, "Frees the space of deleted series."),
			"delete_series":    administer(risk.Destructive, "Deletes series in a time range."),
			"quit":             administer(risk.Destructive, "Shuts Prometheus down."),
			"reload":           administer(risk.HighRiskWrite, "Loads configuration and rules again."),
			"snapshot":         administer(risk.LowRiskWrite, "Writes a snapshot into the data directory."),
		},
	}
}
