package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/gateway/keys"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve"
	"github.com/toolcontract/toolcontract/serve/pages"
)

// principals finds the principal of a bearer token: alice, who may call every
// tool, bob, who may only search contacts, or the person auditor.
func principals(_ context.Context, token string) (guard.Principal, error) {
	switch token {
	case "alice":
		return caller, nil
	case "bob":
		return guard.Principal{Issuer: caller.Issuer, Subject: "bob", Permissions: []string{"gateway:call", "contacts:read"}}, nil
	case "auditor":
		return guard.Principal{
			Issuer: caller.Issuer, Subject: "auditor", Permissions: []string{catalog.AuditPermission}, Human: true,
		}, nil
	}
	return guard.Principal{}, errors.New("gateway: the token is not known")
}

// serveHTTP serves the gateway and its page until a signal arrives. The gateway
// lists the servers again whenever one of them changes. It reports whether
// serving began.
func serveHTTP(ctx context.Context, address string, withKeys bool, behind *servers, stderr io.Writer) (began bool, err error) {
	web, err := serve.Listen(address, serve.Config{
		Started: func(origin string) { fmt.Fprintf(stderr, "listening on %s/mcp\n", origin) },
	})
	if err != nil {
		return false, err
	}
	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(principals)),
		// From the fourth irreversible call on, a person must approve each change.
		guard.WithSessionBound(risk.Chain{Irreversible: 4}))
	if err != nil {
		return false, errors.Join(err, web.Close())
	}
	e, _, err := open(ctx, behind, "", g)
	if err != nil {
		return false, errors.Join(err, web.Close(), g.Close(ctx))
	}
	defer func() { err = errors.Join(err, e.gateway.Close()) }()
	if err := e.mount(web, withKeys); err != nil {
		return false, errors.Join(err, web.Close(), g.Close(ctx))
	}
	following, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { e.gateway.Run(following) })
	defer running.Wait()
	defer stop()
	return true, web.Serve(ctx, g)
}

// signInPath is the page on which people sign in to read the contracts.
const signInPath = "/sign-in"

// mount mounts the endpoint, the page of the contracts, and its sign-in.
func (e *endpoint) mount(web *serve.Server, withKeys bool) error {
	h, err := mcpgo.HandlerOf(e.server)
	if err != nil {
		return err
	}
	if withKeys {
		h = keys.Handler(h, func(tool string) (keys.Keys, bool) { return (*e.keys.Load())(tool) })
	}
	people, err := pages.NewSessions(web.Origin())
	if err != nil {
		return err
	}
	signIn, err := people.SignInPage(signInPath, pages.SignIn{
		Verify: principals, Home: catalog.PagePath, Label: "Token",
		Hint: "In this example, use the token auditor. It belongs to a person; alice and bob are agents.",
	})
	if err != nil {
		return err
	}
	page, err := catalog.Handler(func() *guard.Toolset { return mcpgo.ToolsetOf(e.server) }, catalog.PageOptions{
		Title: "Contracts of the gateway", Catalog: e.gateway.Catalog(), SignInAt: signInPath,
		Visitors: func(r *http.Request) (guard.Principal, error) {
			if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
				return principals(r.Context(), token)
			}
			return people.Principal(r)
		},
	})
	if err != nil {
		return err
	}
	web.Handle("/mcp", h)
	web.HandleTree(signInPath, signIn)
	web.HandleTree(catalog.PagePath, page)
	web.Handle(catalog.PagePath+".json", page)
	return nil
}
