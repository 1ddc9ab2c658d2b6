package target

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// Build compiles the server of a command such as "go run . -approval", however
// long that takes, because the time to answer should be that of the server
// alone. Go keeps the result, so the command itself then starts at once. For
// every other command Build does nothing.
func Build(ctx context.Context, path string, args []string, on *cli.Terminal) error {
	at := 1 // of the next flag of go run
	switch {
	case !IsGo(path) || len(args) < 2 || args[0] != "run":
		return nil
	case slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-exec") }):
		return nil // another program would start the server
	case args[1] == "-C": // it must stay the first one
		at = min(3, len(args))
	case strings.HasPrefix(args[1], "-C="):
		at = 2
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// In place of the server, go starts this program, which prints its help and
	// ends.
	build := cli.Process(ctx, path, slices.Insert(slices.Clone(args), at, "-exec", quoted(self)+" -h")...)
	log := &serverLog{on: on}
	build.Stderr = log
	on.Progress("building: %s", strings.Join(slices.Concat([]string{"go"}, args), " "))
	err = build.Run()
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted before the server was built")
	case err != nil:
		log.note()
		return errors.New("the server cannot be built")
	}
	return nil
}

// IsGo reports whether a command's program is go.
func IsGo(path string) bool { return strings.TrimSuffix(filepath.Base(path), ".exe") == "go" }

// quoted quotes a path the way go reads -exec, which knows no escapes.
func quoted(path string) string {
	if strings.Contains(path, `"`) {
		return "'" + path + "'"
	}
	return `"` + path + `"`
}
