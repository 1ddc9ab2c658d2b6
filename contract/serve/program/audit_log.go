package program

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/toolcontract/toolcontract/contract/guard/audit"
)

// openLog opens the audit log at path. Without a path it returns nil.
func openLog(path string) (*audit.FileSink, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // there is no log
	}
	return audit.OpenFile(path)
}

// closeLog syncs and closes the log of a guard that has been closed, and prints
// the head of the log to stderr. Operators should store the head where the
// server cannot write: it proves later that the end of the log was not cut off.
// A nil log is ignored.
func closeLog(log *audit.FileSink, stderr io.Writer) error {
	if log == nil {
		return nil
	}
	err := log.Close()
	fmt.Fprintf(stderr, "head of the audit log: %s\n", log.Head())
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
