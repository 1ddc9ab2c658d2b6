//go:build amd64 || arm64

package witness

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A testLog records the files and variables that a child process uses. It is in
// memory, because otherwise the child would be seen writing to a file.
type testLog struct{ file *os.File }

// newTestLog returns a log, or nil if the go command does not need one because
// it does not cache this process's result.
func newTestLog() (*testLog, error) {
	if !keepsTestLog() {
		return nil, nil //nolint:nilnil // no log is needed
	}
	fd, err := unix.MemfdCreate("testlog", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return &testLog{os.NewFile(uintptr(fd), "testlog")}, nil
}

// keepsTestLog reports whether this process logs what it uses.
func keepsTestLog() bool { return set("test.testlogfile") }

// repeat looks up in this process what the child used, starting from the
// child's folder. That way the go command knows that the result depends on it,
// and runs the test again when it changes. The testing package writes one
// operation per line.
func (l *testLog) repeat(folder string) error {
	if l == nil {
		return nil
	}
	defer func() { _ = l.file.Close() }()
	if _, err := l.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewScanner(l.file)
	for lines.Scan() {
		operation, name, _ := strings.Cut(lines.Text(), " ")
		if operation == "getenv" {
			_ = os.Getenv(name)
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(folder, name)
		}
		switch operation {
		case "chdir":
			folder = name
		case "open", "stat":
			_, _ = os.Stat(name)
		}
	}
	return lines.Err()
}
