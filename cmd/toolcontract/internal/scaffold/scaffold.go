// Package scaffold implements the init command.
package scaffold

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/install"
)

// Command returns the init command.
func Command() cli.Command {
	return cli.Command{
		Name: "init", Arguments: "[DIR]", Purpose: "create a server in a folder", Prepare: prepare,
		Details: "The folder, by default the current one, gets a module that builds and passes its tests: main.go, tools.go with a " +
			"tool that reads and one that a person must approve, their tests and the snapshot of their contracts, a Makefile, a " +
			"workflow for CI, and .mcp.json, which connects hosts that read it. Nothing is overwritten: if one of the files exists, " +
			"nothing is written.\n\n" +
			"Then go mod tidy gets the packages, and go test records the snapshot, unless -bare is set. On a terminal, the command " +
			"asks for the word.\n\n" +
			"With -existing, nothing is written. The command prints the change for the servers that the Go package in the folder makes, " +
			"with either SDK, as a diff for git apply: limits around all tools, and a contract for each typed tool whose hints say that " +
			"it writes. Its effect and its permission are guesses for you to decide.",
		Example: "init -word notes -module example.org/notes notes",
	}
}

// words matches a domain for tools. The word is also the server's name, which
// hosts accept unchanged up to 12 characters.
var words = regexp.MustCompile(`^[a-z][a-z0-9]{0,11}$`)

// modules is stricter than Go: it matches paths that need no quoting anywhere.
var modules = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~/-]{0,199}$`)

// majors matches the last path elements that go build leaves out of a binary's
// name.
var majors = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`)

var (
	errWord   = errors.New("-word must be 1 to 12 of a-z and 0-9, and begin with a letter, such as notes")
	errModule = errors.New("-module is not the path of a module, such as example.org/notes")
)

func prepare(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	var p plan
	var bare, change bool
	flags.StringVar(&p.SDK, "sdk", "mcp-go", "the `SDK` of the server: official or mcp-go")
	flags.BoolVar(&change, "existing", false, "only print the change for an existing server, as a diff")
	flags.StringVar(&p.Word, "word", "", "the `word` of your domain, such as notes: the tools are then notes.read and notes.delete")
	flags.StringVar(&p.Module, "module", "", "the `path` of the module (default: example.org/ and the word)")
	flags.BoolVar(&bare, "bare", false, "only write the files, and run no go command; go mod tidy and make golden then come first")
	return func(ctx context.Context, args []string) (cli.Status, error) {
		if len(args) > 1 {
			return cli.Failed, cli.Usage("at most one folder is accepted")
		}
		dir := "."
		if len(args) == 1 {
			dir = args[0]
		}
		if change {
			diff, err := existing(ctx, dir)
			if err != nil {
				return cli.Failed, err
			}
			if diff == "" {
				t.Note("There is nothing to change: the servers are protected, and no typed tool has a hint that it writes.")
				return cli.OK, nil
			}
			t.Note("Apply it from here with git apply, run go mod tidy, and decide what the comments name. Over HTTP, serve with " +
				"HandlerOf if tools get contracts.")
			_, err = io.WriteString(t.Stdout, diff)
			return cli.OK, err
		}
		if err := p.complete(t); err != nil {
			return cli.Failed, err
		}
		if err := p.write(dir); err != nil {
			return cli.Failed, err
		}
		if !bare {
			if err := finish(ctx, dir, t); err != nil {
				return cli.Failed, err
			}
		}
		before := ""
		if bare {
			before = "  go mod tidy\n  make golden\n"
		}
		t.Note("The server is ready. Try it in its folder, %s:\n\n%s  make check\n  make list\n  make call",
			filepath.Clean(dir), before)
		return cli.OK, nil
	}
}

// complete asks for what the flags leave out, and checks the rest.
func (p *plan) complete(t *cli.Terminal) error {
	if t.Interactive() {
		in := bufio.NewScanner(t.Stdin)
		ask := func(into *string, question, otherwise string) {
			if *into == "" {
				t.Prompt("%s ", question)
				in.Scan()
				*into = cmp.Or(strings.TrimSpace(in.Text()), otherwise)
			}
		}
		ask(&p.Word, "Which word names what the tools work with, such as notes?", "notes")
		ask(&p.Module, fmt.Sprintf("Path of the module [example.org/%s]:", p.Word), "")
	}
	if p.Word == "" {
		return cli.Usage("-word is required, because no person can be asked")
	}
	if p.SDK != "mcp-go" && p.SDK != "official" {
		return cli.Usage("-sdk must be official or mcp-go")
	}
	p.Module = cmp.Or(p.Module, "example.org/"+p.Word)
	if !words.MatchString(p.Word) {
		return errWord
	}
	if err := install.CheckName(p.Word); err != nil {
		return fmt.Errorf("-word: %w", err)
	}
	if !modules.MatchString(p.Module) || path.Clean(p.Module) != p.Module {
		return errModule
	}
	p.Name = path.Base(p.Module)
	if parent := path.Dir(p.Module); parent != "." && majors.MatchString(p.Name) {
		p.Name = path.Base(parent)
	}
	return nil
}

// finish completes the module with its requirements and the snapshot of its
// contracts.
func finish(ctx context.Context, dir string, t *cli.Terminal) error {
	for _, step := range []struct {
		env  string
		args []string
	}{
		{"", []string{"mod", "tidy"}},
		{"CONTRACTTEST_UPDATE=1", []string{"test", "-run", "TestContracts", "."}},
	} {
		t.Progress("go %s…", strings.Join(step.args, " "))
		cmd := exec.CommandContext(ctx, "go", step.args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), step.env)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Note("%s", strings.TrimSpace(string(out)))
			return fmt.Errorf("go %s failed in %s; the files are written: correct the cause, and run it there",
				strings.Join(step.args, " "), filepath.Clean(dir))
		}
	}
	return nil
}
