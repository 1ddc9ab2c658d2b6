package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/serve"
)

// A claim that is no longer renewed ends after the lease. The lease is short
// here, so that duplicates soon learn that a server was killed.
const (
	lease        = 3 * time.Second
	storeTimeout = time.Second
)

// settingsEnv is the environment variable with the settings of a server. They
// contain a key, and other users can read command lines.
const settingsEnv = "TOOLCONTRACT_REPLICA_SETTINGS"

// settings configures a server. All servers share them, except Name.
type settings struct {
	Name      string
	Store     string
	Warehouse string
	Namespace string
	SDK       exampleserver.SDK `json:",omitzero"`
	// SealingKey is shared, so that each server can replay the results of the
	// others.
	SealingKey []byte
	// OnUnknown is what a repeated call does after a crash. The zero value means
	// refuse.
	OnUnknown idempotency.OnUnknown `json:",omitzero"`
	// AsksWarehouse makes a repeated call ask the warehouse first.
	AsksWarehouse bool
}

// startServer starts a server. It ends with this process.
func startServer(ctx context.Context, s settings) (*child, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return start(ctx, serverRole, settingsEnv+"="+string(data))
}

// serveOrders serves orders.place over HTTP until ctx is done.
func serveOrders(ctx context.Context, ready func(url string)) (err error) {
	var s settings
	if err := json.Unmarshal([]byte(os.Getenv(settingsEnv)), &s); err != nil {
		return fmt.Errorf("%s holds no settings: %w", settingsEnv, err)
	}
	tool, err := orders{server: s.Name, warehouse: s.Warehouse}.tool(s)
	if err != nil {
		return err
	}
	shared, closer, err := openStore(s.Store)
	if err != nil {
		return err
	}
	defer serve.Close(&err, closer)
	g, err := guard.New(
		guard.WithPrincipal(adapter.Bearer(exampleserver.Principal([]*contract.Tool{tool}))),
		guard.WithAudit(audit.Func(func(context.Context, audit.Event) error { return nil })), // a real server writes a log
		guard.WithStore(shared),
		guard.WithSealingKeys(s.SealingKey),
		guard.WithNamespace(s.Namespace),
		guard.WithOperations(), // callers can look up what became of an order
		guard.WithTimes(guard.Times{Lease: lease, StoreTimeout: storeTimeout}),
	)
	if err != nil {
		return err
	}
	endpoint, err := s.SDK.NewHandler("replicas", "1.0.0", g, adapter.Config{Tools: []*contract.Tool{tool}})
	if err != nil {
		return err
	}
	web, err := serve.Listen("127.0.0.1:0", serve.Config{Started: ready})
	if err != nil {
		return err
	}
	web.Handle("/mcp", endpoint)
	return web.Serve(ctx, g)
}
