package docs_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

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

func TestManual_HasTheWholeSmallestServer(t *testing.T) {
	t.Parallel()
	server := read(t, "examples/smallest/main.go")
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

func TestDocuments_CommandsAreRunByCI(t *testing.T) {
	t.Parallel()
	script := read(t, ".ci/run")
	for _, path := range []string{"README.md", "CONTRIBUTING.md"} {
		for _, command := range commands(t, path) {
			if strings.HasPrefix(command, "go get ") {
				continue // this one is for the module of the reader
			}
			assert.Contains(t, script, command, "%s has a command that .ci/run does not run", path)
		}
	}
	assert.Equal(t, []string{"go run ./examples/tour", "go test work"}, commands(t, "README.md")[:2])
}

func TestManual_VersionsAreThoseInUse(t *testing.T) {
	t.Parallel()
	page, module := read(t, "docs/upgrades.md"), read(t, "go.mod")
	mcpgo := regexp.MustCompile(`github.com/mark3labs/mcp-go (v\S+)`).FindStringSubmatch(module)
	golang := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(module)
	require.Len(t, mcpgo, 2)
	require.Len(t, golang, 2)
	gosdk := regexp.MustCompile(`github.com/modelcontextprotocol/go-sdk (v\S+)`).FindStringSubmatch(read(t, "contract/gosdk/go.mod"))
	require.Len(t, gosdk, 2)
	assert.Contains(t, page, "| main | "+golang[1]+" | "+mcpgo[1]+" | "+gosdk[1]+" |")

	var clients struct {
		DevDependencies map[string]string `json:"devDependencies"`
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, ".ci/clients/package.json")), &clients))
	const npm = "@modelcontextprotocol/client"
	require.NotEmpty(t, clients.DevDependencies[npm])
	assert.Contains(t, read(t, "docs/sdks.md"), "`"+npm+"` "+clients.DevDependencies[npm])
}
