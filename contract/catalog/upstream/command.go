package upstream

import "io"

// A Command is a [Transport] to a server that it starts as a process and that
// serves over stdio. Each connection is a new process.
type Command struct {
	// Path is the program, and Args are its arguments without the name of the
	// program. Path is required.
	Path string
	Args []string
	// Env is the environment. Nil: that of this process.
	Env []string
	// Dir is the working directory. Empty: that of this process.
	Dir string
	// Stderr gets what the server logs. Nil: it is discarded.
	Stderr io.Writer
}
