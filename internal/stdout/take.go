// Package stdout keeps a program's prints out of the protocol that it speaks on
// standard output.
package stdout

import (
	"fmt"
	"io"
	"os"
	"time"
)

// Notice is the line before the first print that goes to standard error.
const Notice = "warning: this program prints to standard output, which belongs to the protocol over stdio; " +
	"the prints are on standard error"

// lastPrints is how long the end of a session waits for the last prints. A
// child process that is still running keeps the pipe open.
const lastPrints = time.Second

// Take takes standard output away from the program, if out is standard output,
// and returns the writer for the protocol. Until giveBack is called, prints go
// to standard error, after [Notice]. Any other writer is returned as it is,
// because it may itself write to os.Stdout.
//
// On Unix this covers descriptor 1, and so also child processes and code in
// other languages. Elsewhere, and if a program has replaced os.Stdout, it
// covers the file that os.Stdout points to, even in loggers that were created
// earlier.
func Take(out io.Writer) (protocol io.Writer, giveBack func(), err error) {
	file, _ := out.(*os.File)
	redirect := redirectDescriptor
	switch {
	case file != nil && isDescriptor(file):
	case file != nil && file == os.Stdout:
		redirect = redirectVariable
	default:
		return out, func() {}, nil
	}
	prints, pipe, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("take standard output for the protocol: %w", err)
	}
	own, restore, err := redirect(file, pipe)
	if err != nil {
		_, _ = prints.Close(), pipe.Close()
		return nil, nil, fmt.Errorf("take standard output for the protocol: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		forward(prints)
	}()
	return own, func() {
		restore()
		_ = pipe.Close()
		select {
		case <-ended:
		case <-time.After(lastPrints):
		}
	}, nil
}

// redirectVariable makes a file write to pipe instead, for everyone who holds
// it.
func redirectVariable(file, pipe *os.File) (own *os.File, restore func(), err error) {
	before := *file
	*file = *pipe
	return &before, func() { *file = before }, nil
}

// forward copies prints to standard error. It never stops reading, because that
// would block whoever prints.
func forward(prints *os.File) {
	part := make([]byte, 4<<10)
	for told := false; ; {
		n, err := prints.Read(part)
		if n > 0 && !told {
			told = true
			fmt.Fprintln(os.Stderr, Notice)
		}
		_, _ = os.Stderr.Write(part[:n])
		if err != nil {
			_ = prints.Close()
			return
		}
	}
}
