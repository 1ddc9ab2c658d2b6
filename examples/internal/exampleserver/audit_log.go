package exampleserver

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// keepLog calls serve with the option that sends the guard's events to the file
// at path, or with none where there is no path. When serve has ended, and its
// guard with it, the log is brought to the disk, and its head goes to stderr:
// kept where the server cannot write, it shows later that the log's end was not
// cut off. Events that the log lacks are an error.
func keepLog(path string, stderr io.Writer, serve func(...guard.Option) (*guard.Guard, error)) error {
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
		err = errors.Join(err, fmt.Errorf("exampleserver: %d events are missing in the audit log", g.DroppedEvents()))
	}
	fmt.Fprintf(stderr, "head of the audit log: %s\n", sink.Head())
	return err
}

// verifyLog checks the audit log at path. What was found goes to stdout; the
// error of a broken log names the first bad line.
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
