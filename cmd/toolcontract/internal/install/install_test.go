package install_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/install"
)

func place(t *testing.T) install.Place {
	t.Helper()
	t.Setenv("CODEX_HOME", "")
	return install.Place{Home: t.TempDir(), Dir: t.TempDir()}
}

func env(t *testing.T, texts ...string) (all []install.Variable) {
	t.Helper()
	for _, text := range texts {
		v, err := install.ParseEnv(text)
		require.NoError(t, err)
		all = append(all, v)
	}
	return all
}

func headers(t *testing.T, texts ...string) (all []install.Variable) {
	t.Helper()
	for _, text := range texts {
		v, err := install.ParseHeader(text)
		require.NoError(t, err)
		all = append(all, v)
	}
	return all
}

// stub puts a command on the path that records its calls, one line per
// argument, and exits with a status that depends on its arguments.
func stub(t *testing.T, name, script string) (calls func() []string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stub is a script of a shell")
	}
	folder := t.TempDir()
	log := filepath.Join(folder, "log")
	text := "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\n' \"$a\" >>'" + log + "'; done\necho >>'" + log + "'\n" + script + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700)) //nolint:gosec // it is run
	t.Setenv("PATH", folder+string(os.PathListSeparator)+"/usr/bin:/bin")
	return func() []string {
		text, err := os.ReadFile(log)
		if err != nil {
			return nil
		}
		return strings.Split(strings.TrimSuffix(string(text), "\n\n"), "\n\n")
	}
}

func do(t *testing.T, p install.Plan) install.Done {
	t.Helper()
	done, err := p.Do(t.Context(), &bytes.Buffer{})
	require.NoError(t, err)
	return done
}

func TestInstall_CommandsOfHostsGetTheirArgumentsExactly(t *testing.T) {
	at := place(t)
	const url = "https://desk.example/mcp"
	run := []string{"desk", "-audit", "a folder", `"it's"`}
	for name, test := range map[string]struct {
		command, host, scope string
		server               install.Server
		want                 []string
	}{
		"Claude Code": {"claude", "claude-code", "", install.Server{Command: run, Env: env(t, "LEVEL=a=b")}, []string{
			"mcp\nadd-json\n--scope\nuser\ndesk\n" +
				`{"type":"stdio","command":"desk","args":["-audit","a folder","\"it's\""],"env":{"LEVEL":"a=b"}}`,
		}},
		"Claude Code, a secret by reference": {"claude", "claude-code", "project", install.Server{
			Command: []string{"./desk"}, Env: env(t, "DESK_TOKEN"),
		}, []string{
			"mcp\nadd-json\n--scope\nproject\ndesk\n" + `{"type":"stdio","command":"./desk","env":{"DESK_TOKEN":"${DESK_TOKEN}"}}`,
		}},
		"Claude Code, a URL": {"claude", "claude-code", "local", install.Server{URL: url}, []string{
			"mcp\nadd-json\n--scope\nlocal\ndesk\n" + `{"type":"http","url":"https://desk.example/mcp"}`,
		}},
		"Codex": {"codex", "codex", "", install.Server{Command: run, Env: env(t, "LEVEL=a=b")}, []string{
			"mcp\nget\ndesk", "mcp\nadd\n--env\nLEVEL=a=b\ndesk\n--\ndesk\n-audit\na folder\n\"it's\"",
		}},
		"Codex, a URL": {"codex", "codex", "user", install.Server{
			URL: url, Headers: headers(t, "Authorization: Bearer ${DESK_TOKEN}"),
		}, []string{"mcp\nget\ndesk", "mcp\nadd\ndesk\n--url\n" + url + "\n--bearer-token-env-var\nDESK_TOKEN"}},
		"VS Code": {"code", "vscode", "", install.Server{Command: run}, []string{
			"--add-mcp\n" + `{"name":"desk","type":"stdio","command":"desk","args":["-audit","a folder","\"it's\""]}`,
		}},
		"VS Code, a URL": {"code", "vscode", "", install.Server{URL: url}, []string{
			"--add-mcp\n" + `{"name":"desk","type":"http","url":"https://desk.example/mcp"}`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			calls := stub(t, test.command, `[ "$2" != get ]`)
			test.server.Name = "desk"
			p, err := install.Install(test.server, test.host, test.scope, at)
			require.NoError(t, err)
			assert.Empty(t, do(t, p).ByHand)
			assert.Equal(t, test.want, calls())
		})
	}
}

func TestUninstall_CommandsOfHostsGetTheirArgumentsExactly(t *testing.T) {
	at := place(t)
	for host, test := range map[string]struct{ command, scope, want string }{
		"claude-code": {"claude", "project", "mcp\nremove\n--scope\nproject\ndesk"},
		"codex":       {"codex", "", "mcp\nremove\ndesk"},
	} {
		t.Run(host, func(t *testing.T) {
			calls := stub(t, test.command, "")
			p, err := install.Uninstall("desk", host, test.scope, at)
			require.NoError(t, err)
			assert.Empty(t, do(t, p).ByHand)
			assert.Equal(t, []string{test.want}, calls())
		})
	}
}

func TestInstall_KeepsAServerThatCodexAlreadyHas(t *testing.T) {
	at := place(t)
	calls := stub(t, "codex", "")
	p, err := install.Install(install.Server{Name: "desk", Command: []string{"desk"}}, "codex", "", at)
	require.NoError(t, err)
	_, err = p.Do(t.Context(), &bytes.Buffer{})
	assert.Error(t, err)
	assert.Equal(t, []string{"mcp\nget\ndesk"}, calls())
}

func TestInstall_FailedHostCommandIsAnError(t *testing.T) {
	at := place(t)
	stub(t, "claude", "echo taken >&2; exit 3")
	server := install.Server{Name: "desk", Command: []string{"desk"}, Env: env(t, "MODE=the-value")}
	p, err := install.Install(server, "claude-code", "", at)
	require.NoError(t, err)
	var stderr bytes.Buffer
	_, err = p.Do(t.Context(), &stderr)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "the-value")
	assert.Equal(t, "taken\n", stderr.String())
}

func TestInstall_WithoutTheHostsCommandAPersonRunsIt(t *testing.T) {
	at := place(t)
	t.Setenv("PATH", t.TempDir())
	for host, want := range map[string]string{
		"claude-code": "claude mcp add-json", "codex": "codex mcp add", "vscode": "code --add-mcp",
	} {
		p, err := install.Install(install.Server{Name: "desk", Command: []string{"desk"}}, host, "", at)
		require.NoError(t, err)
		assert.NotEmpty(t, do(t, p).ByHand)
		assert.Contains(t, p.String(), want)
	}
}

func TestInstall_EditsOnlyItsOwnEntry(t *testing.T) {
	at := place(t)
	const url = "https://desk.example/mcp"
	for name, test := range map[string]struct {
		host, scope, path, before, after string
		server                           install.Server
	}{
		"no file": {"cursor", "", at.Home + "/.cursor/mcp.json", "", `{
  "mcpServers": {
    "desk": {
      "type": "stdio",
      "command": "desk",
      "env": {
        "DESK_TOKEN": "${env:DESK_TOKEN}"
      }
    }
  }
}
`, install.Server{Command: []string{"desk"}, Env: env(t, "DESK_TOKEN")}},
		"beside others": {"cursor", "project", at.Dir + "/.cursor/mcp.json",
			"{\n\t\"big\": 12345678901234567890.00,\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\":  \"x\", \"kept\": [1,2]}\n\t},\n" +
				"\t\"last\": \"\\u00e9<\"\n}",
			"{\n\t\"big\": 12345678901234567890.00,\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\":  \"x\", \"kept\": [1,2]},\n" +
				"\t\t\"desk\": {\n\t\t\t\"url\": \"https://desk.example/mcp\",\n" +
				"\t\t\t\"headers\": {\n\t\t\t\t\"X-Desk\": \"${env:DESK}\"\n\t\t\t}\n\t\t}\n\t},\n" +
				"\t\"last\": \"\\u00e9<\"\n}", install.Server{URL: url, Headers: headers(t, "X-Desk: ${DESK}")}},
		"in one line": {"gemini", "", at.Home + "/.gemini/settings.json", `{"theme":"x","mcpServers":{"a":{"trust":true}}}`,
			`{"theme":"x","mcpServers":{"a":{"trust":true}, "desk": {"command":"desk","args":["a=b"],"env":{"K_KEY":"${K_KEY}"}}}}`,
			install.Server{Command: []string{"desk", "a=b"}, Env: env(t, "K_KEY")}},
		"no servers": {"gemini", "project", at.Dir + "/.gemini/settings.json", "{\r\n    \"theme\": \"x\"\r\n}\r\n",
			"{\r\n    \"theme\": \"x\",\r\n    \"mcpServers\": {\r\n        \"desk\": {\r\n            \"httpUrl\": " +
				"\"https://desk.example/mcp\"\r\n        }\r\n    }\r\n}\r\n", install.Server{URL: url}},
		"an empty object of servers": {"gemini", "", at.Home + "/.gemini/settings.json", "{\n  \"mcpServers\": {}\n}\n",
			"{\n  \"mcpServers\": {\n    \"desk\": {\n      \"command\": \"desk\"\n    }\n  }\n}\n",
			install.Server{Command: []string{"desk"}}},
		"a secret in VS Code": {"vscode", "project", at.Dir + "/.vscode/mcp.json",
			"{\n  \"inputs\": [\n    {\"id\": \"A\"}\n  ],\n  \"servers\": {}\n}\n",
			`{
  "inputs": [
    {"id": "A"},
    {
      "type": "promptString",
      "id": "TOKEN",
      "description": "TOKEN",
      "password": true
    }
  ],
  "servers": {
    "desk": {
      "type": "http",
      "url": "https://desk.example/mcp",
      "headers": {
        "Authorization": "Bearer ${input:TOKEN}"
      }
    }
  }
}
`, install.Server{URL: url, Headers: headers(t, "Authorization: Bearer ${TOKEN}")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() { require.NoError(t, os.RemoveAll(filepath.Dir(test.path))) })
			if test.before != "" {
				require.NoError(t, os.MkdirAll(filepath.Dir(test.path), 0o700))
				require.NoError(t, os.WriteFile(test.path, []byte(test.before), 0o640)) //nolint:gosec // its mode stays
			}
			test.server.Name = "desk"
			p, err := install.Install(test.server, test.host, test.scope, at)
			require.NoError(t, err)
			done := do(t, p)
			assert.Equal(t, install.Done{Backup: done.Backup}, done)
			assert.Equal(t, test.after, fileText(t, test.path))
			if test.before == "" {
				assert.Empty(t, done.Backup)
				assertMode(t, 0o600, test.path)
			} else {
				assert.Equal(t, test.before, fileText(t, done.Backup))
				assertMode(t, 0o640, test.path)
				assertMode(t, 0o640, done.Backup)
			}
			assert.Equal(t, install.Done{}, do(t, p), "a second time")
			assert.Equal(t, test.after, fileText(t, test.path))

			test.server.Command, test.server.URL, test.server.Headers = []string{"other"}, "", nil
			other, err := install.Install(test.server, test.host, test.scope, at)
			require.NoError(t, err)
			_, err = other.Do(t.Context(), &bytes.Buffer{})
			assert.Error(t, err, "another server of the same name")
			assert.Equal(t, test.after, fileText(t, test.path))

			p, err = install.Uninstall("desk", test.host, test.scope, at)
			require.NoError(t, err)
			assert.Empty(t, do(t, p).ByHand)
			assert.NotContains(t, fileText(t, test.path), "desk")
			if strings.Contains(test.before, "mcpServers") {
				assert.JSONEq(t, test.before, fileText(t, test.path))
			}
			_, err = p.Do(t.Context(), &bytes.Buffer{})
			assert.Error(t, err, "there is nothing to remove")
		})
	}
}

func TestUninstall_LeavesTheOtherServersAsTheyAre(t *testing.T) {
	at := place(t)
	path := filepath.Join(at.Home, ".cursor", "mcp.json")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	for before, after := range map[string]string{
		"{\"mcpServers\": {\n  \"desk\": {},\n  \"b\":  {}\n}}": "{\"mcpServers\": {\n  \"b\":  {}\n}}",
		"{\"mcpServers\": {\n  \"a\":  {},\n  \"desk\": {}\n}}": "{\"mcpServers\": {\n  \"a\":  {}\n}}",
		"{\"mcpServers\": {\"a\":1 ,\"desk\": {} , \"b\":2}}":   "{\"mcpServers\": {\"a\":1 , \"b\":2}}",
		"{\"mcpServers\": {\n  \"desk\": {}\n}, \"x\": null}":   "{\"mcpServers\": {}, \"x\": null}",
	} {
		require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
		p, err := install.Uninstall("desk", "cursor", "", at)
		require.NoError(t, err)
		done := do(t, p)
		assert.Equal(t, after, fileText(t, path))
		assert.Equal(t, before, fileText(t, done.Backup))
	}
}

func TestInstall_LeavesAFileThatIsNotPlainJSON(t *testing.T) {
	at := place(t)
	path := filepath.Join(at.Home, ".gemini", "settings.json")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	for name, before := range map[string]string{
		"comments":        "{\n  // mine\n  \"mcpServers\": {}\n}\n",
		"at the end":      "{\"mcpServers\": {}} // mine\n",
		"a comma":         "{\"mcpServers\": {},}",
		"two values":      "{} {}",
		"an array":        "[]",
		"a list":          "{\"mcpServers\": []}",
		"null":            "{\"mcpServers\": null}",
		"a key twice":     "{\"mcpServers\": {}, \"mcpServers\": {}}",
		"a server twice":  "{\"mcpServers\": {\"a\": 1, \"a\": 2}}",
		"half of it":      "{\"mcpServers\": {",
		"a mark at first": "\ufeff{}",
	} {
		require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
		p, err := install.Install(install.Server{Name: "desk", Command: []string{"desk"}}, "gemini", "", at)
		require.NoError(t, err)
		assert.NotEmpty(t, do(t, p).ByHand, name)
		assert.Contains(t, p.String(), `"command": "desk"`)
		assert.Equal(t, before, fileText(t, path), name)
		entries, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		assert.Len(t, entries, 1, "nothing else is written")
	}
}

func TestInstall_FollowsSymbolicLinks(t *testing.T) {
	at := place(t)
	elsewhere := filepath.Join(t.TempDir(), "settings.json")
	link := filepath.Join(at.Home, ".gemini", "settings.json")
	require.NoError(t, os.Mkdir(filepath.Dir(link), 0o700))
	require.NoError(t, os.Symlink(elsewhere, link))
	if _, err := os.Lstat(link); err != nil {
		t.Skip("wine makes no links, but says that it does")
	}
	p, err := install.Install(install.Server{Name: "desk", Command: []string{"desk"}}, "gemini", "", at)
	require.NoError(t, err)
	_, err = p.Do(t.Context(), &bytes.Buffer{})
	require.Error(t, err, "the link leads nowhere")
	require.NoError(t, os.WriteFile(elsewhere, []byte("{}"), 0o600))
	do(t, p)
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.Equal(t, fs.ModeSymlink, info.Mode().Type())
	assert.Contains(t, fileText(t, elsewhere), "desk")
}

func TestInstall_OtherHostsGetTextForAPerson(t *testing.T) {
	at := place(t)
	const url = "https://desk.example/mcp"
	stdio := install.Server{Command: []string{"desk", "-x"}, Env: env(t, "LEVEL=low")}
	withToken := install.Server{Command: []string{"desk"}, Env: env(t, "DESK_TOKEN", "LEVEL=low")}
	for name, test := range map[string]struct {
		host, scope string
		server      install.Server
		file, want  string
	}{
		"Zed": {"zed", "project", stdio, filepath.Join(at.Dir, ".zed", "settings.json"), `{
  "context_servers": {
    "desk": {
      "command": "desk",
      "args": [
        "-x"
      ],
      "env": {
        "LEVEL": "low"
      }
    }
  }
}`},
		"Windsurf": {"windsurf", "", install.Server{URL: url}, filepath.Join(at.Home, ".codeium", "windsurf", "mcp_config.json"), `{
  "mcpServers": {
    "desk": {
      "serverUrl": "https://desk.example/mcp"
    }
  }
}`},
		"Claude Desktop": {"claude-desktop", "", install.Server{Command: []string{"desk"}}, "claude_desktop_config.json", `{
  "mcpServers": {
    "desk": {
      "command": "desk"
    }
  }
}`},
		"goose": {"goose", "", withToken, filepath.Join(at.Home, ".config", "goose", "config.yaml"), `extensions:
  desk:
    name: desk
    enabled: true
    timeout: 300
    type: stdio
    cmd: "desk"
    args: []
    env_keys: ["DESK_TOKEN"]
    envs:
      "LEVEL": "low"`},
		"goose, a URL": {"goose", "", install.Server{URL: url, Headers: headers(t, "X-Level: low")}, "config.yaml", `extensions:
  desk:
    name: desk
    enabled: true
    timeout: 300
    type: streamable_http
    uri: "https://desk.example/mcp"
    headers:
      "X-Level": "low"`},
		"Codex, a variable of its environment": {"codex", "", withToken, filepath.Join(at.Home, ".codex", "config.toml"),
			`[mcp_servers.desk]
command = "desk"
env_vars = ["DESK_TOKEN"]
env = { LEVEL = "low" }`},
		"Codex, headers": {"codex", "project", install.Server{
			URL: url, Headers: headers(t, "X-Key: ${DESK_KEY}", "X-Level: low", "Authorization: Bearer ${TOKEN}"),
		}, filepath.Join(at.Dir, ".codex", "config.toml"), `[mcp_servers.desk]
url = "https://desk.example/mcp"
bearer_token_env_var = "TOKEN"
env_http_headers = { "X-Key" = "DESK_KEY" }
http_headers = { "X-Level" = "low" }`},
		"VS Code, a secret": {"vscode", "", install.Server{Command: []string{"desk"}, Env: env(t, "DESK_TOKEN")}, "MCP: Open User",
			`{
  "inputs": [
    {
      "type": "promptString",
      "id": "DESK_TOKEN",
      "description": "DESK_TOKEN",
      "password": true
    }
  ],
  "servers": {
    "desk": {
      "type": "stdio",
      "command": "desk",
      "env": {
        "DESK_TOKEN": "${input:DESK_TOKEN}"
      }
    }
  }
}`},
	} {
		t.Run(name, func(t *testing.T) {
			test.server.Name = "desk"
			p, err := install.Install(test.server, test.host, test.scope, at)
			require.NoError(t, err)
			assert.NotEmpty(t, do(t, p).ByHand)
			assert.Contains(t, p.File, test.file)
			assert.Equal(t, test.want, p.Text)
			assert.Contains(t, p.String(), test.want)
		})
	}
	for _, host := range []string{"zed", "windsurf", "claude-desktop", "goose", "vscode"} {
		p, err := install.Uninstall("desk", host, "", at)
		require.NoError(t, err)
		assert.NotEmpty(t, do(t, p).ByHand, host)
		assert.Contains(t, p.String(), "Remove desk", host)
	}
	for _, folder := range []string{at.Home, at.Dir} {
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		assert.Empty(t, entries, "nothing is written")
	}
}

func TestInstall_ACommandIsFoundFromAnyFolder(t *testing.T) {
	at := place(t)
	for scope, want := range map[string]string{"user": filepath.Join(at.Dir, "bin", "desk"), "project": "bin/desk"} {
		p, err := install.Install(install.Server{Name: "desk", Command: []string{"bin/desk"}}, "cursor", scope, at)
		require.NoError(t, err)
		quoted, err := json.Marshal(want)
		require.NoError(t, err)
		assert.Contains(t, p.Text, string(quoted))
	}
}

func TestInstall_NeverTrustsAServerNorAllowsATool(t *testing.T) {
	t.Parallel()
	at := install.Place{Home: "/home", Dir: "/project"}
	for _, host := range install.Hosts() {
		p, err := install.Install(install.Server{Name: "desk", Command: []string{"desk"}}, host, "", at)
		require.NoError(t, err)
		for _, word := range []string{"trust", "approv", "allow"} {
			assert.NotContains(t, strings.ToLower(p.String()+p.Text), word, host)
		}
	}
}

func TestInstall_RefusesWhatAHostWouldTakeWrongly(t *testing.T) {
	at := place(t)
	const url = "https://desk.example/mcp"
	named := func(name string) install.Server { return install.Server{Name: name, Command: []string{"desk"}} }
	with := func(command []string, variables ...string) install.Server {
		return install.Server{Name: "desk", Command: command, Env: env(t, variables...)}
	}
	to := func(url string, all ...string) install.Server {
		return install.Server{Name: "desk", URL: url, Headers: headers(t, all...)}
	}
	one := []string{"desk"}
	for name, test := range map[string]struct {
		host, scope string
		server      install.Server
	}{
		"no such host":                        {"emacs", "", named("desk")},
		"no such scope":                       {"codex", "local", named("desk")},
		"an empty name":                       {"cursor", "", named("")},
		"a large letter":                      {"cursor", "", named("Desk")},
		"an underscore":                       {"cursor", "", named("my_desk")},
		"13 characters":                       {"cursor", "", named("abcdefghijklm")},
		"a flag":                              {"codex", "", named("-desk")},
		"a reserved name":                     {"gemini", "", named("workspace")},
		"another reserved name":               {"cursor", "", named("computer-use")},
		"a secret in clear":                   {"cursor", "", with(one, "DESK_TOKEN=abc")},
		"a password in clear":                 {"gemini", "", with(one, "PGPASSWORD=abc")},
		"a header in clear":                   {"cursor", "", to(url, "Authorization: Bearer abc")},
		"a password in the URL":               {"cursor", "", to("https://me:abc@desk.example/mcp")},
		"no scheme":                           {"cursor", "", to("desk.example/mcp")},
		"another scheme":                      {"cursor", "", to("ftp://desk.example/mcp")},
		"a variable of a URL":                 {"cursor", "", install.Server{Name: "desk", URL: url, Env: env(t, "A=b")}},
		"a header of a command":               {"cursor", "", install.Server{Name: "desk", Command: one, Headers: headers(t, "A: b")}},
		"a control character":                 {"cursor", "", with([]string{"desk", "a\x1bb"})},
		"what Gemini would replace":           {"gemini", "", with([]string{"desk", "$HOME"})},
		"a value that Gemini would replace":   {"gemini", "", with(one, "GREETING=a$b")},
		"what Cursor would replace":           {"cursor", "", with([]string{"desk", "${workspaceFolder}"})},
		"references of a user in Claude Code": {"claude-code", "", with(one, "DESK_TOKEN")},
		"references in Claude Desktop":        {"claude-desktop", "", with(one, "DESK_TOKEN")},
		"a URL in Claude Desktop":             {"claude-desktop", "", to(url)},
		"references in Zed":                   {"zed", "", with(one, "DESK_TOKEN")},
		"references in Windsurf":              {"windsurf", "", to(url, "X-Key: ${KEY}")},
		"another name in Codex":               {"codex", "", with(one, "A=${B}")},
		"a part of a header in Codex":         {"codex", "", to(url, "X-Key: key ${KEY}")},
		"another name in goose":               {"goose", "", with(one, "A=${B}")},
		"a header in goose":                   {"goose", "", to(url, "X-Key: ${KEY}")},
	} {
		_, err := install.Install(test.server, test.host, test.scope, at)
		if assert.Error(t, err, name) {
			assert.NotContains(t, err.Error(), "abc", name)
		}
	}
	inClear := with(one, "DESK_TOKEN=abc")
	inClear.Clear = true
	p, err := install.Install(inClear, "cursor", "", at)
	require.NoError(t, err)
	assert.Contains(t, p.Text, `"DESK_TOKEN": "abc"`)
	for _, text := range []string{"", "=x", "A B=c", "1A"} {
		_, err := install.ParseEnv(text)
		assert.Error(t, err, text)
	}
	for _, text := range []string{"", "A", "A B: c", ": c", "A: b\nC: d"} {
		_, err := install.ParseHeader(text)
		assert.Error(t, err, text)
	}
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// assertMode compares the mode of a file, which means nothing on Windows.
func assertMode(t *testing.T, want fs.FileMode, path string) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.True(t, runtime.GOOS == "windows" || info.Mode().Perm() == want, "%s: %v", path, info.Mode())
}
