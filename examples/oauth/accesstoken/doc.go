// Package accesstoken verifies JWT access tokens (RFC 9068) at a resource server,
// and says whom they stand for.
//
// A token counts where all of this holds: it is signed with ES256 by a key of the
// issuer's that its kid names; its typ is at+jwt, so that no ID token passes for
// one; iss is the issuer and aud has the address of this very server (RFC 8707);
// exp has not passed, iat and, where there is one, nbf have come; sub names
// somebody. Its scopes become permissions, as far as this server knows them;
// auth_time and acr say when and how the person authenticated (RFC 9470).
//
// Keys and addresses in a token's header (jwk, jku, x5u, x5c) are never looked at.
package accesstoken
