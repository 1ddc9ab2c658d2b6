// Package accesstoken verifies JWT access tokens (RFC 9068) at a resource
// server and returns their principals.
//
// A token is valid if all of this holds:
//
//   - A key of the issuer signed it with ES256, and kid names that key.
//   - typ is at+jwt, so that ID tokens are refused.
//   - iss is the issuer, and aud has the address of this server (RFC 8707).
//   - exp has not passed; iat and, if present, nbf are not in the future.
//   - sub is not empty.
//
// Known scopes become permissions, unknown ones are ignored. The claims
// auth_time and acr declare when and how the user authenticated (RFC 9470).
//
// Keys and addresses in the header of a token (jwk, jku, x5u, x5c) are ignored.
package accesstoken
