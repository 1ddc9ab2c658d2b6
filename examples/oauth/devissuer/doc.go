// Package devissuer stands in for the reader's authorization server, so that the
// example needs none. It is not one: it knows no passwords and no clients, and
// gives a token for anybody to anybody on this machine who asks.
//
// What of it is as it will be elsewhere is what a resource server and its clients
// look at: the metadata (RFC 8414), the keys (RFC 7517), and the tokens (RFC 9068).
// It makes its keys when it starts, and with them its tokens end with the process.
package devissuer
