package adapter

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/stdout"
)

// Streams are the input and output of a stdio session. The zero value uses
// those of the process.
type Streams struct {
	// In is read, and Out is written. Neither is closed. Nil means standard
	// input and standard output.
	In  io.Reader
	Out io.Writer
	// SharedStdout lets the program write to standard output as well. Whatever it
	// prints there ends up in the protocol stream.
	SharedStdout bool
}

// Serve calls serve with the streams. The context is cancelled when the process
// gets SIGINT or SIGTERM; a second signal ends the process. If the client is
// gone, the process goes on and writes return errors.
//
// If Out is nil or standard output itself, only serve can write there until it
// returns. Anything else the program prints goes to standard error, after one
// line that says so. Any other writer is left alone, and so is whatever it
// writes to.
func (s Streams) Serve(serve func(ctx context.Context, in io.Reader, out io.Writer) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	// Without this the first failed write would kill the process while handlers
	// and audit events are in progress.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)

	if s.In == nil {
		s.In = os.Stdin
	}
	if s.Out == nil {
		s.Out = os.Stdout
	}
	if s.SharedStdout {
		return serve(ctx, s.In, s.Out)
	}
	out, giveBack, err := stdout.Take(s.Out)
	if err != nil {
		return err
	}
	defer giveBack()
	return serve(ctx, s.In, out)
}

// CheckIdentity returns an error for a server without a name or a version. The
// error joins a [contract.DeclarationError] for each.
func CheckIdentity(name, version string) error {
	var errs []error
	if name == "" {
		errs = append(errs, &contract.DeclarationError{Rule: "serve.name", Where: "name", Message: "the server has no name",
			Remedy: "pass one"})
	}
	if version == "" {
		errs = append(errs, &contract.DeclarationError{Rule: "serve.version", Where: "version", Message: "the server has no version",
			Remedy: "pass one"})
	}
	return errors.Join(errs...)
}

// JoinFindings joins the differences that an adapter found between a server's
// tools and their contracts. It sorts them by tool and rule and drops
// duplicates. The error is nil without findings.
func JoinFindings(findings []*contract.DeclarationError) error {
	slices.SortFunc(findings, func(a, b *contract.DeclarationError) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Rule, b.Rule))
	})
	var errs []error
	for i, f := range findings {
		if i == 0 || *f != *findings[i-1] {
			errs = append(errs, f)
		}
	}
	return errors.Join(errs...)
}
