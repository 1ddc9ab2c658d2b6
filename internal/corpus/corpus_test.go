package corpus_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the recordings again")

// minRequests is the number of requests that the corpus must not fall below.
const minRequests = 300

// patience bounds one scenario. Only a process that hangs reaches it.
const patience = 2 * time.Minute

// examples are the commands that the corpus drives, relative to the module.
var examples = []string{
	"./examples/calculator", "./examples/emails", "./examples/files", "./examples/migration",
	"./examples/migration/plain", "./examples/oauth", "./examples/replicas", "./examples/smallest",
}

var binaries string // the directory for the built examples

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "corpus")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binaries = dir
	return m.Run()
}

var build = sync.OnceValue(func() error {
	args := append([]string{"build", "-ldflags=-s -w", "-o", binaries + string(filepath.Separator)}, examples...)
	cmd := exec.CommandContext(context.Background(), "go", args...)
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
})

// binary returns the path of a built example.
func binary(t *testing.T, name string) string {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(binaries, name)
}

func patient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	t.Cleanup(cancel)
	return ctx
}
