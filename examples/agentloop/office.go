package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/agentloop/loop"
	"github.com/toolcontract/toolcontract/examples/files/folder"
	"github.com/toolcontract/toolcontract/examples/invoices/billing"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
)

// An office has the two servers and the colleague who approves. They stay when
// the agent restarts.
type office struct {
	servers   []http.Handler // of streamable HTTP
	colleague colleague
	log       audit.Recorder // a real server writes a file
	closers   []func() error
}

// policy allows the agent everything up to high risk, in three domains.
// Contracts decide when a person is asked. From the fifth irreversible call on,
// a person is asked about every change.
func policy() agent.Policy {
	return agent.Policy{
		AcceptContracts: true, MaxRisk: risk.High,
		Domains: []string{"files", "invoices", "customers"},
		AskFrom: risk.Chain{Irreversible: 5},
	}
}

// open starts the servers. With earlier, it writes an earlier summary into the
// folder.
func open(root string, full, earlier bool) (*office, error) {
	o := &office{}
	var err error
	if earlier {
		err = writeSummary(filepath.Join(root, "notes"))
	}
	err = errors.Join(err, o.openFiles(root, full), o.openInvoices())
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

func writeSummary(notes string) error {
	if err := os.MkdirAll(notes, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(notes, "summary.txt"), []byte("An earlier summary."), 0o600)
}

func (o *office) openFiles(root string, full bool) error {
	f, err := folder.Open(root, full)
	if err != nil {
		return err
	}
	tools, err := f.Tools()
	if err != nil {
		return err
	}
	return o.serve("files", tools)
}

func (o *office) openInvoices() error {
	desk := new(billing.Desk)
	backend, err := desk.Open("")
	if err != nil {
		return err
	}
	o.closers = append(o.closers, backend.Close)
	tools, err := desk.Tools()
	if err != nil {
		return err
	}
	// The colleague decides about calls at high, even if the client could ask.
	return o.serve("invoices", tools, append(backend.Options, guard.WithPeople(guard.PeopleOptions{
		Approver: &o.colleague, ApproverFrom: risk.High, Deciders: []guard.Decider{guard.FourEyes},
	}))...)
}

// quiet discards the log of the guards, so that the transcript stands alone.
var quiet = guard.WithLogger(slog.New(slog.DiscardHandler))

// serve starts one server, whose caller is alice.
func (o *office) serve(name string, tools []*contract.Tool, opts ...guard.Option) error {
	alice := guard.Principal{Issuer: "agentloop", Subject: "alice", Permissions: contract.PermissionsOf(tools...)}
	g, err := guard.New(append(opts,
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return alice, nil })),
		guard.WithAudit(&o.log), quiet)...)
	if err != nil {
		return err
	}
	o.closers = append(o.closers, func() error { return g.Close(context.Background()) })
	served, err := mcpgo.NewHandler(name, "1.0.0", g, mcpgo.WithTools(tools...), mcpgo.WithTier(contract.TierFull))
	o.servers = append(o.servers, served)
	return err
}

// connect connects an agent to each server.
func (o *office) connect(ctx context.Context, host agent.Host) ([]*agent.Agent, error) {
	var agents []*agent.Agent
	for _, s := range o.servers {
		a, err := agent.Connect(ctx, client.New(client.InProcess(s)), agent.Options{Host: host})
		if err != nil {
			disconnect(agents)
			return nil, err
		}
		agents = append(agents, a)
	}
	return agents, nil
}

func disconnect(agents []*agent.Agent) {
	for _, a := range agents {
		_ = a.Close()
	}
}

// callers returns the agents as callers of a run.
func callers(agents []*agent.Agent) []loop.Caller {
	list := make([]loop.Caller, 0, len(agents))
	for _, a := range agents {
		list = append(list, a)
	}
	return list
}

// close ends the servers, the last one first.
func (o *office) close() error {
	var errs []error
	for _, closer := range slices.Backward(o.closers) {
		errs = append(errs, closer())
	}
	return errors.Join(errs...)
}
