package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// serveSchema serves a tool with a schema, without a contract.
func serveSchema(t *testing.T, name, description, schema string) (url string) {
	t.Helper()
	s := server.NewMCPServer("hostile", "1.0.0", server.WithToolCapabilities(true))
	tool := mcp.NewToolWithRawSchema(name, description, json.RawMessage(schema))
	tool.Title = description
	s.AddTool(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultJSON(map[string]string{"said": description})
	})
	web := httptest.NewServer(server.NewStreamableHTTPServer(s))
	t.Cleanup(web.Close)
	return web.URL + "/mcp"
}

// A small schema may describe work that never ends or doubles with each level.
func TestThreat201_CommandsSurviveSmallHostileSchemas(t *testing.T) {
	t.Parallel()
	doubling := func(keyword, last string) string {
		var defs []string
		for i := range 40 {
			to := fmt.Sprintf(`{"$ref":"#/$defs/a%d"}`, i+1)
			defs = append(defs, fmt.Sprintf(`"a%d":{%q:[%s,%s]}`, i, keyword, to, to))
		}
		return `{"type":"object","properties":{"x":{"$ref":"#/$defs/a0"}},"$defs":{` + strings.Join(defs, ",") + `,"a40":` + last + `}}`
	}
	for name, schema := range map[string]string{
		"doubling anyOf":        doubling("anyOf", `{"type":"string"}`),
		"doubling allOf":        doubling("allOf", `{"type":"string"}`),
		"doubling oneOf":        doubling("oneOf", `{"type":"string"}`),
		"one that is itself":    `{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`,
		"a branch of itself":    `{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`,
		"a root that is itself": `{"type":"object","properties":{"x":{}},"allOf":[{"$ref":"#"}]}`,
		"a circle by its id": `{"$id":"http://x/y","type":"object","properties":{"x":{"$ref":"http://x/y#/$defs/a"}},` +
			`"$defs":{"a":{"$ref":"http://x/y#/$defs/a"}}}`,
	} {
		url := serveSchema(t, "hostile", "A tool.", schema)
		for _, line := range [][]string{
			{"list", url}, {"list", url, "hostile"}, {"call", "-yes", url, "hostile", "x=s"}, {"call", "-yes", url, "hostile", `{"x":1}`},
			{"inspect", url}, {"lint", url}, {"export", "openai-legacy", url},
		} {
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				var out, errs bytes.Buffer
				cli.Run(t.Context(), commands(), line, &cli.Terminal{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
			}()
			select {
			case <-ended:
			case <-time.After(time.Minute):
				t.Fatalf("%s: %v does not end", name, line[:1])
			}
		}
	}
}

// A CI runner executes what follows ##[ anywhere in its log, or :: at the start
// of a line.
func TestThreat202_NamesAreNotCommandsForACIRunner(t *testing.T) {
	t.Parallel()
	command := regexp.MustCompile(`##\w*\[|(?m)^\s*::`)
	for _, name := range []string{"##[set-output]", "##vso[task.setvariable]", "::set-env::", "##teamcity[x]"} {
		text := strings.Repeat("word ", 14) + "::set-env name=x::y " + name + " a=b"
		url := serveSchema(t, name, text, `{"type":"object","properties":{`+fmt.Sprintf("%q:{\"description\":%q}", name, text)+`}}`)
		for _, line := range [][]string{
			{"list", url}, {"list", url, name}, {"list", "-json", url}, {"call", "-yes", url, name}, {"call", "-json", "-yes", url, name},
			{"inspect", url}, {"inspect", "-json", url}, {"lint", url}, {"lint", "-json", url}, {"lint", "-sarif", url},
			{"export", "openai-legacy", url}, {"export", "claude", url}, {"call", url, name, name + "=1"},
		} {
			_, stdout, stderr := runCommand(t, line...)
			assert.NotEmpty(t, stdout+stderr)
			assert.NotRegexp(t, command, stdout+stderr, "%s: %v", name, line)
		}
	}
	var tools []listed
	assert.Equal(t, cli.OK, runJSON(t, &tools, "list", serveSchema(t, "##[x]", "A tool.", `{"type":"object"}`)))
	assert.Equal(t, "##[x]", tools[0].Name, "a program gets the name as it is")
}

func TestThreat203_EndlessFilesAreRefusedAndPipesCanBeInterrupted(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	old := snapshot(t, adder("1.0.0").MustBuild())
	for name, line := range map[string][]string{
		"lint": {"lint", "FILE"}, "diff": {"diff", old, "FILE"}, "diff from": {"diff", "FILE", old}, "check": {"check", "FILE"},
		"verify-audit": {"verify-audit", "FILE"}, "export": {"export", "claude", "FILE"},
	} {
		with := func(path string) (all []string) {
			for _, arg := range line {
				all = append(all, strings.ReplaceAll(arg, "FILE", path))
			}
			return all
		}
		status, _, stderr := runCommand(t, with("/dev/zero")...)
		assert.NotEqual(t, cli.OK, status, name)
		if name != "verify-audit" { // it keeps one record in memory
			assert.Contains(t, stderr, "more than 64 MiB", name)
		}
		ctx, interrupt := context.WithCancel(t.Context())
		ended := make(chan cli.Status, 1)
		go func() {
			var out, errs bytes.Buffer
			ended <- cli.Run(ctx, commands(), with(pipe), &cli.Terminal{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
		}()
		interrupt()
		select {
		case status := <-ended:
			assert.Equal(t, cli.Failed, status, name)
		case <-time.After(time.Minute):
			t.Fatalf("%s: an interrupt does not end it", name)
		}
	}
	text, err := os.ReadFile(old)
	require.NoError(t, err)
	fresh := filepath.Join(t.TempDir(), "pipe") // no abandoned command is waiting for it
	require.NoError(t, syscall.Mkfifo(fresh, 0o600))
	go func() { _ = os.WriteFile(fresh, text, 0o600) }()
	status, _, stderr := runCommand(t, "check", fresh)
	assert.Equal(t, cli.OK, status, "a pipe is read: %s", stderr)
}
