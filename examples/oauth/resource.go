package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/examples/oauth/accesstoken"
	"github.com/toolcontract/toolcontract/examples/oauth/devissuer"
	"github.com/toolcontract/toolcontract/examples/oauth/payouts"
	"github.com/toolcontract/toolcontract/examples/oauth/stepup"
)

const (
	endpoint   = "/mcp"
	issuerPath = "/issuer"
)

// A resourceServer serves the tools to callers with an access token for it.
type resourceServer struct {
	name, version string
	tools         func() ([]*contract.Tool, error)
	stderr        io.Writer
}

// web returns the handler for host and its guard. The handler serves the tools,
// the metadata for clients, the page where people authenticate again, and the
// stand-in for an authorization server.
func (s resourceServer) web(host string, options []mcpgo.Option, opts []guard.Option) (http.Handler, *guard.Guard, error) {
	if !isLoopback(host) {
		return nil, nil, errors.New("the issuer of this example gives tokens to anyone; listen on a loopback address, such as 127.0.0.1:8080")
	}
	tools, err := s.tools()
	if err != nil {
		return nil, nil, err
	}
	origin := "http://" + host
	resource, metadata := origin+endpoint, server.ProtectedResourceMetadataPath(origin+endpoint)
	scopes := exampleserver.Permissions(tools)
	issuer, err := devissuer.New(origin + issuerPath)
	if err != nil {
		return nil, nil, err
	}
	tokens, err := accesstoken.New(accesstoken.Config{Issuer: issuer.Address(), Resource: resource, Scopes: scopes, Keys: issuer.Key})
	if err != nil {
		return nil, nil, err
	}
	g, err := guard.New(append([]guard.Option{
		guard.WithPrincipal(mcpgo.Bearer(tokens.Principal)),
		guard.WithStepUp(stepup.Address(origin)),
	}, opts...)...)
	if err != nil {
		return nil, nil, err
	}
	served, err := mcpgo.NewServer(s.name, s.version, g,
		append(slices.Clip(options), mcpgo.WithTools(tools...), mcpgo.WithResourceMetadata(origin+metadata))...)
	if err != nil {
		return nil, nil, err
	}
	mcpHandler := server.NewStreamableHTTPServer(served, server.WithProtectedResourceMetadata(server.ProtectedResourceMetadataConfig{
		Resource: resource, ResourceName: "Payouts", AuthorizationServers: []string{issuer.Address()},
		ScopesSupported: scopes, BearerMethodsSupported: []string{"header"},
	}))
	door := challenger{verify: tokens.Principal, metadata: origin + metadata, log: slog.New(slog.NewTextHandler(s.stderr, nil))}
	page := stepup.New(g, issuer.Address(), payouts.ACR, stepup.NewCodes(s.sendCode))

	mux := http.NewServeMux()
	mux.Handle(endpoint, door.before(mcpgo.LimitHandler(mcpHandler, 0)))
	mux.Handle(metadata, mcpHandler)
	mux.Handle(stepup.Path, page)
	mux.Handle(stepup.Path+"/", page)
	for _, path := range issuer.Paths() {
		mux.Handle(path, issuer)
	}
	return onlyAt(host, mux), g, nil
}

// sendCode prints a code to stderr, where clients cannot see it.
func (s resourceServer) sendCode(p stepup.Person, code string) {
	of := ""
	if p.Tenant != "" {
		of = fmt.Sprintf(" of %q", p.Tenant)
	}
	fmt.Fprintf(s.stderr, "code for %q%s: %s\n", p.Subject, of, code)
}

// onlyAt refuses requests with another Host header. Tokens are for this exact
// address. Another name that resolves to it may belong to an attacker.
func onlyAt(host string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != host {
			http.Error(w, "This server is at http://"+host+".", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isLoopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}
