package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/oauth/devissuer"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/serve/oauth"
	"github.com/toolcontract/toolcontract/serve/pages"
	"github.com/toolcontract/toolcontract/serve/program"
)

const (
	endpoint   = "/mcp"
	issuerPath = "/issuer"
	signInPath = "/sign-in"
)

// A resourceServer serves the tools to callers with an access token for it.
type resourceServer struct {
	name, version string
	tools         func() ([]*contract.Tool, error)
	sdk           program.SDK
	stderr        io.Writer
}

// web returns the handler for origin and its guard. The handler serves the
// tools, the metadata for clients, the pages on which people sign in and
// confirm a call, and the stand-in for an authorization server.
func (s resourceServer) web(origin string, list adapter.Config, opts []guard.Option) (http.Handler, *guard.Guard, error) {
	tools, err := s.tools()
	if err != nil {
		return nil, nil, err
	}
	address := origin + endpoint
	scopes := contract.PermissionsOf(tools...)
	issuer, err := devissuer.New(origin + issuerPath)
	if err != nil {
		return nil, nil, err
	}
	keys, err := oauth.NewKeySet(issuer.KeysAddress())
	if err != nil {
		return nil, nil, err
	}
	tokens, err := oauth.NewVerifier(oauth.VerifierConfig{
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
	sessions, err := pages.NewSessions(origin)
	if err != nil {
		return nil, nil, err
	}
	sent := newCodes(s.sendCode)
	g, err := guard.New(append([]guard.Option{
		guard.WithPrincipal(adapter.Bearer(tokens.Principal)),
		guard.WithPeople(guard.PeopleOptions{StepUpPage: sent.stepUpPage(sessions.StepUpAddress)}),
	}, opts...)...)
	if err != nil {
		return nil, nil, err
	}
	list.Tools = tools
	list.ResourceMetadata = new(resource.MetadataAddress())
	served, err := s.sdk.NewHandler(s.name, s.version, g, list)
	if err != nil {
		return nil, nil, err
	}

	mux := http.NewServeMux()
	if err := mountPages(mux, sessions, g, sent); err != nil {
		return nil, nil, err
	}
	mux.Handle(endpoint, resource.Protect(served))
	mux.Handle(resource.MetadataPath(), resource)
	for _, path := range issuer.Paths() {
		mux.Handle(path, issuer)
	}
	return mux, g, nil
}

// mountPages mounts the sign-in with codes and the page for step-up, which
// share the sessions of people.
func mountPages(mux *http.ServeMux, sessions *pages.Sessions, g *guard.Guard, sent *codes) error {
	form, err := sessions.SignInPage(signInPath, pages.SignIn{
		Verify: sent.verify, Home: signInPath,
		Hint: "This sign-in replaces that of your authorization server. The code is on the standard error of this server. " +
			"It works once, for five minutes.",
	})
	if err != nil {
		return err
	}
	page, err := sessions.StepUpPage(g, signInPath)
	if err != nil {
		return err
	}
	for path, handler := range map[string]http.Handler{signInPath: form, pages.StepUpPath: page} {
		mux.Handle(path, handler)
		mux.Handle(path+"/", handler)
	}
	return nil
}

// sendCode prints a code to stderr, where clients cannot see it.
func (s resourceServer) sendCode(to people.PrincipalName, code string) {
	of := ""
	if to.Tenant != "" {
		of = fmt.Sprintf(" of %q", to.Tenant)
	}
	fmt.Fprintf(s.stderr, "code for %q%s: %s\n", to.Subject, of, code)
}
