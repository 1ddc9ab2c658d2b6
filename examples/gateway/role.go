package main

import (
	"fmt"
	"io"
	"os"

	"github.com/toolcontract/toolcontract/examples/emails/mail"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
)

// roleEnv is the environment variable that makes a process of this program one
// of the servers behind the gateway.
const roleEnv = "GATEWAY_EXAMPLE_ROLE"

// A role is a server that this program can be.
type role string

const (
	emailsRole role = "emails" // examples/emails
	notesRole  role = "notes"
)

// run serves over stdio until the input ends, and returns the exit code.
func (r role) run() int {
	switch r {
	case emailsRole:
		post := new(mail.Post)
		return exampleserver.Server{Name: "emails", Version: "1.0.0", Tools: post.Tools}.
			Main([]string{"-tier", "full"}, os.Stdout, io.Discard)
	case notesRole:
		if err := serveNotes(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "notes:", err)
			return 1
		}
		return 0
	}
	fmt.Fprintf(os.Stderr, "gateway: the role %q is not known\n", string(r))
	return 2
}
