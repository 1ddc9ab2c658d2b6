package mcpgoclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/internal/childprocess"
	"github.com/toolcontract/toolcontract/internal/messagelimit"
)

// A Dialer opens sessions with one server. [HTTP], [Command], [InProcess] and
// [Over] make one. It is safe for concurrent use.
type Dialer struct {
	open func(ctx context.Context, person agent.Person, limit *messagelimit.Limit) (transport.Interface, error)
	err  error // of the options
	config
}

var _ agent.Dialer = (*Dialer)(nil)

// An Option configures a [Dialer]. With a nil option, Dial fails.
type Option interface{ applyTo(*config) }

type optionFunc func(*config)

func (f optionFunc) applyTo(c *config) { f(c) }

type config struct {
	info       mcp.Implementation
	version    string
	httpClient *http.Client
	http       []transport.StreamableHTTPCOption
}

// WithClientInfo sets the name and the version by which the server knows the
// client. Default: toolcontract and 1.
func WithClientInfo(name, version string) Option {
	return optionFunc(func(c *config) { c.info = mcp.Implementation{Name: name, Version: version} })
}

// WithProtocolVersion sets the version of MCP that the session begins with,
// such as "2025-11-25". Default: the newest that mcp-go and the server both
// speak.
func WithProtocolVersion(version string) Option {
	return optionFunc(func(c *config) { c.version = version })
}

// WithHTTPClient sets the client of [HTTP], for example one with certificates
// of its own. Responses beyond [agent.MaxMessageBytes] fail. Default:
// http.DefaultClient.
func WithHTTPClient(client *http.Client) Option {
	return optionFunc(func(c *config) { c.httpClient = client })
}

// WithHTTPOptions sets options of mcp-go's transport, such as
// transport.WithHTTPHeaders for a bearer token. Only [HTTP] uses them. Default:
// none. Use [WithHTTPClient] in place of transport.WithHTTPBasicClient, whose
// client has no bound for responses.
func WithHTTPOptions(opts ...transport.StreamableHTTPCOption) Option {
	return optionFunc(func(c *config) { c.http = append(c.http, opts...) })
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
// Use [WithHTTPOptions] to add a header, such as a bearer token.
func HTTP(url string, opts ...Option) *Dialer {
	d := newDialer(opts)
	d.open = func(_ context.Context, _ agent.Person, limit *messagelimit.Limit) (transport.Interface, error) {
		bounded := transport.WithHTTPBasicClient(limit.Client(d.httpClient))
		return transport.NewStreamableHTTP(url, append([]transport.StreamableHTTPCOption{bounded}, d.http...)...)
	}
	return d
}

// endTime is how long a server may take to end after its input has ended, and
// again after it was asked to terminate.
const endTime = 2 * time.Second

// Command returns a dialer for a server over stdio. Each session starts the
// command. Closing the session closes the input of the process. A process that
// does not end within 2 seconds gets SIGTERM, and is killed after 2 more. Its
// exit status and its standard error are discarded.
func Command(name string, args []string, opts ...Option) *Dialer {
	d := newDialer(opts)
	d.open = func(ctx context.Context, _ agent.Person, limit *messagelimit.Limit) (transport.Interface, error) {
		// The process outlives the context of the handshake.
		process, err := childprocess.Start(exec.CommandContext(context.WithoutCancel(ctx), name, args...), endTime)
		if err != nil {
			return nil, err
		}
		return transport.NewIO(limit.Lines(process.Out), process, nil), nil
	}
	return d
}

// InProcess returns a dialer for a server in the same process.
func InProcess(s *server.MCPServer, opts ...Option) *Dialer {
	d := newDialer(opts)
	d.open = func(_ context.Context, person agent.Person, _ *messagelimit.Limit) (transport.Interface, error) {
		if person.Elicit == nil {
			return transport.NewInProcessTransport(s), nil
		}
		return transport.NewInProcessTransportWithOptions(s, transport.WithElicitationHandler(elicitor{person})), nil
	}
	return d
}

// Over returns a dialer for any transport of mcp-go. The function must return a
// new transport for each session, and must not start it. The dialer does not
// bound the messages of the transport; see [agent.MaxMessageBytes].
func Over(open func(ctx context.Context) (transport.Interface, error), opts ...Option) *Dialer {
	d := newDialer(opts)
	d.open = func(ctx context.Context, _ agent.Person, _ *messagelimit.Limit) (transport.Interface, error) {
		return open(ctx)
	}
	return d
}

// Dial starts a transport and finishes the handshake of MCP.
func (d *Dialer) Dial(ctx context.Context, person agent.Person) (agent.Session, error) {
	if d.err != nil {
		return nil, d.err
	}
	limit := messagelimit.New(agent.MaxMessageBytes)
	t, err := d.open(ctx, person, limit)
	if err != nil {
		return nil, fmt.Errorf("mcpgoclient: open the transport: %w", err)
	}
	if t == nil {
		return nil, errNoTransport
	}
	s := &session{config: d.config, transport: t, limit: limit, tools: map[string]*mcp.Tool{}}
	s.capabilities = capabilities(person)
	opts := []client.ClientOption{client.WithClientCapabilities(s.capabilities)}
	if person.Elicit != nil {
		opts = append(opts, client.WithElicitationHandler(elicitor{person}))
	}
	if d.version != "" {
		opts = append(opts, client.WithProtocolVersion(d.version))
	}
	s.client = client.NewClient(t, opts...)
	// The session outlives the context of its handshake.
	if err := s.client.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, errors.Join(fmt.Errorf("mcpgoclient: start the transport: %w", err), t.Close())
	}
	hello := mcp.InitializeRequest{Params: mcp.InitializeParams{ProtocolVersion: d.version, ClientInfo: d.info, Capabilities: s.capabilities}}
	if _, err := s.client.Initialize(ctx, hello); err != nil {
		return nil, errors.Join(fmt.Errorf("mcpgoclient: the handshake: %w", s.cause(err)), t.Close())
	}
	return s, nil
}

var (
	errNoTransport = errors.New("mcpgoclient: the function of Over returned no transport")
	errNilOption   = errors.New("mcpgoclient: an option is nil; leave it out")
)

// capabilities returns exactly what a person can be asked.
func capabilities(person agent.Person) mcp.ClientCapabilities {
	if !person.Form && !person.URL {
		return mcp.ClientCapabilities{}
	}
	e := &mcp.ElicitationCapability{}
	if person.Form {
		e.Form = &struct{}{}
	}
	if person.URL {
		e.URL = &struct{}{}
	}
	return mcp.ClientCapabilities{Elicitation: e}
}

// An elicitor passes the questions of an older server to the agent.
type elicitor struct{ person agent.Person }

// Elicit answers elicitation/create.
func (e elicitor) Elicit(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	params, err := json.Marshal(request.Params)
	if err != nil {
		return nil, err
	}
	raw, err := e.person.Elicit(ctx, params)
	if err != nil {
		return nil, err
	}
	var answer mcp.ElicitationResponse
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, err
	}
	return &mcp.ElicitationResult{ElicitationResponse: answer}, nil
}
