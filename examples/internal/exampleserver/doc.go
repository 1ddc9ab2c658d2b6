// Package exampleserver is what the server examples share: the flags, the
// transports, and the people who may call.
//
// Over stdio the user who started the process is the principal. Over HTTP a
// bearer token names one of a few made-up people: see [Principal]. A real
// server verifies a signed token there.
//
// The audit log goes to stderr, or with -audit to a file. Its head is printed
// when the server ends, and -verify-audit FILE -head HASH checks the file.
package exampleserver
