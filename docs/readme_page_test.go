package docs_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// A block is a fenced block of a Markdown file.
type block struct {
	language string
	from     string // the file that the comment above it names
	text     string
}

var fence = regexp.MustCompile("(?ms)^(?:<!-- from ([^ ]+) -->\n)?```([a-z]+)\n(.*?)^```$")

func blocks(t *testing.T, path string) []block {
	t.Helper()
	var all []block
	for _, m := range fence.FindAllStringSubmatch(read(t, path), -1) {
		all = append(all, block{from: m[1], language: m[2], text: m[3]})
	}
	require.NotEmpty(t, all)
	return all
}

// unwrapped returns text with one space in place of each line break and indent.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestManual_HasTheWholeServerOfTheQuickStart(t *testing.T) {
	t.Parallel()
	server := read(t, "examples/confirmed/main.go")
	_, code, found := strings.Cut(server, "\npackage main\n")
	require.True(t, found)
	assert.Contains(t, read(t, "docs/quickstart.md"), "```go\npackage main\n"+code+"```\n")
}

// commands are the lines of a file's sh blocks.
func commands(t *testing.T, path string) []string {
	t.Helper()
	var all []string
	for _, b := range blocks(t, path) {
		if b.language == "sh" {
			all = append(all, strings.Split(strings.TrimSpace(b.text), "\n")...)
		}
	}
	return all
}

// The rehearsal runs every other command of the pages for users.
func TestDocuments_CommandsAreRunByCI(t *testing.T) {
	t.Parallel()
	script := read(t, ".ci/run")
	for _, command := range commands(t, "CONTRIBUTING.md") {
		assert.Contains(t, script, command, "CONTRIBUTING.md has a command that .ci/run does not run")
	}
	for _, command := range []string{"go run ./examples/tour", "go test work"} {
		assert.Contains(t, commands(t, "README.md"), command)
		assert.Contains(t, script, command)
	}
}

var runBy = regexp.MustCompile("(?ms)^<!-- run by (\\S+) -->\n```sh\n(.*?)^```$")

// The rehearsal leaves out what another check runs. That check must have the
// commands, or read the page.
func TestPages_NameWhatRunsTheirCommands(t *testing.T) {
	t.Parallel()
	found := 0
	for _, page := range append(manual(t), "README.md", "examples/oauth/README.md") {
		for _, b := range runBy.FindAllStringSubmatch(read(t, page), -1) {
			found++
			check := read(t, filepath.Join(filepath.Dir(page), b[1]))
			if strings.Contains(check, filepath.Base(page)) {
				continue
			}
			for line := range strings.Lines(b[2]) {
				assert.Contains(t, check, strings.TrimSpace(line), "%s: %s does not run it", page, b[1])
			}
		}
	}
	assert.Positive(t, found)
}

// A server over stdio shows nothing on a terminal. So a page that the rehearsal
// follows runs each example in a way that shows something, or writes it.
func TestExamples_CanBeSeen(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, page := range append(manual(t), "examples/oauth/README.md", "examples/migration/README.md",
		"examples/gosdk/migration/README.md") {
		text.WriteString(read(t, page))
	}
	found := 0
	for _, folder := range mains(t, "examples") {
		found++
		runs := regexp.MustCompile("(?m)^go run .*" + regexp.QuoteMeta(folder) + "(@latest)?( |$)")
		writes := "<!-- from " + folder + "/main.go -->\n```go\npackage main\n"
		assert.True(t, runs.MatchString(text.String()) || strings.Contains(text.String(), writes),
			"no page runs %s or writes it; add a command to docs/examples.md or to a README of the example", folder)
	}
	assert.Greater(t, found, 15)
}

// mains returns the folders below root that have a command.
func mains(t *testing.T, root string) []string {
	t.Helper()
	found := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "internal") {
			return filepath.SkipDir
		}
		if filepath.Base(file) == "main.go" && strings.Contains(read(t, file), "\npackage main\n") {
			found[filepath.ToSlash(filepath.Dir(file))] = true
		}
		return nil
	}))
	return slices.Sorted(maps.Keys(found))
}

func TestManual_VersionsAreThoseInUse(t *testing.T) {
	t.Parallel()
	page, module := read(t, "docs/upgrades.md"), read(t, "go.mod")
	mcpgo := regexp.MustCompile(`github.com/mark3labs/mcp-go (v\S+)`).FindStringSubmatch(module)
	golang := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(module)
	require.Len(t, mcpgo, 2)
	require.Len(t, golang, 2)
	gosdk := regexp.MustCompile(`github.com/modelcontextprotocol/go-sdk (v\S+)`).FindStringSubmatch(read(t, "gosdk/go.mod"))
	require.Len(t, gosdk, 2)
	protocols := mcp.LATEST_PROTOCOL_VERSION + ", " + mcp.LATEST_LEGACY_PROTOCOL_VERSION
	assert.Contains(t, page, "| main | "+golang[1]+" | "+mcpgo[1]+" | "+gosdk[1]+" | "+protocols+" |\n")
	for _, known := range []string{
		"gosdk/call.go: firstModern = " + mcp.LATEST_PROTOCOL_VERSION,
		"agent/client/message.go: modern = " + mcp.LATEST_PROTOCOL_VERSION,
		"agent/client/message.go: sessions = " + mcp.LATEST_LEGACY_PROTOCOL_VERSION,
	} {
		file, constant, _ := strings.Cut(known, ": ")
		name, version, _ := strings.Cut(constant, " = ")
		assert.Regexp(t, `(?m)\b`+name+` += "`+regexp.QuoteMeta(version)+`"`, read(t, file), "%s: %s", file, name)
	}

	var clients struct {
		DevDependencies map[string]string `json:"devDependencies"`
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, ".ci/clients/package.json")), &clients))
	const npm = "@modelcontextprotocol/client"
	require.NotEmpty(t, clients.DevDependencies[npm])
	assert.Contains(t, read(t, "docs/sdks.md"), "`"+npm+"` "+clients.DevDependencies[npm])
}
