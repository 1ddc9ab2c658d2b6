package program

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/audit"
)

// A second process waits this long for a log that another one has open, because
// a host that restarts a server may not wait for the first one to end.
const (
	logWait = 2 * time.Second
	logPoll = 20 * time.Millisecond
)

// openLog opens the audit log of the flags. Without one it returns nil. The
// note is for the operator. It is empty if the log is the one in the flags.
func (f flags) openLog() (log *audit.FileSink, note string, err error) {
	if f.audit == "" {
		return nil, "", nil
	}
	if err := os.MkdirAll(filepath.Dir(f.audit), 0o700); err != nil {
		return nil, "", err
	}
	switch {
	case isFolder(f.audit) || os.IsPathSeparator(f.audit[len(f.audit)-1]):
		log, err = audit.OpenFolder(f.audit, f.auditSize)
		return log, "", err
	case f.auditSize > 0:
		return nil, "", errors.New("-audit-size: -audit names a file; name a folder, in which each next log has a name of its own")
	}
	for end := time.Now().Add(logWait); ; time.Sleep(logPoll) {
		log, err = audit.OpenFile(f.audit)
		if !errors.Is(err, audit.ErrLocked) {
			return log, "", err
		}
		if time.Now().After(end) {
			break
		}
	}
	own := beside(f.audit)
	log, err = audit.OpenFile(own)
	return log, fmt.Sprintf("another process has the audit log %q; the one of this process is %q", f.audit, own), err
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// beside returns the path of a log for this process in another log's folder.
func beside(path string) string {
	suffix := filepath.Ext(path)
	now := time.Now().UTC().Format("20060102T150405Z")
	return fmt.Sprintf("%s-%s-%d%s", strings.TrimSuffix(path, suffix), now, os.Getpid(), suffix)
}

// rotateOnSignal rotates the log on each signal for it, until the returned
// function is called. It prints the heads of the ended files.
func (s Server) rotateOnSignal(log *audit.FileSink, stderr io.Writer) (stop func()) {
	signals, ended := make(chan os.Signal, 1), make(chan struct{})
	notifyRotation(signals)
	go func() {
		defer close(ended)
		for range signals {
			if head, err := log.Rotate(); err == nil {
				printHead(head, stderr)
			} else {
				fmt.Fprintf(stderr, "%s: warning: %v\n", s.Name, err)
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
		<-ended
	}
}

// printHead prints the head of a log. Operators should store it where the
// server cannot write: it proves later that the end of the log was not cut off.
func printHead(head string, stderr io.Writer) {
	fmt.Fprintf(stderr, "head of the audit log: %s\n", head)
}

// verifyLog checks the audit log at path, or all in a folder, and prints a
// report to stdout. The error for a broken log names the first bad line. It
// reports whether the logs could be read.
func verifyLog(path, head string, stdout io.Writer) (read bool, err error) {
	if isFolder(path) {
		files, err := audit.VerifyFolder(path, head)
		for _, f := range files {
			fmt.Fprintln(stdout, f)
			broken, _ := errors.AsType[*audit.ChainError](f.Err)
			read = read || broken != nil
		}
		return read, err
	}
	log, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer log.Close() //nolint:errcheck // it was only read
	report, err := audit.Verify(log, head)
	if broken, ok := errors.AsType[*audit.ChainError](err); ok {
		fmt.Fprintf(stdout, "%v; before it: %v\n", broken, report)
		return true, err
	}
	if err == nil {
		fmt.Fprintln(stdout, report)
	}
	return false, err
}
