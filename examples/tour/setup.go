package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/emails/mail"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/guard"
)

// A setup holds the two servers, the clients of each caller, and the journal of
// both servers.
type setup struct {
	// post is the mail system of examples/emails.
	post *mail.Post
	// Clients of examples/emails over HTTP. The token names the caller.
	alice, bob, anonymous *client.Client
	// Clients of alice: one can ask its person, one forges confirmations.
	asking, forging *client.Client
	person          person
	// A client of the workshop. Its caller is alice.
	workshop *client.Client
	shop     *workshop
	journal  *journal

	sdk     exampleserver.SDK
	closers []func(context.Context) error
}

// quiet discards the guards' lines about a panic and a lost event, because the
// tour causes both on purpose.
var quiet = guard.WithLogger(slog.New(slog.DiscardHandler))

// open starts both servers on an SDK and connects the clients.
func open(ctx context.Context, sdk exampleserver.SDK) (*setup, error) {
	s := &setup{journal: newJournal(), post: new(mail.Post), shop: newWorkshop(), sdk: sdk}
	if err := errors.Join(s.openMail(ctx), s.openWorkshop(ctx)); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

// close closes everything that open opened, in reverse order.
func (s *setup) close(ctx context.Context) error {
	var errs []error
	for _, closer := range slices.Backward(s.closers) {
		errs = append(errs, closer(ctx))
	}
	return errors.Join(errs...)
}

func (s *setup) openMail(ctx context.Context) error {
	handler, g, err := exampleserver.Server{Name: "emails", Version: "1.0.0", Tools: s.post.Tools, SDK: &s.sdk}.
		Handler(adapter.Config{Tier: contract.TierFull}, guard.WithAudit(s.journal), quiet)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, g.Close)
	origin, err := s.listen(ctx, handler)
	if err != nil {
		return err
	}
	for _, caller := range []struct {
		token  string
		into   **client.Client
		client []client.ClientOption
		forges bool
	}{
		{token: "alice", into: &s.alice}, {token: "bob", into: &s.bob}, {into: &s.anonymous},
		{token: "alice", into: &s.asking, client: []client.ClientOption{client.WithElicitationHandler(&s.person)}},
		{token: "alice", into: &s.forging, forges: true},
	} {
		var options []transport.StreamableHTTPCOption
		if caller.token != "" {
			options = append(options, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + caller.token}))
		}
		over, err := transport.NewStreamableHTTP(origin+"/mcp", options...)
		if err != nil {
			return err
		}
		var carrier transport.Interface = over
		if caller.forges {
			carrier = forger{over}
		}
		c := client.NewClient(carrier, caller.client...)
		if err := s.connect(ctx, c); err != nil {
			return err
		}
		*caller.into = c
	}
	return nil
}

func (s *setup) openWorkshop(ctx context.Context) error {
	tools, err := s.shop.tools()
	if err != nil {
		return err
	}
	alice := guard.Principal{Issuer: "tour", Subject: "alice", Permissions: contract.PermissionsOf(tools...)}
	g, err := guard.New(
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return alice, nil })),
		guard.WithAudit(s.journal), quiet)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, s.journal.expectLosses(g.Close))
	handler, err := s.sdk.NewHandler("workshop", "1.0.0", g, adapter.Config{Tools: tools})
	if err != nil {
		return err
	}
	origin, err := s.listen(ctx, handler)
	if err != nil {
		return err
	}
	s.workshop, err = client.NewStreamableHttpClient(origin)
	if err != nil {
		return err
	}
	return s.connect(ctx, s.workshop)
}

// listen serves a handler on a free port until close, and returns its origin.
func (s *setup) listen(ctx context.Context, handler http.Handler) (origin string, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	s.closers = append(s.closers, func(context.Context) error { return web.Close() })
	go func() { _ = web.Serve(listener) }() // until Close
	return "http://" + listener.Addr().String(), nil
}

func (s *setup) connect(ctx context.Context, c *client.Client) error {
	if err := c.Start(ctx); err != nil {
		return err
	}
	s.closers = append(s.closers, func(context.Context) error { return c.Close() })
	_, err := c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ClientInfo: mcp.Implementation{Name: "tour", Version: "1.0.0"},
	}})
	return err
}
