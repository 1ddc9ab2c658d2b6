package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/accesstoken"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/contract/oauth"
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

// web returns the handler for origin and its guard. The handler serves the
// tools, the metadata for clients, the page where people authenticate again,
// and the stand-in for an authorization server.
func (s resourceServer) web(origin string, options []mcpgo.Option, opts []guard.Option) (http.Handler, *guard.Guard, error) {
	tools, err := s.tools()
	if err != nil {
		return nil, nil, err
	}
	address, scopes := origin+endpoint, contract.PermissionsOf(tools...)
	issuer, err := devissuer.New(origin + issuerPath)
	if err != nil {
		return nil, nil, err
	}
	keys, err := accesstoken.NewKeySet(issuer.KeysAddress())
	if err != nil {
		return nil, nil, err
	}
	tokens, err := accesstoken.New(accesstoken.Config{
		Issuer: issuer.Address(), Resource: address, Scopes: scopes, TenantClaim: devissuer.ClaimTenant, Keys: keys.Key,
	})
	if err != nil {
		return nil, nil, err
	}
	resource, err := oauth.NewResource(oauth.ResourceConfig{
		Address: address, Name: "Payouts", Issuers: []string{issuer.Address()}, Scopes: scopes, Verify: tokens.Principal,
		Logger: slog.New(slog.NewTextHandler(s.stderr, nil)),
	})
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
	served, err := mcpgo.NewHandler(s.name, s.version, g,
		append(slices.Clip(options), mcpgo.WithTools(tools...), mcpgo.WithResourceMetadata(resource.MetadataAddress()))...)
	if err != nil {
		return nil, nil, err
	}
	page := stepup.New(g, issuer.Address(), payouts.ACR, stepup.NewCodes(s.sendCode))

	mux := http.NewServeMux()
	mux.Handle(endpoint, resource.Protect(served))
	mux.Handle(resource.MetadataPath(), resource)
	mux.Handle(stepup.Path, page)
	mux.Handle(stepup.Path+"/", page)
	for _, path := range issuer.Paths() {
		mux.Handle(path, issuer)
	}
	return mux, g, nil
}

// sendCode prints a code to stderr, where clients cannot see it.
func (s resourceServer) sendCode(p stepup.Person, code string) {
	of := ""
	if p.Tenant != "" {
		of = fmt.Sprintf(" of %q", p.Tenant)
	}
	fmt.Fprintf(s.stderr, "code for %q%s: %s\n", p.Subject, of, code)
}
