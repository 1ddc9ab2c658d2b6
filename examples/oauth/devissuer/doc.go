// Package devissuer stands in for an authorization server, so that the example
// needs none. It has no passwords and no clients: anyone on this machine gets a
// token for any user.
//
// The metadata (RFC 8414), the keys (RFC 7517) and the tokens (RFC 9068) are
// those of a real authorization server. The key is generated at the start, so
// tokens end with the process.
package devissuer
