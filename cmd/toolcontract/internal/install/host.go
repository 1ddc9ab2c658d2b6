package install

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// The scopes: all of a user's projects, everyone on a project, or one user in
// one project.
const (
	user    = "user"
	project = "project"
	local   = "local"
)

// A host is a program that connects to servers.
type host struct {
	id, title string
	// scopes are the host's scopes that this package knows. The first is the
	// default.
	scopes []string
	// key is the configuration member that holds the servers.
	key string
	// foreign reports whether the configuration is not JSON.
	foreign bool
	// stdio and http are an entry's types; empty means that entries have no
	// type. url is the member for the address, if it is not "url".
	stdio, http, url string
	// file returns the path of the configuration, for people and, if edits
	// reports true, for this package.
	file func(p Place, scope string) string
	// edits reports whether a scope's file is JSON that may be edited.
	edits func(scope string) bool
	// refer is how the host refers to a variable %s of its own environment. It
	// is empty if it has no such form, or not for every value.
	refer string
	// expands matches what the host would expand in any text.
	expands *regexp.Regexp
	// plan completes the plan to install a server.
	plan func(s Server, p *Plan) error
	// remove completes the plan to remove a server. Nil means that there is no
	// command for it.
	remove func(p *Plan)
}

var (
	braces  = regexp.MustCompile(`\$\{`)
	dollars = regexp.MustCompile(`\$[A-Za-z_{]`)
)

func never(string) bool     { return false }
func always(string) bool    { return true }
func shared(sc string) bool { return sc == project }

// hosts returns the hosts by name. A host's own command is preferred unless it
// has a known bug, because the format of the host's files may change.
func hosts() []host {
	return []host{
		{
			// "claude mcp add --env" takes the server's name for a variable.
			id: "claude-code", title: "Claude Code", scopes: []string{user, project, local}, key: "mcpServers",
			stdio: "stdio", http: "http", file: claudeCodeFile, edits: never, refer: "${%s}", expands: braces,
			plan: func(s Server, p *Plan) error {
				if p.Scope != project && refers(s.variables()) {
					return fmt.Errorf("%s replaces ${NAME} only in .mcp.json; pass -scope project", p.Title)
				}
				p.Command = []string{"claude", "mcp", "add-json", "--scope", p.Scope, s.Name, string(encode(p.entry, "", ""))}
				return nil
			},
			remove: func(p *Plan) { p.Command = []string{"claude", "mcp", "remove", "--scope", p.Scope, p.Name} },
		},
		{
			id: "claude-desktop", title: "Claude Desktop", scopes: []string{user}, key: "mcpServers",
			file: claudeDesktopFile, edits: never,
			plan: func(s Server, p *Plan) error {
				if s.URL != "" {
					return fmt.Errorf("%s takes addresses only on its page of connectors; add %s there", p.Title, s.Name)
				}
				return nil
			},
		},
		{
			id: "codex", title: "Codex", scopes: []string{user, project}, key: "mcp_servers", foreign: true,
			file: codexFile, edits: never, plan: planCodex,
			remove: func(p *Plan) {
				if p.Scope == user {
					p.Command = []string{"codex", "mcp", "remove", p.Name}
				}
			},
		},
		{
			id: "cursor", title: "Cursor", scopes: []string{user, project}, key: "mcpServers", stdio: "stdio",
			file: func(p Place, scope string) string { return p.in(scope, ".cursor", "mcp.json") }, edits: always,
			refer: "${env:%s}", expands: braces,
		},
		{
			// "gemini mcp add" replaces a server of the same name, and cuts off
			// values at their second "=".
			id: "gemini", title: "Gemini CLI", scopes: []string{user, project}, key: "mcpServers", url: "httpUrl",
			file: func(p Place, scope string) string { return p.in(scope, ".gemini", "settings.json") }, edits: always,
			refer: "${%s}", expands: dollars,
		},
		{
			id: "goose", title: "goose", scopes: []string{user}, key: "extensions", foreign: true, edits: never,
			file: func(p Place, _ string) string { return filepath.Join(p.Home, ".config", "goose", "config.yaml") },
			plan: planGoose,
		},
		{
			id: "vscode", title: "VS Code", scopes: []string{user, project}, key: "servers", stdio: "stdio", http: "http",
			file: func(p Place, scope string) string {
				if scope == user {
					return "the file that the command \"MCP: Open User Configuration\" opens"
				}
				return filepath.Join(p.Dir, ".vscode", "mcp.json")
			},
			edits: shared, refer: "${input:%s}", expands: braces, plan: planVSCode,
		},
		{
			id: "windsurf", title: "Windsurf", scopes: []string{user}, key: "mcpServers", url: "serverUrl", edits: never,
			file: func(p Place, _ string) string {
				return filepath.Join(p.Home, ".codeium", "windsurf", "mcp_config.json")
			},
		},
		{
			id: "zed", title: "Zed", scopes: []string{user, project}, key: "context_servers", edits: never,
			file: func(p Place, scope string) string {
				if scope == user {
					return "the file that the command \"zed: open settings\" opens"
				}
				return filepath.Join(p.Dir, ".zed", "settings.json")
			},
		},
	}
}

// Hosts returns the names of the hosts.
func Hosts() (ids []string) {
	for _, h := range hosts() {
		ids = append(ids, h.id)
	}
	return ids
}

// find returns a host and one of its scopes.
func find(id, scope string) (h host, _ string, err error) {
	all := hosts()
	i := slices.IndexFunc(all, func(h host) bool { return h.id == id })
	if i < 0 {
		return h, "", fmt.Errorf("there is no such host; the hosts are %s", strings.Join(Hosts(), ", "))
	}
	h = all[i]
	if scope == "" {
		return h, h.scopes[0], nil
	}
	if !slices.Contains(h.scopes, scope) {
		return h, "", fmt.Errorf("-scope: %s has only %s", h.title, strings.Join(h.scopes, ", "))
	}
	return h, scope, nil
}

// A Place is where hosts keep their configurations.
type Place struct {
	Home string // the user's home folder
	Dir  string // the project's folder
}

// Here returns the user's home and the current folder.
func Here() (Place, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Place{}, err
	}
	dir, err := os.Getwd()
	return Place{home, dir}, err
}

// in returns a path in the user's home or in the project.
func (p Place) in(scope string, names ...string) string {
	folder := p.Home
	if scope == project {
		folder = p.Dir
	}
	return filepath.Join(append([]string{folder}, names...)...)
}

func claudeCodeFile(p Place, scope string) string {
	if scope == project {
		return filepath.Join(p.Dir, ".mcp.json")
	}
	return filepath.Join(p.Home, ".claude.json")
}

func claudeDesktopFile(p Place, _ string) string {
	const name = "claude_desktop_config.json"
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(p.Home, "Library", "Application Support", "Claude", name)
	case "windows":
		return filepath.Join(p.Home, "AppData", "Roaming", "Claude", name)
	default:
		return filepath.Join(p.Home, ".config", "Claude", name)
	}
}

func codexFile(p Place, scope string) string {
	if home := os.Getenv("CODEX_HOME"); home != "" && scope == user {
		return filepath.Join(home, "config.toml")
	}
	return p.in(scope, ".codex", "config.toml")
}

// planVSCode uses VS Code's own command for the user scope. That command cannot
// prompt for secrets, so a server that needs some becomes text for the person
// to add.
func planVSCode(s Server, p *Plan) error {
	for _, name := range references(s.variables()) {
		p.inputs = append(p.inputs, input{Type: "promptString", ID: name, Description: name, Password: true})
	}
	if p.Scope == user && len(p.inputs) == 0 {
		withName := struct {
			Name string `json:"name"`
			entry
		}{s.Name, p.entry}
		p.Command = []string{"code", "--add-mcp", string(encode(withName, "", ""))}
	}
	return nil
}
