package clients

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

const (
	contractKey = "io.github.toolcontract/contract"
	outcomeKey  = "io.github.toolcontract/outcome"
)

// sdk is the module of the client under test.
const sdk = "github.com/modelcontextprotocol/go-sdk"

// observed records for each fact where it held. ../observed.mjs records the
// same for the other clients.
type observed map[string]map[string]bool

func (o observed) note(fact, where string, held bool) {
	of := o[fact]
	if of == nil {
		of = map[string]bool{}
		o[fact] = of
	}
	before, noted := of[where]
	of[where] = held && (before || !noted)
}

// list compares the tools that the client lists with the tools that were sent.
func (o observed) list(t *testing.T, where string, got []*mcp.Tool, sent []any) {
	t.Helper()
	listed := map[string]*mcp.Tool{}
	for _, tool := range got {
		listed[tool.Name] = tool
	}
	for _, s := range sent {
		want := s.(map[string]any)
		tool := listed[want["name"].(string)]
		o.note("dotted names", where, tool != nil)
		if tool == nil {
			continue
		}
		hints := want["annotations"].(map[string]any)
		a := tool.Annotations
		o.note("title", where, tool.Title == want["title"])
		o.note("hints", where, a != nil && a.DestructiveHint != nil && a.OpenWorldHint != nil &&
			a.ReadOnlyHint == hints["readOnlyHint"] && *a.DestructiveHint == hints["destructiveHint"] &&
			a.IdempotentHint == hints["idempotentHint"] && *a.OpenWorldHint == hints["openWorldHint"])
		o.note("inputSchema", where, reflect.DeepEqual(plain(t, tool.InputSchema), want["inputSchema"]))
		o.note("outputSchema", where, reflect.DeepEqual(plain(t, tool.OutputSchema), want["outputSchema"]))
		o.note("tool _meta", where, reflect.DeepEqual(tool.Meta[contractKey], want["_meta"].(map[string]any)[contractKey]))
	}
}

// result compares the result that the client returns with the result that was
// sent.
func (o observed) result(t *testing.T, where string, got *mcp.CallToolResult, sent map[string]any) {
	t.Helper()
	kept := reflect.DeepEqual(comparable(got.Meta[outcomeKey]), comparable(sent["_meta"].(map[string]any)[outcomeKey]))
	if sent["isError"] == true {
		o.note("error _meta", where, kept)
		o.note("error text", where, reflect.DeepEqual(untagged(t, got.Content), untagged(t, sent["content"])))
		return
	}
	o.note("result _meta", where, kept)
	o.note("structuredContent", where, got.StructuredContent != nil)
}

// tag delimits untrusted text. Each answer has its own.
var tag = regexp.MustCompile("untrusted-content-[a-z2-7]{16}")

// untagged returns content as plain JSON values, with one tag in all texts.
func untagged(t *testing.T, content any) any {
	t.Helper()
	data, err := json.Marshal(content)
	require.NoError(t, err)
	var values any
	require.NoError(t, json.Unmarshal(tag.ReplaceAll(data, []byte("untrusted-content")), &values))
	return values
}

// comparable returns the outcome without its call id, which differs in each
// call, and without what depends on the transport: the id of the operation,
// because callers differ, and the hint about a step-up. What is compared was sent
// over stdio, where a user cannot authenticate again.
func comparable(outcome any) any {
	members, ok := outcome.(map[string]any)
	if !ok {
		return nil
	}
	members = maps.Clone(members)
	delete(members, "callId")
	delete(members, "operationId")
	if members["stepUp"] != nil {
		delete(members, "hint")
	}
	return members
}

// plain returns v as generic JSON values.
func plain(t *testing.T, v any) (out any) {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

// writeObserved writes the results for the tables to the directory that ../run
// has set. Without one it does nothing.
func writeObserved(t *testing.T, file string, members map[string]any) {
	t.Helper()
	dir := os.Getenv("OBSERVED")
	if dir == "" {
		return
	}
	version, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Version}}", sdk).Output()
	require.NoError(t, err)
	members["client"] = map[string]any{
		"name": strings.TrimPrefix(sdk, "github.com/"), "version": strings.TrimSpace(string(version)), "eras": eras,
	}
	data, err := json.Marshal(members)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, file), data, 0o600))
}
