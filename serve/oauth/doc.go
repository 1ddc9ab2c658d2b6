// Package oauth makes an MCP endpoint an OAuth 2.1 protected resource. A
// [Resource] answers requests without a valid token with a status and a
// challenge that leads MCP clients to the authorization server (RFC 6750, RFC
// 9728; MCP 2025-11-25 and 2026-07-28, Authorization). A [Verifier] verifies
// JWT access tokens (RFC 9068) and returns their principals; any other function
// can replace it.
//
//	keys, err := oauth.NewKeySet("https://login.example.com/jwks")
//	tokens, err := oauth.NewVerifier(oauth.VerifierConfig{
//		Issuer:   "https://login.example.com",
//		Resource: web.Origin() + "/mcp",
//		Scopes:   []string{"emails:send"},
//		Keys:     keys.Key,
//	})
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
// # Why tokens are verified twice
//
// [Resource.Protect] answers with a status before the request reaches MCP, and
// mcpgo.Bearer finds each call's principal for the guard. Both verify the
// token. So the tools stay protected if an endpoint is mounted without Protect,
// and a token that expires in a long session is refused at the next call.
//
// A scope that only some tools need is not checked here. The guard refuses such
// a call with permission_denied, and mcpgo.WithResourceMetadata adds the
// challenge insufficient_scope to the result.
//
// # Tokens
//
// A token is valid if all of these are true:
//
//   - A key of the issuer signed it with an allowed algorithm, by default
//     ES256, and kid names that key. A key published for another algorithm or
//     for encryption does not count, nor does an RSA key of less than 2048
//     bits.
//   - typ is at+jwt, so that ID tokens are refused, unless the configuration
//     has AnyType.
//   - iss is the issuer, and aud has the address of this server (RFC 8707).
//   - exp has not passed; iat and, if present, nbf are not in the future.
//   - sub is not empty.
//
// Known scopes become permissions; unknown ones are ignored. The claims
// auth_time and acr declare when and how the user authenticated (RFC 9470).
//
// Keys and addresses in a token's header (jwk, jku, x5u, x5c) are ignored. If
// the issuer's keys cannot be reached, the error wraps guard.ErrUnavailable,
// and the token is neither valid nor invalid.
package oauth
