package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/keys"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve"
	"github.com/toolcontract/toolcontract/serve/oauth"
)

// endpoint is the path of the tools over HTTP.
const endpoint = "/mcp"

// serveHTTP serves over HTTP until SIGTERM or SIGINT. Once it listens, it
// prints the address to stderr as the first line, because scripts wait for it.
// It reports whether serving began.
func (s Server) serveHTTP(f flags, stderr io.Writer, b Backend, opts []guard.Option) (began bool, err error) {
	s.SignIn.ProxyHeader = cmp.Or(f.proxyHeader, s.SignIn.ProxyHeader)
	if f.origin != "" && s.SignIn.Verify != nil && s.SignIn.ProxyHeader == "" {
		b.Warnings = append(slices.Clip(b.Warnings), "all visitors of the sign-in share the tries of the proxy's address, so a "+
			"stranger can spend them; pass -proxy-header with the header in which the proxy passes the address of its client")
	}
	started := func(origin string) {
		began = true
		fmt.Fprintf(stderr, "listening on %s%s\n", origin, endpoint)
		b.warn(s.Name, stderr)
	}
	web, err := serve.Listen(f.http, serve.Config{
		Origin: f.origin, ProxyStrips: f.proxyStrips, AllowedOrigins: f.allowedOrigins, DrainDelay: f.drainDelay, Started: started,
	})
	if err != nil {
		return false, s.inFlags(err)
	}
	g, err := s.mount(web, f, opts)
	if err != nil {
		return false, errors.Join(err, web.Close())
	}
	err = web.Serve(context.Background(), g)
	return began, err
}

// inFlags returns an error of package serve in the words of the command line,
// because its reader does not call the functions of that package.
func (s Server) inFlags(err error) error {
	switch {
	case !errors.Is(err, serve.ErrNotLoopback):
		return err
	case s.Public:
		return errors.New("-http: other machines can reach the address, so clients must use https; " +
			"pass -origin with the https origin, such as https://mail.example.com, or listen on a loopback address such as 127.0.0.1:8080")
	default:
		return errors.New("-http: other machines can reach the address, and this server is only for the local machine; " +
			"listen on a loopback address such as 127.0.0.1:8080")
	}
}

// mount mounts everything that is served over HTTP, and returns the guard.
func (s Server) mount(web *serve.Server, f flags, opts []guard.Option) (*guard.Guard, error) {
	if s.Web != nil {
		handler, g, err := s.Web(web.Origin(), f.list(), append([]guard.Option{guard.WithOperations()}, opts...))
		if err != nil {
			return g, err
		}
		handler, err = s.withKeys(handler, g, f)
		web.HandleTree("/", handler)
		web.HandleTree("/.well-known", handler) // not below the path of -origin
		return g, err
	}
	s, err := s.withTokens(web.Origin())
	if err != nil {
		return nil, err
	}
	p, err := s.newSite(web.Origin(), f.approval)
	if err != nil {
		return nil, err
	}
	resource, err := s.resource(web.Origin())
	if err != nil {
		return nil, err
	}
	list := f.list()
	if resource != nil {
		address := resource.MetadataAddress()
		list.ResourceMetadata = &address
	}
	handler, g, err := s.Handler(list, append(p.options(), opts...)...)
	if err != nil {
		return nil, err
	}
	if handler, err = s.withKeys(handler, g, f); err != nil {
		return g, err
	}
	if resource != nil {
		handler = resource.Protect(handler)
		web.Handle(resource.MetadataPath(), resource)
	}
	web.Handle(endpoint, handler)
	tools, err := s.Tools()
	if err != nil {
		return g, err
	}
	return g, p.mount(web, g, tools)
}

// withKeys returns a handler with the keys for gateways, if the flags ask for
// them.
func (s Server) withKeys(handler http.Handler, g *guard.Guard, f flags) (http.Handler, error) {
	if !f.gateway {
		return handler, nil
	}
	tools, err := s.Tools()
	if err != nil {
		return nil, err
	}
	return keys.Handler(handler, keys.For(f.names, served(g, tools)...)), nil
}

// served returns the tools that a guard serves: those given, and its own. If
// they cannot be protected, serving them returns the error.
func served(g *guard.Guard, tools []*contract.Tool) []*contract.Tool {
	set, err := g.Protect(tools...)
	if err != nil {
		return tools
	}
	return set.Tools()
}

// resource returns the OAuth resource, or nil if there are no issuers.
func (s Server) resource(origin string) (*oauth.Resource, error) {
	if len(s.Issuers) == 0 {
		return nil, nil //nolint:nilnil // there is no resource
	}
	tools, err := s.Tools()
	if err != nil {
		return nil, err
	}
	return oauth.NewResource(oauth.ResourceConfig{
		Address: origin + endpoint, Name: s.Name, Issuers: s.Issuers, Scopes: contract.PermissionsOf(tools...), Verify: s.Callers,
	})
}

// Handler returns the handler of the tools over HTTP, and its guard, for tests
// and for programs that have their own HTTP server. It mounts no pages. The
// bearer token names the caller. The config says how the tools are listed; its
// Tools are replaced by those of s. The options are those of guard.New. The
// caller must close the guard. It is an error if Callers and Tokens are nil, or
// if Tokens has no Resource.
func (s Server) Handler(list adapter.Config, opts ...guard.Option) (http.Handler, *guard.Guard, error) {
	s, err := s.withTokens("")
	if err != nil {
		return nil, nil, err
	}
	if s.Callers == nil {
		return nil, nil, errors.New("program: Callers is nil, so no caller over HTTP could be identified; set it to a " +
			"function such as oauth.Verifier.Principal, or set Tokens")
	}
	if list.Tools, err = s.Tools(); err != nil {
		return nil, nil, err
	}
	g, err := guard.New(append([]guard.Option{guard.WithPrincipal(adapter.Bearer(s.Callers)), guard.WithOperations()}, opts...)...)
	if err != nil {
		return nil, nil, err
	}
	handler, err := s.sdk().NewHandler(s.Name, s.Version, g, list)
	return handler, g, err
}
