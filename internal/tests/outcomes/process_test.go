//go:build unix

package outcomes_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

// processVariable is the environment variable that tells a child process of a
// test which [process] it is.
const processVariable = "OUTCOMES_SERVER"

func TestMain(m *testing.M) {
	text, isChild := os.LookupEnv(processVariable)
	if !isChild {
		// The tests wait for leases rather than compute.
		if flag.Parse(); flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
			_ = flag.Set("test.parallel", "16")
		}
		os.Exit(m.Run())
	}
	p := &process{}
	if err := errors.Join(json.Unmarshal([]byte(text), p), p.serve()); err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

// A process is a server over stdio that places orders. It may kill itself in
// its first call.
type process struct {
	Place    place
	Provider string // its address
	Point    point  // at which it is killed or stopped; empty: never
	Official bool   // on the official SDK, not on mcp-go
	Terms    terms
	Keys     []string      // for sealing; empty: the usual one
	Stops    string        // the order for which the process is stopped; empty: it is killed
	Within   time.Duration // the time after its first call in which it is killed or stopped; zero: never
	Old      bool          // it runs the program of an older release
	Record   string        // the file that keeps the changes of the store; empty: none
	Trace    string        // the file that lists the operations of the store; empty: none

	asked  atomic.Bool // this process has asked the provider
	killed atomic.Bool
}

// A point is a place in a call at which its process can be killed.
type point string

const (
	atClaim   point = "after the claim"
	atHandler point = "before the handler's request"
	atWire    point = "with the request on the wire"
	atEffect  point = "after the effect"
	atRecord  point = "before the record"
	atAnswer  point = "before the answer"

	// In a process that is called with the order of one that was killed.
	beforeAsking   point = "before the question"
	afterAsking    point = "after the question"
	beforeFound    point = "before what it found is recorded"
	afterFound     point = "after what it found is recorded"
	beforeTakeover point = "before it takes over the record"
	inSecondRun    point = "in the second run"
	afterGivenUp   point = "after the record is given up"
	afterNonce     point = "after it has the right to ask"
)

// The store of a process must answer within a third of the lease, also on a
// busy machine on which many processes start at once.
const (
	lease        = 3 * time.Second
	storeTimeout = time.Second
)

// reach ends or stops the process at its point.
func (p *process) reach(at point) {
	if at == p.Point && !p.killed.Swap(true) {
		p.end()
	}
}

// endWithin ends or stops the process at a random instant.
func (p *process) endWithin() {
	if p.Within > 0 && !p.killed.Swap(true) {
		time.AfterFunc(rand.N(p.Within), p.end)
	}
}

// end kills the process. The signal may arrive late, so the goroutine stays here.
// A process that is to be stopped asks the provider for it, and goes on after it
// has been resumed.
func (p *process) end() {
	if p.Stops == "" {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {}
	}
	_, _ = send(context.Background(), p.Provider+"/stop", message{Order: p.Stops, PID: os.Getpid()})
}

// ada is the caller of all orders.
func ada(context.Context) (guard.Principal, error) {
	return guard.Principal{Issuer: "test", Subject: "ada"}, nil
}

// usualKey is the sealing key of processes that name no other.
const usualKey = "k"

// guardOf returns the guard of a process, and what to close after it.
func (p *process) guardOf() (*guard.Guard, func() error, error) {
	state, closeStore, err := p.state()
	if err != nil {
		return nil, nil, err
	}
	opts := []guard.Option{
		guard.WithNamespace("shop"),
		guard.WithPrincipal(guard.PrincipalFunc(ada)), guard.WithAudit(&audit.Recorder{}),
		guard.WithLogger(slog.New(slog.DiscardHandler)), guard.WithObserver(observer{p}),
		guard.WithTimes(guard.Times{Lease: lease, StoreTimeout: storeTimeout, Drain: -1}),
	}
	opts = append(opts, state...)
	if !p.Terms.Budget {
		opts = append(opts, guard.WithRetryBudget(0, 0))
	}
	g, err := guard.New(append(opts, p.options()...)...)
	return g, closeStore, err
}

// state returns the options for the store and the sealing keys.
func (p *process) state() (opts []guard.Option, closeStore func() error, err error) {
	if p.Place.Kind == file {
		state, err := sqlitefile.Open(p.Place.URL)
		if err != nil {
			return nil, nil, err
		}
		return state.Options(), state.Close, nil
	}
	s, closeStore, err := p.Place.open()
	if err != nil {
		return nil, nil, err
	}
	keys := [][]byte{}
	for _, k := range append(p.Keys, usualKey)[:max(1, len(p.Keys))] {
		keys = append(keys, bytes.Repeat([]byte(k), 32))
	}
	return []guard.Option{guard.WithStore(breaking{s, p}), guard.WithSealingKeys(keys[0], keys[1:]...)}, closeStore, nil
}

// serve serves until the input ends.
func (p *process) serve() error {
	g, closeStore, err := p.guardOf()
	if err != nil {
		return err
	}
	tools, err := p.tools()
	if err != nil {
		return err
	}
	if p.Official {
		err = gosdk.ServeStdio("shop", "1.0.0", g, gosdk.WithTools(tools...))
	} else {
		err = mcpgo.ServeStdio("shop", "1.0.0", g, mcpgo.WithTools(tools...))
	}
	return errors.Join(err, closeStore())
}

func (p *process) tools() ([]*contract.Tool, error) {
	placing, err := p.placing().Build()
	if err != nil {
		return nil, err
	}
	cancelling, err := p.cancelling().Build()
	if err != nil || p.Terms.Ask == never {
		return []*contract.Tool{placing, cancelling}, err
	}
	others, err := p.others()
	return append(others, placing, cancelling), err
}

// breaking is the store of a process that kills itself.
type breaking struct {
	store.Store

	process *process
}

// An observer is told of each operation of the store once its time no longer
// counts.
type observer struct{ process *process }

func (observer) Attach(*guard.Guard) (func(), error) { return nil, nil } //nolint:nilnil // nothing to detach

func (observer) Begin(ctx context.Context, _ guard.CallInfo) (context.Context, func()) {
	return ctx, nil
}

func (observer) Audited(context.Context, audit.Event) {}

func (o observer) Stored(_ context.Context, op guard.StoreOperation) {
	if op.Name == "spend" {
		o.process.reach(afterNonce)
	}
}

// trace appends the name of an operation to the file that lists them.
func (b breaking) trace(operation string) { appendLine(b.process.Trace, operation) }

// record appends a change to the file that keeps them.
func (b breaking) record(name string, change any) {
	if b.process.Record == "" {
		return
	}
	text, err := json.Marshal(map[string]any{name: change})
	if err != nil {
		panic(err)
	}
	appendLine(b.process.Record, string(text))
}

func appendLine(path, line string) {
	if path == "" {
		return
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = file.WriteString(line + "\n")
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		panic(err)
	}
}

func (b breaking) Get(ctx context.Context, key store.Key) (store.Record, error) {
	b.trace("Get")
	return b.Store.Get(ctx, key)
}

func (b breaking) Mark(ctx context.Context, key store.Key, owner store.Owner) error {
	b.trace("Mark")
	return b.Store.Mark(ctx, key, owner)
}

func (b breaking) Release(ctx context.Context, r store.Release) error {
	b.trace("Release")
	b.record("Release", r)
	return b.Store.Release(ctx, r)
}

func (b breaking) Spend(ctx context.Context, n store.Nonce, by store.Owner) (bool, error) {
	b.trace("Spend")
	return b.Store.Spend(ctx, n, by)
}

func (b breaking) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	b.trace("Claim")
	b.process.endWithin()
	if b.process.asked.Load() || !c.Replaces.IsZero() {
		b.process.reach(beforeTakeover)
	}
	result, err := b.Store.Claim(ctx, c)
	if err == nil && result.Status == store.Claimed {
		b.record("Claim", c)
		b.process.reach(atClaim)
	}
	return result, err
}

func (b breaking) Complete(ctx context.Context, c store.Completion) error {
	b.trace("Complete")
	before, after := atRecord, atAnswer
	if b.process.asked.Load() {
		before, after = beforeFound, afterFound
	}
	if c.State == store.Completed {
		b.process.reach(before)
	}
	b.record("Completion", c)
	err := b.Store.Complete(ctx, c)
	switch {
	case c.State == store.Completed:
		b.process.reach(after)
	case c.State == store.Unknown && c.Result != nil:
		b.process.reach(afterGivenUp)
	}
	return err
}
