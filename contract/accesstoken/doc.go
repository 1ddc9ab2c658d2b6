// Package accesstoken verifies JWT access tokens (RFC 9068) at a resource
// server and returns their principals. Pass the method to mcpgo.Bearer:
//
//	keys, err := accesstoken.NewKeySet("https://login.example.com/jwks")
//	tokens, err := accesstoken.New(accesstoken.Config{
//		Issuer:   "https://login.example.com",
//		Resource: "https://mail.example.com/mcp",
//		Scopes:   []string{"emails:send"},
//		Keys:     keys.Key,
//	})
//	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(tokens.Principal)))
//
// A token is valid if all of this holds:
//
//   - A key of the issuer signed it with an allowed algorithm, by default
//     ES256, and kid names that key.
//   - typ is at+jwt, so that ID tokens are refused, unless the configuration
//     has AnyType.
//   - iss is the issuer, and aud has the address of this server (RFC 8707).
//   - exp has not passed; iat and, if present, nbf are not in the future.
//   - sub is not empty.
//
// Known scopes become permissions, unknown ones are ignored. The claims
// auth_time and acr declare when and how the user authenticated (RFC 9470).
//
// Keys and addresses in the header of a token (jwk, jku, x5u, x5c) are ignored.
// If the keys of the issuer cannot be reached, the error wraps
// guard.ErrUnavailable, and the token is neither valid nor invalid.
package accesstoken
