package corpus_test

import (
	"context"
	"flag"
	"fmt"
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
	"calculator", "emails", "files", "invoices", "migration", "migration/plain", "oauth", "replicas", "smallest",
}

// build builds the examples and returns their directory. They stay there,
// because go build links again only those that have changed.
var build = sync.OnceValues(func() (directory string, err error) {
	binaries, err := filepath.Abs(filepath.Join("..", "..", "..", "bin", "corpus"))
	if err != nil {
		return "", err
	}
	args := []string{"build", "-ldflags=-s -w", "-o", binaries + string(filepath.Separator)}
	for _, e := range examples {
		args = append(args, "../../"+e)
	}
	cmd := exec.CommandContext(context.Background(), "go", args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return binaries, nil
})

// binary returns the path of a built example.
func binary(t *testing.T, name string) string {
	t.Helper()
	binaries, err := build()
	if err != nil {
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
