// Package exampleserver holds what the server examples share: the flags, the
// transports, and the principals.
//
// Over stdio the principal is the user that started the process. Over HTTP the
// bearer token names one of a few invented principals: see [Principal]. A real
// server verifies a signed token instead.
//
// The audit log goes to stderr, or with -audit to a file. The server prints the
// head of the file's hash chain when it ends; -verify-audit FILE -head HASH
// checks the file.
package exampleserver
