// Package install adds servers to the configurations of hosts and removes them.
// It never marks a server as trusted, and never allows a tool.
package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// A Server is what a host connects to: a command that serves over stdio, or a
// URL.
type Server struct {
	Name    string
	Command []string
	URL     string
	Env     []Variable
	Headers []Variable
	// Clear allows what looks like a secret to be written in clear text.
	Clear bool
}

func (s Server) variables() []Variable { return slices.Concat(s.Env, s.Headers) }

// An entry is a server in a host's JSON.
type entry struct {
	Type      string            `json:"type,omitempty"`
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	URL       string            `json:"url,omitempty"`
	HTTPURL   string            `json:"httpUrl,omitempty"`
	ServerURL string            `json:"serverUrl,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
}

// An input is a value that VS Code asks a person for.
type input struct {
	Type        string `json:"type"`
	ID          string `json:"id"`
	Description string `json:"description"`
	Password    bool   `json:"password"`
}

// A Plan is what changes in a host. One of three ways applies: one of the
// host's own commands, an edited file, or text that a person adds.
type Plan struct {
	Host, Title, Name, Scope string
	// Command is one of the host's own commands.
	Command []string
	// File is the host's configuration file.
	File string
	// Text is what a person adds to the file, or a request to remove it.
	Text string
	// Edits reports whether Do edits the file.
	Edits bool
	// Warning is why the server may not start. It is empty if no reason is
	// known.
	Warning string

	entry    entry
	inputs   []input
	key      string
	removing bool
}

// Done is what Do did.
type Done struct {
	// ByHand is why a person must add or remove the text. It is empty if the
	// host has the change.
	ByHand string
	// Backup is the copy of the file as it was before. It is empty if the file
	// did not exist or did not change.
	Backup string
}

// goodName matches names that every host accepts unchanged and that leave room
// for tool names.
var goodName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,11}$`)

// reserved are names that hosts use themselves.
var reserved = []string{"workspace", "claude-in-chrome", "computer-use"}

// CheckName returns an error for a server name that a host would change.
func CheckName(name string) error {
	if !goodName.MatchString(name) {
		return errors.New("the name of the server must have at most 12 lower-case letters, digits and -, and begin with a letter: " +
			"every host takes such a name as it is")
	}
	if slices.Contains(reserved, name) {
		return errors.New("the name of the server is reserved by a host; choose another one")
	}
	return nil
}

// Install plans the installation of a server in a host. The default scope is
// user: all of the user's projects.
func Install(s Server, id, scope string, at Place) (Plan, error) {
	h, scope, err := find(id, scope)
	if err != nil {
		return Plan{}, err
	}
	if err := s.check(h); err != nil {
		return Plan{}, err
	}
	if len(s.Command) > 0 && scope != project {
		s.Command = append([]string{absolute(s.Command[0], at.Dir)}, s.Command[1:]...)
	}
	p := Plan{Host: id, Title: h.title, Name: s.Name, Scope: scope, File: h.file(at, scope), Edits: h.edits(scope), key: h.key}
	if len(s.Command) > 0 && !runnable(s.Command[0], at.Dir) {
		p.Warning = "the command of the server does not exist, or cannot be run: the host will not be able to start it"
	}
	if !h.foreign {
		if h.refer == "" && refers(s.variables()) {
			return Plan{}, fmt.Errorf("%s has no references to variables of its environment; let the server read the secret itself, "+
				"or pass NAME=VALUE and -clear", h.title)
		}
		p.entry = h.entry(s)
	}
	if h.plan != nil {
		if err := h.plan(s, &p); err != nil {
			return Plan{}, err
		}
	}
	if !h.foreign {
		whole := map[string]any{h.key: map[string]entry{s.Name: p.entry}}
		if len(p.inputs) > 0 {
			whole["inputs"] = p.inputs
		}
		p.Text = string(encode(whole, "", "  "))
	}
	if len(p.Command) == 0 {
		return p, nil
	}
	if found, err := exec.LookPath(p.Command[0]); err == nil && mangles(found, p.Command[1:]) {
		if scope == local {
			return Plan{}, fmt.Errorf("%s is a batch file, which would change quotes in its arguments; "+
				"pass -scope user or project", p.Command[0])
		}
		p.Command = nil
	}
	return p, nil
}

// absolute returns the absolute path of a command, on Windows with its
// extension, because the host runs in another folder and often with another
// PATH. A bare name that is not found stays as it is.
func absolute(command, dir string) string {
	if strings.ContainsAny(command, `/\`) && !filepath.IsAbs(command) {
		command = filepath.Join(dir, command)
	}
	if found, err := exec.LookPath(command); err == nil && filepath.IsAbs(found) {
		return found
	}
	return command
}

// runnable reports whether a command exists.
func runnable(command, dir string) bool {
	if strings.ContainsAny(command, `/\`) && !filepath.IsAbs(command) {
		command = filepath.Join(dir, command)
	}
	_, err := exec.LookPath(command)
	return err == nil
}

// mangles reports whether a program is a Windows batch file, which would alter
// such arguments before passing them on.
func mangles(program string, args []string) bool {
	extension := strings.ToLower(filepath.Ext(program))
	return (extension == ".cmd" || extension == ".bat") &&
		slices.ContainsFunc(args, func(arg string) bool { return !plain.MatchString(arg) })
}

// check returns an error for values that no host should get, or that this host
// would change.
func (s Server) check(h host) error {
	if err := CheckName(s.Name); err != nil {
		return err
	}
	texts := slices.Concat(s.Command, []string{s.URL})
	if !s.Clear && hasSecret(s.Command...) {
		return errors.New("an argument of the command looks like a secret, which would be in clear in a file; let the server read it " +
			"from a variable of its environment, which -env NAME passes on, or from a file, or pass -clear")
	}
	for _, v := range s.variables() {
		if !s.Clear && v.secret() {
			return fmt.Errorf("%s looks like a secret, which would be in clear in a file; refer to a variable of the host's "+
				"environment: write ${NAME} in place of the secret, or pass -clear", v.Name)
		}
		texts = append(texts, reference.ReplaceAllString(v.Value, " "))
	}
	for _, text := range texts {
		if controlRune.MatchString(text) {
			return errors.New("an argument, address or value has a control character")
		}
		if h.expands != nil && h.expands.MatchString(text) {
			return fmt.Errorf("%s would replace the $ in an argument, address or value; "+
				"write ${NAME}, in values of -env and -header only", h.title)
		}
	}
	if s.URL == "" {
		if len(s.Headers) > 0 {
			return errors.New("-header is for servers with a URL; a command gets -env")
		}
		return nil
	}
	if len(s.Env) > 0 {
		return errors.New("-env is for servers that the host starts; a URL gets -header")
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("the URL does not start with http:// or https://; a command that serves over stdio stands after --")
	}
	if !s.Clear && (u.User != nil || hasSecret(s.URL)) {
		return errors.New("the URL has what looks like a secret, in clear; use -header with a reference, or pass -clear")
	}
	return nil
}

// entry returns the server in the host's JSON.
func (h host) entry(s Server) (e entry) {
	values := func(all []Variable) map[string]string {
		m := map[string]string{}
		for _, v := range all {
			m[v.Name] = reference.ReplaceAllStringFunc(v.Value, func(r string) string {
				return fmt.Sprintf(h.refer, reference.FindStringSubmatch(r)[1])
			})
		}
		return m
	}
	if s.URL == "" {
		return entry{Type: h.stdio, Command: s.Command[0], Args: s.Command[1:], Env: values(s.Env)}
	}
	e = entry{Type: h.http, Headers: values(s.Headers)}
	switch h.url {
	case "httpUrl":
		e.HTTPURL = s.URL
	case "serverUrl":
		e.ServerURL = s.URL
	default:
		e.URL = s.URL
	}
	return e
}

// Uninstall plans the removal of a server from a host.
func Uninstall(name, id, scope string, at Place) (Plan, error) {
	h, scope, err := find(id, scope)
	if err != nil {
		return Plan{}, err
	}
	if err := CheckName(name); err != nil {
		return Plan{}, err
	}
	p := Plan{
		Host: id, Title: h.title, Name: name, Scope: scope, File: h.file(at, scope), Edits: h.edits(scope), key: h.key,
		removing: true,
	}
	if h.remove != nil {
		h.remove(&p)
	}
	p.Text = fmt.Sprintf("%s below %s", name, h.key)
	return p, nil
}

// Do carries out the plan. A command's output goes to stderr.
func (p Plan) Do(ctx context.Context, stderr io.Writer) (Done, error) {
	switch {
	case len(p.Command) > 0:
		return p.run(ctx, stderr)
	case p.Edits:
		return p.edit(ctx)
	default:
		return Done{ByHand: p.Title + " has no command that can do this, and its file is edited by hand"}, nil
	}
}

func (p Plan) run(ctx context.Context, stderr io.Writer) (Done, error) {
	if _, err := exec.LookPath(p.Command[0]); err != nil {
		reason := fmt.Sprintf("the command %s was not found", p.Command[0])
		return Done{ByHand: reason}, nil
	}
	if unlock, err := lock(ctx, p.File); err == nil { // the command itself reports anything else that is wrong with the file
		defer unlock()
	}
	if p.Host == "codex" && !p.removing {
		// "codex mcp add" replaces a server of the same name.
		if exec.CommandContext(ctx, "codex", "mcp", "get", p.Name).Run() == nil { //nolint:gosec // a checked name
			return Done{}, fmt.Errorf("%s %w", p.Title, errOther)
		}
	}
	c := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...) //nolint:gosec // a command of the host, without a shell
	c.Stdout, c.Stderr = stderr, stderr
	if err := c.Run(); err != nil {
		return Done{}, fmt.Errorf("%s: %w", strings.Join(p.Command[:min(3, len(p.Command)-1)], " "), err)
	}
	return Done{}, nil
}

func (p Plan) edit(ctx context.Context) (Done, error) {
	if !p.removing {
		if err := os.MkdirAll(filepath.Dir(p.File), 0o755); err != nil { //nolint:gosec // as the hosts create it
			return Done{}, err
		}
	}
	unlock, err := lock(ctx, p.File)
	if err != nil {
		return Done{}, err
	}
	defer unlock()
	mode := fs.FileMode(0o600)
	if p.Scope == project {
		mode = 0o644
	}
	f, err := read(p.File, mode)
	if err != nil {
		return Done{}, err
	}
	text, changed, err := p.change(f.text)
	switch {
	case errors.Is(err, errOther) || errors.Is(err, errAbsent):
		return Done{}, fmt.Errorf("%s %w", p.File, err)
	case err != nil:
		return Done{ByHand: fmt.Sprintf("%s %v", p.File, err)}, nil
	case !changed:
		return Done{}, nil
	}
	backup, err := f.replace(text)
	if err != nil {
		return Done{Backup: backup}, err
	}
	f, err = read(p.File, mode)
	if err == nil {
		_, changed, err = p.change(f.text)
	}
	if err != nil && !errors.Is(err, errAbsent) || err == nil && changed {
		return Done{Backup: backup}, fmt.Errorf("%s was changed by another program at the same time, and lacks the change; "+
			"run the command again", p.File)
	}
	return Done{Backup: backup}, nil
}

// change returns the file's text with the change applied, and whether it
// differs.
func (p Plan) change(text []byte) (changed []byte, differs bool, err error) {
	if p.removing {
		changed, err = withoutServer(text, p.key, p.Name)
		return changed, true, err
	}
	return withServer(text, p.key, p.Name, p.entry, p.inputs)
}

// String returns what a person can do instead of Do.
func (p Plan) String() string {
	switch {
	case len(p.Command) > 0:
		return "Run:\n\n" + quote(p.Command)
	case p.removing:
		return fmt.Sprintf("Remove %s in %s", p.Text, p.File)
	default:
		return fmt.Sprintf("Add this to %s:\n\n%s", p.File, p.Text)
	}
}

// escapedQuote is a single quote within single quotes.
var escapedQuote = map[bool]string{false: `'\''`, true: "''"}[runtime.GOOS == "windows"]

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@=-]+$`)

// quote quotes a command line for a POSIX shell, or for PowerShell on Windows.
func quote(command []string) string {
	words := make([]string, len(command))
	for i, word := range command {
		if words[i] = word; !plain.MatchString(word) {
			words[i] = "'" + strings.ReplaceAll(word, "'", escapedQuote) + "'"
		}
	}
	return strings.Join(words, " ")
}
