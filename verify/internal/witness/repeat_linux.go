//go:build amd64 || arm64

package witness

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startFolder is where the process started. Tests can change the folder before
// they reach Run, and their repetition must not start there.
var startFolder = workingFolder()

func workingFolder() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	return folder
}

// cannotRepeat returns why a test cannot run again in a separate process, or
// "".
func cannotRepeat(t *testing.T) string {
	if set("test.fuzz") && strings.HasPrefix(t.Name(), "Fuzz") {
		return "the input of a fuzz target exists only in this process"
	}
	if _, err := os.Executable(); err != nil {
		return fmt.Sprintf("the test binary cannot be found to run it again: %v", err)
	}
	return ""
}

// set reports whether a flag exists and is not empty.
func set(name string) bool {
	f := flag.Lookup(name)
	return f != nil && f.Value.String() != ""
}

// repetition returns the command that runs the test again, and nothing else. It
// gets the environment and folder this process started with, because the test's
// setup will change them again.
func repetition(t *testing.T, limit time.Duration, socket *os.File, log *testLog) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// supervise ends the command. If this process ends, the kernel does.
	cmd := exec.Command(self, arguments(t.Name(), limit, log != nil)...) //nolint:noctx // see above
	cmd.Dir = startFolder
	cmd.Env = append(startEnvironment(),
		fmt.Sprintf("%s=%d %s", variable, os.Getpid(), t.Name()),
		// Otherwise the race detector would wait for a second before the
		// process ends.
		"GORACE="+strings.TrimSpace(os.Getenv("GORACE")+" atexit_sleep_ms=0"),
	)
	cmd.ExtraFiles = []*os.File{socket}
	if log != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, log.file)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd, nil
}

// startEnvironment returns the environment that this process was started with.
func startEnvironment() []string {
	raw, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		return os.Environ()
	}
	var environment []string
	for entry := range bytes.SplitSeq(raw, []byte{0}) {
		if len(entry) > 0 {
			environment = append(environment, string(entry))
		}
	}
	return environment
}

// passedFlags lists the flags of the testing package that change what a test
// does, or where its coverage counters go: the first process merges those.
// Flags that write a file are not passed on, because the file would be
// overwritten.
var passedFlags = []string{"short", "parallel", "paniconexit0", "fullpath", "gocoverdir"}

// arguments returns the repetition's command line: the flags of the testing
// package that it needs, the tests' own flags, and the descriptor of its log if
// it has one.
func arguments(name string, limit time.Duration, log bool) []string {
	args := []string{
		"-test.run=" + pattern(name), "-test.count=1", "-test.timeout=" + limit.String(),
		"-test.cpu=" + strconv.Itoa(runtime.GOMAXPROCS(0)),
	}
	for _, name := range passedFlags {
		if f := flag.Lookup("test." + name); f != nil && f.Value.String() != "" && f.Value.String() != f.DefValue {
			args = append(args, "-test."+name+"="+f.Value.String())
		}
	}
	if log {
		args = append(args, fmt.Sprintf("-test.testlogfile=/proc/self/fd/%d", control+1))
	}
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	if flag.NArg() > 0 {
		args = append(append(args, "--"), flag.Args()...)
	}
	return args
}

// pattern returns the -test.run pattern that selects one test.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}
