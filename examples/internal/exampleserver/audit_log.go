package exampleserver

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// withAuditLog runs serve with an option that writes the guard's events to the
// file at path. Without a path it passes no option.
//
// When serve has ended, withAuditLog syncs the log and prints its head to
// stderr. Operators should store the head where the server cannot write: it
// proves later that the end of the log was not cut off. Missing events are an
// error.
func withAuditLog(path string, stderr io.Writer, serve func(...guard.Option) (*guard.Guard, error)) error {
	if path == "" {
		_, err := serve()
		return err
	}
	sink, err := audit.OpenFile(path)
	if err != nil {
		return err
	}
	g, err := serve(guard.WithAudit(sink))
	err = errors.Join(err, sink.Close())
	if g != nil && g.DroppedEvents() > 0 {
		err = errors.Join(err, fmt.Errorf("exampleserver: %d events are missing from the audit log", g.DroppedEvents()))
	}
	fmt.Fprintf(stderr, "head of the audit log: %s\n", sink.Head())
	return err
}

// verifyLog checks the audit log at path and prints a report to stdout. The
// error for a broken log names the first bad line.
func verifyLog(path, head string, stdout io.Writer) error {
	log, err := os.Open(path)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // it was only read
	report, err := audit.Verify(log, head)
	if broken, ok := errors.AsType[*audit.ChainError](err); ok {
		fmt.Fprintf(stdout, "%v; before it: %v\n", broken, report)
		return err
	}
	if err == nil {
		fmt.Fprintln(stdout, report)
	}
	return err
}
