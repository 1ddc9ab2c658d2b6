package gosdkclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/internal/childprocess"
	"github.com/toolcontract/toolcontract/internal/messagelimit"
)

// A Dialer opens sessions with one server. [HTTP], [Command] and [Over] make
// one. It is safe for concurrent use.
type Dialer struct {
	open func(ctx context.Context, limit *messagelimit.Limit) (mcp.Transport, error)
	err  error // of the options
	config
}

var _ agent.Dialer = (*Dialer)(nil)

// An Option configures a [Dialer]. With a nil option, Dial fails.
type Option interface{ applyTo(*config) }

type optionFunc func(*config)

func (f optionFunc) applyTo(c *config) { f(c) }

type config struct {
	info    mcp.Implementation
	version string
	http    *http.Client
}

// WithClientInfo sets the name and the version by which the server knows the
// client. Default: toolcontract and 1.
func WithClientInfo(name, version string) Option {
	return optionFunc(func(c *config) { c.info = mcp.Implementation{Name: name, Version: version} })
}

// WithProtocolVersion sets the version of MCP that the session begins with,
// such as "2025-11-25". Default: the newest that the SDK and the server both
// speak.
func WithProtocolVersion(version string) Option {
	return optionFunc(func(c *config) { c.version = version })
}

// WithHTTPClient sets the client of [HTTP], for example one that sends a bearer
// token. Responses beyond [agent.MaxMessageBytes] fail. Default:
// http.DefaultClient.
func WithHTTPClient(client *http.Client) Option {
	return optionFunc(func(c *config) { c.http = client })
}

func newDialer(opts []Option) *Dialer {
	d := &Dialer{config: config{info: mcp.Implementation{Name: "toolcontract", Version: "1"}}}
	for _, o := range opts {
		if o == nil {
			d.err = errNilOption
			continue
		}
		o.applyTo(&d.config)
	}
	return d
}

// HTTP returns a dialer for a server with streamable HTTP at an address.
func HTTP(url string, opts ...Option) *Dialer {
	d := newDialer(opts)
	d.open = func(_ context.Context, limit *messagelimit.Limit) (mcp.Transport, error) {
		// The agent itself decides what is sent again.
		return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: limit.Client(d.http), MaxRetries: -1}, nil
	}
	return d
}

const (
	// endTime is how long a server may take to end after its input has ended,
	// and again after it was asked to terminate.
	endTime = 2 * time.Second
	// maxValueBytes bounds JSON that spans lines, which the SDK accepts.
	maxValueBytes = agent.MaxMessageBytes + 64<<10
)

// Command returns a dialer for a server over stdio. Each session starts the
// command. Closing the session closes the input of the process. A process that
// does not end within 2 seconds gets SIGTERM, and is killed after 2 more. Its
// exit status and its standard error are discarded.
func Command(name string, args []string, opts ...Option) *Dialer {
	d := newDialer(opts)
	d.open = func(ctx context.Context, limit *messagelimit.Limit) (mcp.Transport, error) {
		// The process outlives the context of the handshake.
		process, err := childprocess.Start(exec.CommandContext(context.WithoutCancel(ctx), name, args...), endTime)
		if err != nil {
			return nil, err
		}
		// The input of the process ends first, so that it can write until then.
		return &mcp.IOTransport{Reader: io.NopCloser(limit.Lines(process.Out)), Writer: process, MaxLineLength: maxValueBytes}, nil
	}
	return d
}

// Over returns a dialer for any transport of the SDK. The function must return
// a new transport for each session. The dialer does not bound the messages of
// the transport; see [agent.MaxMessageBytes].
func Over(open func(ctx context.Context) (mcp.Transport, error), opts ...Option) *Dialer {
	d := newDialer(opts)
	d.open = func(ctx context.Context, _ *messagelimit.Limit) (mcp.Transport, error) { return open(ctx) }
	return d
}

var (
	errNoTransport = errors.New("gosdkclient: the function of Over returned no transport")
	errNilOption   = errors.New("gosdkclient: an option is nil; leave it out")
)

// Dial connects a transport, with the handshake of MCP.
func (d *Dialer) Dial(ctx context.Context, person agent.Person) (agent.Session, error) {
	if d.err != nil {
		return nil, d.err
	}
	limit := messagelimit.New(agent.MaxMessageBytes)
	t, err := d.open(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("gosdkclient: open the transport: %w", err)
	}
	if t == nil {
		return nil, errNoTransport
	}
	opts := &mcp.ClientOptions{
		Capabilities:   capabilities(person),
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}, // the agent answers
	}
	if person.Elicit != nil {
		opts.ElicitationHandler = func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return elicit(ctx, person, r.Params)
		}
	}
	s := &session{limit: limit}
	s.client, err = mcp.NewClient(&d.info, opts).Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: d.version})
	if err != nil {
		return nil, fmt.Errorf("gosdkclient: the handshake: %w", s.cause(err))
	}
	return s, nil
}

// capabilities returns exactly what a person can be asked.
func capabilities(person agent.Person) *mcp.ClientCapabilities {
	c := &mcp.ClientCapabilities{}
	if !person.Form && !person.URL {
		return c
	}
	c.Elicitation = &mcp.ElicitationCapabilities{}
	if person.Form {
		c.Elicitation.Form = &mcp.FormElicitationCapabilities{}
	}
	if person.URL {
		c.Elicitation.URL = &mcp.URLElicitationCapabilities{}
	}
	return c
}

// elicit passes a question of an older server to the agent.
func elicit(ctx context.Context, person agent.Person, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	params, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	raw, err := person.Elicit(ctx, params)
	if err != nil {
		return nil, err
	}
	var answer mcp.ElicitResult
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, err
	}
	return &answer, nil
}
