// Package export implements the export command, which turns contracts into the
// files that server directories require.
package export

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/snapshot"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/target"
)

// parameters are the flags for facts that contracts don't have.
type parameters struct{ name, version, title, description, url, schema string }

// formats are the exports by name.
var formats = map[string]func(source, parameters) result{
	"openai": openAI, "openai-legacy": legacy, "claude": claude, "registry": registry,
}

// Command returns the export command.
func Command() cli.Command {
	return cli.Command{
		Name: "export", Arguments: "FORMAT (SNAPSHOT | SERVER | -- COMMAND [ARGUMENT…])",
		Purpose: "write the files that a directory of servers demands", JSON: true, Prepare: prepare,
		Details: "The format is one of openai (a plugin's files, and a page of justifications), openai-legacy " +
			"(chatgpt-app-submission.json), claude (a checklist) and registry (server.json of the MCP registry).\n\n" +
			"Hints, justifications and summaries follow from the contracts. All else is left out unless a flag sets it, and the " +
			"findings name what a person has to add. If a directory would refuse a tool, no file is written, and the status is 1. " +
			"The formats are of 2026-10.\n\n" + target.Details + " It lists only the tools whose permissions the caller holds.",
		Example: "export registry -name io.github.anna/notes -version 1.0.0 testdata/contracts.json",
	}
}

func prepare(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	server := target.Declare(flags)
	var p parameters
	flags.StringVar(&p.name, "name", "", "the `name` of the plugin, or NAMESPACE/NAME in the registry")
	flags.StringVar(&p.version, "version", "", "the `version` of the server")
	flags.StringVar(&p.title, "title", "", "the `name` of the server for people")
	flags.StringVar(&p.description, "description", "", "what the server does, in a `sentence`")
	flags.StringVar(&p.url, "url", "", "the public `address` of the server")
	flags.StringVar(&p.schema, "schema", legacySchema, "the `address` of the schema in openai-legacy")
	dir := flags.String("dir", "", "write the files to this `folder`; without it, they are printed")
	return func(ctx context.Context, args []string) (cli.Status, error) {
		if len(args) < 2 || formats[args[0]] == nil {
			return cli.Failed, cli.Usage(fmt.Sprintf("a format and a source are required; the formats are %s",
				strings.Join(slices.Sorted(maps.Keys(formats)), ", ")))
		}
		from, err := read(ctx, server, args[1:], t)
		if err != nil {
			return cli.Failed, err
		}
		r := formats[args[0]](from, p)
		status := cli.OK
		if r.wrong() {
			status = cli.Bad
			if args[0] != "claude" { // a checklist is about what is wrong
				r.Files = map[string]string{}
			}
		}
		if *dir != "" {
			if err := r.write(*dir); err != nil {
				return cli.Failed, err
			}
		}
		return status, r.print(*dir, t)
	}
}

// read reads the tools from a snapshot or a running server.
func read(ctx context.Context, server *target.Target, args []string, t *cli.Terminal) (source, error) {
	if len(args) == 1 && target.IsFile(args[0]) {
		s, err := snapshot.Read(ctx, args[0])
		if err != nil {
			return source{}, err
		}
		return ofSnapshot(s)
	}
	transport, rest, err := server.Transport(args, t)
	if err != nil {
		return source{}, err
	}
	if len(rest) > 0 {
		return source{}, cli.Usage("one snapshot or server is required")
	}
	tools, err := server.List(ctx, transport, t)
	if err != nil {
		return source{}, err
	}
	return ofListing(tools)
}

// file adds a JSON file.
func (r *result) file(name string, value any) {
	encoded, _ := cli.JSON(value, "  ") // structs of strings, numbers and lists of them
	r.text(name, string(encoded))
}

func (r *result) text(name, text string) {
	if r.Files == nil {
		r.Files = map[string]string{}
	}
	r.Files[name] = text
}

// write writes the files to a folder. It never replaces an existing file,
// because a person may have completed it.
func (r *result) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // the files are for publication
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // so is this one
		if err != nil {
			return err
		}
		_, err = f.WriteString(r.Files[name])
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// print prints the findings, and the files if they were not written.
func (r *result) print(dir string, t *cli.Terminal) error {
	if r.Findings == nil {
		r.Findings = []finding{}
	}
	if t.JSON {
		return t.Print(r, "")
	}
	if _, err := fmt.Fprint(t.Stderr, r.lines()); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(r.Files))
	var text strings.Builder
	for _, name := range names {
		switch {
		case dir != "":
			fmt.Fprintf(&text, "%s is written.\n", filepath.Join(dir, name))
		case len(names) == 1:
			text.WriteString(r.Files[name])
		default:
			fmt.Fprintf(&text, "== %s ==\n%s", name, r.Files[name])
		}
	}
	if len(names) == 0 {
		return nil
	}
	return t.Print(nil, text.String())
}
