package agent_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/clienttest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A ledger counts the effects of tools, outside of them.
type ledger struct {
	mu      sync.Mutex
	effects map[string]int
}

func (l *ledger) add(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.effects == nil {
		l.effects = map[string]int{}
	}
	l.effects[key]++
}

func (l *ledger) of(key string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.effects[key]
}

type addIn struct {
	A int64 `json:"a"`
	B int64 `json:"b,omitempty"`
}

type addOut struct {
	Sum int64 `json:"sum"`
}

type payIn struct {
	To string `json:"to"`
}

type payOut struct {
	Paid string `json:"paid"`
}

type payPreview struct {
	Fee int `json:"fee"`
}

var (
	errTaken = contract.Retryable("already_exists", "The name is taken.")
	errDown  = contract.Fatal("storage_unavailable", "The disk is full.")
)

func add() *contract.Tool {
	return contract.New("calc.add", func(_ context.Context, in addIn) (addOut, error) { return addOut{in.A + in.B}, nil }).
		Description("Adds two integers.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
}

// paying returns a builder of a tool whose effect is counted.
func (l *ledger) paying(name string) *contract.Builder[payIn, payOut] {
	return contract.New(name, func(_ context.Context, in payIn) (payOut, error) {
		switch in.To {
		case "taken":
			return payOut{}, errTaken.Errorf("choose another one")
		case "down":
			return payOut{}, errDown.Errorf("no space")
		case "broken":
			return payOut{}, errors.New("a secret")
		}
		l.add(in.To)
		return payOut{in.To}, nil
	}).Description("Pays.").Version("1.0.0").Trust(trust.Trusted).Permissions("pay").Failures(errTaken, errDown)
}

// transfer asks a person before each payment.
func (l *ledger) transfer() *contract.Tool {
	return l.paying("bank.transfer").Effect(risk.PaidOperation).MustBuild()
}

// note is deduplicated by a client's key.
func (l *ledger) note() *contract.Tool {
	return l.paying("bank.note").Effect(risk.LowRiskWrite).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}).MustBuild()
}

// plain has its effect with every call.
func (l *ledger) plain() *contract.Tool {
	return l.paying("bank.plain").Effect(risk.LowRiskWrite).MustBuild()
}

// void needs a dry run and asks.
func (l *ledger) void() *contract.Tool {
	return l.paying("bank.void").Effect(risk.Destructive).
		DryRun(dryrun.By(func(context.Context, payIn) (dryrun.Preview[payPreview], error) {
			return dryrun.Preview[payPreview]{Data: payPreview{Fee: 3}}, nil
		}).Required()).MustBuild()
}

var anna = contract.Principal{Subject: "anna", Issuer: "test", Permissions: []string{"pay"}}

// newServer serves tools to anna.
func newServer(t *testing.T, tools []*contract.Tool, tier mcpgo.Option, opts ...guard.Option) *server.MCPServer {
	t.Helper()
	all := append([]guard.Option{
		guard.WithAudit(&audit.Recorder{}), guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (contract.Principal,
			error) {
			return anna, nil
		})),
	}, opts...)
	g, err := guard.New(all...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	s, err := mcpgo.NewServer("bank", "1.0.0", g, mcpgo.WithTools(tools...), tier)
	require.NoError(t, err)
	return s
}

// connect returns an agent that uses a dialer.
// An option sets a part of the options.
type option func(*agent.Options)

func withHost(h agent.Host) option     { return func(o *agent.Options) { o.Host = h } }
func withLimits(l agent.Limits) option { return func(o *agent.Options) { o.Limits = l } }
func withQuarantine(reason func(agent.Tool) string) option {
	return func(o *agent.Options) { o.Quarantine = reason }
}
func withSteps(f func(agent.Step)) option { return func(o *agent.Options) { o.Steps = f } }
func withTrustedHints() option            { return func(o *agent.Options) { o.TrustedHints = true } }
func withAskFirst() option                { return func(o *agent.Options) { o.AskFirst = true } }
func withLag(lag time.Duration) option    { return func(o *agent.Options) { agent.SetLag(o, lag) } }

func connectTo(ctx context.Context, d agent.Dialer, opts ...option) (*agent.Agent, error) {
	var all agent.Options
	for _, o := range opts {
		o(&all)
	}
	return agent.Connect(ctx, d, all)
}

func connect(t *testing.T, d agent.Dialer, opts ...option) *agent.Agent {
	t.Helper()
	a, err := connectTo(t.Context(), d, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

// versions are the two kinds of sessions.
var versions = []string{clienttest.Older, clienttest.Modern}

func inProcess(t *testing.T, s *server.MCPServer, version string) agent.Dialer {
	t.Helper()
	h, err := mcpgo.HandlerOf(s)
	require.NoError(t, err)
	return client.New(clienttest.Speaking(version, client.InProcess(h)))
}

// A person answers questions and remembers them.
type person struct {
	answer func(agent.Question) agent.Answer
	asked  atomic.Int64
	mu     sync.Mutex
	seen   []agent.Question
	pages  []agent.Page
	opened func(agent.Page) agent.Answer
}

func (p *person) host() agent.Host {
	h := agent.Host{Ask: func(_ context.Context, q agent.Question) (agent.Answer, error) {
		p.asked.Add(1)
		p.mu.Lock()
		p.seen = append(p.seen, q)
		p.mu.Unlock()
		return p.answer(q), nil
	}}
	if p.opened != nil {
		h.Open = func(_ context.Context, page agent.Page) (agent.Answer, error) {
			p.mu.Lock()
			p.pages = append(p.pages, page)
			p.mu.Unlock()
			return p.opened(page), nil
		}
	}
	return h
}

func approving() *person { return &person{answer: agent.Question.Approve} }

func declining() *person {
	return &person{answer: func(agent.Question) agent.Answer { return agent.Answer{Action: agent.Decline} }}
}

func retryOf(t *testing.T, err error) *agent.RetryError {
	t.Helper()
	var retry *agent.RetryError
	require.ErrorAs(t, err, &retry)
	return retry
}

func fatalOf(t *testing.T, err error) *agent.FatalError {
	t.Helper()
	var fatal *agent.FatalError
	require.ErrorAs(t, err, &fatal)
	return fatal
}
