// Package oauth makes an MCP endpoint an OAuth 2.1 protected resource: requests
// without a valid token get a status and a challenge from which MCP clients
// find the authorization server (RFC 6750, RFC 9728; MCP 2025-11-25 and
// 2026-07-28, Authorization). It knows no kind of token: package accesstoken
// verifies JWTs, and any other function can take its place.
//
//	resource, err := oauth.NewResource(oauth.ResourceConfig{
//		Address: web.Origin() + "/mcp",
//		Issuers: []string{"https://login.example.com"},
//		Scopes:  []string{"emails:send"},
//		Verify:  tokens.Principal,
//	})
//	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(tokens.Principal)))
//	mcp, err := mcpgo.NewHandler("mail", "1.0.0", g,
//		mcpgo.WithTools(tools...), mcpgo.WithResourceMetadata(resource.MetadataAddress()))
//	web.Handle("/mcp", resource.Protect(mcp))
//	web.Handle(resource.MetadataPath(), resource)
//
// # Two places that verify
//
// [Resource.Protect] answers with a status, before the request reaches MCP, and
// mcpgo.Bearer finds the principal of each call for the guard. Both verify the
// token. So the tools stay protected if an endpoint is mounted without Protect,
// and a token that expires in a long session is refused by the next call.
//
// A scope that only some tools need is not checked here. The guard refuses such
// a call with permission_denied, and mcpgo.WithResourceMetadata adds the
// challenge insufficient_scope to the result.
package oauth
