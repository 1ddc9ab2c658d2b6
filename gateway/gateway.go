package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
)

const defaultInterval = time.Minute

// settleTime is how long Run waits after a change is reported, because changes
// come in groups.
const settleTime = 100 * time.Millisecond

// An Upstream is one server behind a gateway.
type Upstream struct {
	// Name identifies the server; see [catalog.Source]. Required.
	Name string
	// Client lists and calls the server's tools. Required.
	Client *client.Client
	// Prefix puts the server's name before the names of all its tools. False:
	// only before a name that another tool already has.
	Prefix bool
	// Own means that the operator writes and deploys the server; see
	// [catalog.Source]. False: a tool whose definition has changed is not
	// served until its digest is accepted.
	Own bool
}

// A PublishFunc replaces the endpoint's tools, as mcpgo.Replace and gosdk.Replace
// do. Calls to it do not overlap.
type PublishFunc func(tools []*contract.Tool) error

// Options configure a [Gateway]. The zero value has the defaults.
type Options struct {
	// Catalog configures the catalogue, for example with the operator's
	// overrides.
	Catalog catalog.Options
	// Base sets clauses for all tools where no fact sets them, such as the
	// permissions of tools whose servers declare none. Zero: none.
	Base contract.Base
	// Interval is how often [Gateway.Run] lists the servers, besides whenever a
	// server reports a change. Default: a minute. Negative: only when a server
	// reports a change.
	Interval time.Duration
	// Rounds is how often a tool may ask the gateway's client for input in one
	// call; see [adapter.WrapConfig.Rounds]. Only servers whose client has
	// [client.WithElicitation] are told that they may ask. Default: tools cannot
	// ask; leave out WithElicitation in that case.
	Rounds int
	// Logger gets the failures of [Gateway.Run], what needs the operator, and
	// the causes of calls that a server did not answer. Default:
	// slog.Default().
	Logger *slog.Logger
}

// A Gateway serves the tools of many servers at one endpoint. Make one with
// [New]. It is safe for concurrent use.
type Gateway struct {
	options   Options
	wrap      adapter.WrapConfig
	upstreams map[string]*client.Client
	catalog   *catalog.Catalog
	publish   PublishFunc

	refreshing sync.Mutex // so that the newest cycle is published last
}

// New returns a gateway. It connects to no server and publishes nothing; see
// [Gateway.Refresh]. The error joins every mistake in the servers and the
// options.
func New(upstreams []Upstream, publish PublishFunc, opts Options) (*Gateway, error) {
	if opts.Interval == 0 {
		opts.Interval = defaultInterval
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	g := &Gateway{options: opts, upstreams: map[string]*client.Client{}, publish: publish}
	if opts.Rounds != 0 {
		g.wrap.Rounds = &opts.Rounds
	}
	var errs []error
	if publish == nil {
		errs = append(errs, errors.New(
			"gateway: publish is nil; pass a function that replaces the tools of the endpoint, such as mcpgo.Replace or gosdk.Replace"))
	}
	var sources []catalog.Source
	for _, u := range upstreams {
		if u.Client == nil {
			errs = append(errs, fmt.Errorf("gateway: the server %q has no client; make one with client.New", u.Name))
			continue
		}
		sources = append(sources, catalog.Source{Name: u.Name, Lister: u.Client, Prefix: u.Prefix, Own: u.Own})
		g.upstreams[u.Name] = u.Client
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	var err error
	if g.catalog, err = catalog.New(sources, opts.Catalog); err != nil {
		return nil, err
	}
	return g, nil
}

// Catalog returns the catalogue, for example for its page.
func (g *Gateway) Catalog() *catalog.Catalog { return g.catalog }

// Refresh lists all servers and publishes the tools that may be served. A
// server that cannot be listed keeps its tools; [catalog.Cycle.Servers] has the
// reason.
//
// If the error comes from the catalogue, nothing is published. Otherwise it
// joins the endpoint's error and the mistakes in the contracts of single tools,
// which are not served while all others are. Concurrent calls wait for each
// other. It logs each downgrade and each changed definition once.
func (g *Gateway) Refresh(ctx context.Context) (catalog.Cycle, error) {
	g.refreshing.Lock()
	defer g.refreshing.Unlock()
	cycle, err := g.catalog.Refresh(ctx)
	if err != nil {
		return cycle, err
	}
	g.reportChanges(ctx, cycle)
	var tools []*contract.Tool
	var errs []error
	for _, e := range cycle.Entries {
		if e.Status != catalog.Served || looksUp(e) {
			continue
		}
		tool, err := g.build(e)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		tools = append(tools, tool)
	}
	return cycle, errors.Join(append(errs, g.publish(tools))...)
}

// looksUp reports whether a tool looks up the operations of its own server. The
// gateway's callers never get their IDs: the gateway's guard has operations and a
// lookup of its own.
func looksUp(e catalog.Entry) bool { return e.Declared.AuditEvent == "operation.looked_up" }

// Accept records that the operator has reviewed a tool's definition, and serves
// the tool; see [catalog.Catalog.Accept]. The log has the digest of each
// changed definition.
func (g *Gateway) Accept(ctx context.Context, tool, digest string) error {
	if err := g.catalog.Accept(ctx, tool, digest); err != nil {
		return err
	}
	_, err := g.Refresh(ctx)
	return err
}

// Run refreshes when a server reports that its list has changed, after a server
// was reconnected, and at each interval. It logs errors and whatever an
// operator must decide, and returns when ctx is done.
func (g *Gateway) Run(ctx context.Context) {
	changed := make(chan struct{}, 1)
	var watching sync.WaitGroup
	defer watching.Wait()
	for _, c := range g.upstreams {
		watching.Go(func() { merge(ctx, c.Changed(), changed) })
	}
	var tick <-chan time.Time
	if g.options.Interval > 0 {
		ticker := time.NewTicker(g.options.Interval)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		case <-changed:
			select {
			case <-time.After(settleTime):
			case <-ctx.Done():
				return
			}
		}
		cycle, err := g.Refresh(ctx)
		if ctx.Err() != nil {
			return
		}
		g.report(ctx, cycle, err)
	}
}

// merge forwards one server's change reports to the channel of all.
func merge(ctx context.Context, from <-chan struct{}, to chan<- struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-from:
			select {
			case to <- struct{}{}:
			default:
			}
		}
	}
}

// report logs what an operator should know about a cycle.
func (g *Gateway) report(ctx context.Context, cycle catalog.Cycle, err error) {
	log := g.options.Logger
	if err != nil {
		log.ErrorContext(ctx, "gateway: not all tools could be served", "cycle", cycle.Number, "error", err)
	}
	for _, s := range cycle.Servers {
		for _, p := range s.Problems {
			log.WarnContext(ctx, "gateway: a server has a problem",
				"cycle", cycle.Number, "server", s.Name, "rule", p.Rule, "problem", p.Message, "error", p.Err)
		}
	}
}

// maxDiff caps how many lines of a diff are logged.
const maxDiff = 20

// reportChanges logs a cycle's downgrades and changed definitions. The
// catalogue reports each of them once.
func (g *Gateway) reportChanges(ctx context.Context, cycle catalog.Cycle) {
	log := g.options.Logger.With("cycle", cycle.Number)
	for _, c := range cycle.Changes {
		switch {
		case c.Flag == catalog.Downgrade:
			log.WarnContext(ctx, "gateway: a tool became weaker",
				"server", c.Server, "tool", c.Tool, "fact", c.Fact, "from", c.From, "to", c.To)
		case c.Kind == "redefined":
			var diff []string
			for _, change := range c.Diff[:min(len(c.Diff), maxDiff)] {
				diff = append(diff, change.String())
			}
			e, _ := cycle.Entry(c.Tool)
			log.WarnContext(ctx, "gateway: the definition of a tool has changed", "server", c.Server, "tool", c.Tool,
				"status", e.Status, "diff", diff, "from", c.From, "digest", c.To)
		}
	}
}

// Close closes the connections to all servers and ends the processes that were
// started. Stop Run and the endpoint first.
func (g *Gateway) Close() error {
	var errs []error
	for _, c := range g.upstreams {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
