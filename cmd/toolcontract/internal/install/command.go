package install

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

const scopeUsage = "where the server is added: `user`, for all your projects; project, for the people of the project in " +
	"the current folder; or local, for you in that folder (Claude Code only). Without it: user"

// Command returns the install command.
func Command() cli.Command {
	return cli.Command{
		Name: "install", Arguments: "HOST NAME (URL | -- COMMAND [ARGUMENT…])", Purpose: "connect a host to a server", JSON: true,
		Details: fmt.Sprintf("The host is one of %s.\n\n", strings.Join(Hosts(), ", ")) +
			"For Claude Code, Codex and VS Code it runs their own commands. It edits the files of Cursor and Gemini CLI, and of a " +
			"project in VS Code: it copies the file to FILE.before-toolcontract, or FILE.before-toolcontract-2 and so on, because it " +
			"overwrites no copy, and changes only the entry of this server. It refuses a read-only file. For other hosts, or if a " +
			"file has comments, it prints the text to add, and the status is 1.\n\n" +
			"A server is never declared trusted, and no tool is allowed: the host asks as it does for every server. If the host " +
			"has a server of the same name, nothing changes and the command fails; uninstall that server first. Only VS Code, for " +
			"all your projects, replaces it.",
		Example: "install cursor -env DESK_TOKEN desk -- ./desk -audit audit",
		Prepare: prepareInstall,
	}
}

// Removal returns the uninstall command.
func Removal() cli.Command {
	return cli.Command{
		Name: "uninstall", Arguments: "HOST NAME", Purpose: "remove a server from a host", JSON: true,
		Details: fmt.Sprintf("The host is one of %s. It changes the host as install does.", strings.Join(Hosts(), ", ")),
		Example: "uninstall cursor desk",
		Prepare: prepareUninstall,
	}
}

func prepareInstall(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	var s Server
	scope := flags.String("scope", "", scopeUsage)
	only := flags.Bool("print", false, "change nothing, and print the command or the text")
	flags.BoolVar(&s.Clear, "clear", false, "write values, arguments and the URL in clear although they look like secrets")
	flags.Func("env", "an environment variable of the server, `NAME=VALUE`; ${OTHER} in the value refers to a variable of the "+
		"host, and NAME alone to that of the same name; may be repeated", func(text string) error {
		v, err := ParseEnv(text)
		s.Env = append(s.Env, v)
		return err
	})
	flags.Func("header", "a header of every request to a URL, `NAME: VALUE`, such as 'Authorization: Bearer ${TOKEN}'; "+
		"may be repeated", func(text string) error {
		v, err := ParseHeader(text)
		s.Headers = append(s.Headers, v)
		return err
	})
	return func(ctx context.Context, args []string) (cli.Status, error) {
		switch {
		case len(args) > 3 && args[2] == "--":
			s.Command = args[3:]
		case len(args) == 3 && args[2] != "--":
			s.URL = args[2]
		default:
			return cli.Failed, cli.Usage("a host, a name, and a URL or a command after -- are required")
		}
		s.Name = args[1]
		at, err := Here()
		if err != nil {
			return cli.Failed, err
		}
		p, err := Install(s, args[0], *scope, at)
		if err != nil {
			return cli.Failed, err
		}
		return p.finish(ctx, *only, t)
	}
}

func prepareUninstall(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	scope := flags.String("scope", "", strings.Replace(scopeUsage, "added", "removed", 1))
	only := flags.Bool("print", false, "change nothing, and print the command or the text")
	return func(ctx context.Context, args []string) (cli.Status, error) {
		if len(args) != 2 {
			return cli.Failed, cli.Usage("a host and a name are required")
		}
		at, err := Here()
		if err != nil {
			return cli.Failed, err
		}
		p, err := Uninstall(args[1], args[0], *scope, at)
		if err != nil {
			return cli.Failed, err
		}
		return p.finish(ctx, *only, t)
	}
}

// printed is the JSON form of a plan and its outcome.
type printed struct {
	Host  string `json:"host"`
	Name  string `json:"name"`
	Scope string `json:"scope"`
	// Done reports whether the host has the change.
	Done bool `json:"done"`
	// ByHand is why a person has to make the change.
	ByHand  string   `json:"byHand,omitempty"`
	Command []string `json:"command,omitempty"`
	File    string   `json:"file"`
	Text    string   `json:"text,omitempty"`
	Backup  string   `json:"backup,omitempty"`
}

// finish carries out the plan, or only prints it.
func (p Plan) finish(ctx context.Context, only bool, t *cli.Terminal) (cli.Status, error) {
	if p.Warning != "" {
		t.Note("Warning: %s.", p.Warning)
	}
	out := printed{Host: p.Host, Name: p.Name, Scope: p.Scope, Command: p.Command, File: p.File, Text: p.Text}
	if only {
		return cli.OK, t.Print(out, p.String())
	}
	done, err := p.Do(ctx, t.Stderr)
	if err != nil {
		return cli.Failed, err
	}
	out.ByHand, out.Backup, out.Done = done.ByHand, done.Backup, done.ByHand == ""
	if !out.Done {
		return cli.Bad, t.Print(out, done.ByHand+".\n"+p.String())
	}
	has := "has"
	if p.removing {
		has = "no longer has"
	}
	text := fmt.Sprintf("%s %s the server %s (%s).", p.Title, has, p.Name, p.Scope)
	if p.Edits {
		text += " Its file is " + p.File
	}
	if done.Backup != "" {
		text += ", and the file as it was before is " + done.Backup
	}
	return cli.OK, t.Print(out, text)
}
