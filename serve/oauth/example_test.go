package oauth_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/oauth"
)

// A client without a token learns where the metadata is, and there which
// authorization server to use.
func ExampleResource() {
	resource, err := oauth.NewResource(oauth.ResourceConfig{
		Address: "https://mail.example.com/mcp",
		Issuers: []string{"https://login.example.com"},
		Scopes:  []string{"emails:send"},
		Verify: func(context.Context, string) (guard.Principal, error) { // such as oauth.Verifier.Principal
			return guard.Principal{Subject: "alice"}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", resource.Protect(http.NotFoundHandler())) // in place of mcpgo.NewHandler
	mux.Handle(resource.MetadataPath(), resource)

	for _, path := range []string{"/mcp", resource.MetadataPath()} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		fmt.Println(w.Code, w.Header()["Www-Authenticate"])
		fmt.Println(w.Body)
	}
	// Output:
	// 401 [Bearer resource_metadata="https://mail.example.com/.well-known/oauth-protected-resource/mcp"]
	// Unauthorized
	//
	// 200 []
	// {"resource":"https://mail.example.com/mcp","authorization_servers":["https://login.example.com"],"scopes_supported":["emails:send"],"bearer_methods_supported":["header"]}
}
