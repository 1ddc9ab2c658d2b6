package host_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/host"
)

// tool returns a tools/list entry: a good one, with the given members replacing
// its own.
func tool(t *testing.T, members string) json.RawMessage {
	t.Helper()
	all := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal([]byte(`{"name":"mail_send","title":"Send","description":"Sends.",
		"annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true},
		"inputSchema":{"type":"object","properties":{"to":{"type":"string"}}}}`), &all))
	require.NoError(t, json.Unmarshal([]byte("{"+members+"}"), &all), members)
	raw, err := json.Marshal(all)
	require.NoError(t, err)
	return raw
}

func schemaOf(text string) string { return `"inputSchema":` + text }

// withContract is a read-only tool with a contract.
func withContract(text string) string {
	return `"annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false},"_meta":{"` +
		host.MetaKeyContract + `":` + text + `}`
}

func hintsText(text string) string {
	raw, err := json.Marshal(hintsOf(text))
	if err != nil {
		return ""
	}
	return `"annotations":` + string(raw)
}

// lintCases has, for each rule, a tool, result or question that triggers it in
// a host and one that doesn't.
var lintCases = []struct {
	rule, host string
	level      host.Level
	bad, good  string // members of a tool
	tools      int    // how many of them; 0 means 1
	result     bool   // bad and good are results
	question   bool   // bad and good are questions
	pointer    string
}{
	{
		rule: "host.list.unreadable", host: "codex", level: host.Error,
		bad:     `"name":""`,
		good:    `"name":"a"`,
		pointer: "/tools/0",
	},
	{
		rule: "host.name.long", host: "vscode", level: host.Warning,
		bad:     `"name":"` + strings.Repeat("n", 48) + `"`,
		good:    `"name":"` + strings.Repeat("n", 45) + `"`,
		pointer: "/name",
	},
	{
		rule: "host.name.long", host: "codex", level: host.Info,
		bad:     `"name":"` + strings.Repeat("n", 120) + `"`,
		good:    `"name":"` + strings.Repeat("n", 45) + `"`,
		pointer: "/name",
	},
	{
		rule: "host.name.long", host: "claude-ai", level: host.Warning,
		bad:     `"name":"` + strings.Repeat("n", 46) + `"`,
		good:    `"name":"` + strings.Repeat("n", 45) + `"`,
		pointer: "/name",
	},
	{
		rule: "host.name.collision", host: "codex", level: host.Info,
		bad:   `"name":"mail-send"`,
		good:  `"name":"mail_sends"`,
		tools: 2, pointer: "/name",
	},
	{
		rule: "host.name.collision", host: "codex@2026-08", level: host.Error,
		bad:   `"name":"mail.send"`,
		good:  `"name":"mail_sends"`,
		tools: 2, pointer: "/name",
	},
	{
		rule: "host.name.folded", host: "vscode", level: host.Info,
		bad:     `"name":"mail.send"`,
		good:    `"name":"mail-send"`,
		pointer: "/name",
	},
	{
		rule: "host.name.refused", host: "copilot-cli", level: host.Warning,
		bad:     `"name":"mail.send"`,
		good:    `"name":"mail-send"`,
		pointer: "/name",
	},
	{
		rule: "host.list.tools", host: "vscode", level: host.Warning,
		bad:   `"title":"T"`,
		good:  "",
		tools: 129, pointer: "/tools",
	},
	{
		rule: "host.description.long", host: "claude-code@2026-08", level: host.Warning,
		bad:     `"description":"` + strings.Repeat("é", 2049) + `"`,
		good:    `"description":"` + strings.Repeat("é", 2048) + `"`,
		pointer: "/description",
	},
	{
		rule: "host.description.long", host: "claude-code", level: host.Info,
		bad:     `"description":"` + strings.Repeat("d", 4097) + `"`,
		good:    `"description":"` + strings.Repeat("d", 2049) + `"`,
		pointer: "/description",
	},
	{
		rule: "host.description.long", host: "openai-api", level: host.Info,
		bad:     `"description":"` + strings.Repeat("d", 1025) + `"`,
		good:    `"description":"` + strings.Repeat("d", 1024) + `"`,
		pointer: "/description",
	},
	{
		rule: "host.description.missing", host: "vscode", level: host.Warning,
		bad:     `"description":" "`,
		good:    `"description":"Sends."`,
		pointer: "/description",
	},
	{
		rule: "host.title.differs", host: "vscode", level: host.Warning,
		bad:     `"annotations":{"title":"Other"}`,
		good:    `"annotations":{"title":"Send"}`,
		pointer: "/annotations/title",
	},
	{
		rule: "host.schema.root", host: "claude-code", level: host.Warning,
		bad:     schemaOf(`{"type":"object","anyOf":[{}]}`),
		good:    schemaOf(`{"type":"object","properties":{"anyOf":{"anyOf":[{}]}}}`),
		pointer: "/inputSchema/anyOf",
	},
	{
		rule: "host.schema.object", host: "claude-code", level: host.Warning,
		bad:     schemaOf(`{}`),
		good:    schemaOf(`{"type":"object"}`),
		pointer: "/inputSchema/type",
	},
	{
		rule: "host.schema.boolean", host: "claude-code", level: host.Warning,
		bad:     schemaOf(`{"type":"object","properties":{"a/b":true}}`),
		good:    schemaOf(`{"type":"object","properties":{"additionalProperties":{}},"additionalProperties":false}`),
		pointer: "/inputSchema/properties/a~1b",
	},
	{
		rule: "host.schema.boolean", host: "codex", level: host.Warning,
		bad:     schemaOf(`{"type":"object","properties":{"a":{"items":true}}}`),
		good:    schemaOf(`{"type":"object","properties":{"a":{"items":{}}}}`),
		pointer: "/inputSchema/properties/a/items",
	},
	{
		rule: "host.schema.property", host: "claude-code", level: host.Error,
		bad:     schemaOf(`{"type":"object","properties":{"to whom":{}}}`),
		good:    schemaOf(`{"type":"object","properties":{"to":{"properties":{"to whom":{}}}}}`),
		pointer: "/inputSchema/properties/to whom",
	},
	{
		rule: "host.schema.draft7", host: "vscode", level: host.Error,
		bad:     schemaOf(`{"type":"object","properties":{"n":{"exclusiveMinimum":true}}}`),
		good:    schemaOf(`{"type":"object","properties":{"n":{"items":[{}]}}}`),
		pointer: "/inputSchema/properties/n/exclusiveMinimum",
	},
	{
		rule: "host.schema.draft2020", host: "claude-code", level: host.Error,
		bad:     schemaOf(`{"type":"object","properties":{"n":{"items":[{}]}}}`),
		good:    schemaOf(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"n":{"items":[{}]}}}`),
		pointer: "/inputSchema/properties/n/items",
	},
	{
		rule: "host.schema.null", host: "codex", level: host.Error,
		bad:     schemaOf(`{"type":"null"}`),
		good:    schemaOf(`{"type":"object"}`),
		pointer: "/inputSchema/type",
	},
	{
		rule: "host.schema.size", host: "codex", level: host.Info,
		bad:     schemaOf(`{"type":"object","title":"` + strings.Repeat("t", 5000) + `"}`),
		good:    schemaOf(`{"type":"object","title":"` + strings.Repeat("t", 4000) + `"` + strings.Repeat(" ", 2000) + `}`),
		pointer: "/inputSchema",
	},
	{
		rule: "host.schema.integer", host: "claude-code", level: host.Warning,
		bad:     schemaOf(`{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993}}}`),
		good:    schemaOf(`{"type":"object","properties":{"n":{"maximum":9007199254740992},"s":{"type":"string","format":"int64"}}}`),
		pointer: "/inputSchema/properties/n/maximum",
	},
	{
		rule: "host.schema.integer", host: "claude-code", level: host.Warning,
		bad:     `"outputSchema":{"type":"object","properties":{"n":{"type":"integer","const":-9007199254740993}}}`,
		good:    `"outputSchema":{"type":"object","properties":{"n":{"type":"integer","const":9007199254740992}}}`,
		pointer: "/outputSchema/properties/n/const",
	},
	{
		rule: "host.schema.enum", host: "gemini", level: host.Info,
		bad:     schemaOf(`{"type":"object","properties":{"a":{"anyOf":[{"enum":["b",""]},{"type":"null"}]}}}`),
		good:    schemaOf(`{"type":"object","properties":{"":{"type":"string","enum":[" ","b"],"default":""}}}`),
		pointer: "/inputSchema/properties/a/anyOf/0/enum/1",
	},
	{
		rule: "host.schema.items", host: "vscode", level: host.Warning,
		bad:     schemaOf(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"array"}}}}`),
		good:    schemaOf(`{"type":"object","properties":{"a":{"type":"array","items":{}},"b":{"type":"array","prefixItems":[{}]}}}`),
		pointer: "/inputSchema/properties/a/items",
	},
	{
		rule: "host.schema.untyped", host: "gemini", level: host.Info,
		bad:     schemaOf(`{"type":"object","properties":{"a":{"description":"Any value."}}}`),
		good:    schemaOf(`{"type":"object","properties":{"a":{"enum":["b"]},"c":{"$ref":"#/$defs/d"},"e":{"oneOf":[{}]}}}`),
		pointer: "/inputSchema/properties/a",
	},
	{
		rule: "host.output.recursive", host: "claude-code", level: host.Info,
		bad: `"outputSchema":{"type":"object","properties":{"tree":{"$ref":"#/$defs/node"}},"$defs":{
			"leaf":{"type":"string"},
			"node":{"properties":{"leaf":{"$ref":"#/$defs/leaf"},"next":{"$ref":"#/$defs/list"}}},
			"list":{"type":"array","items":{"$ref":"#/$defs/node"}}}}`,
		good: `"outputSchema":{"type":"object","properties":{"tree":{"$ref":"#/$defs/node"},"again":{"$ref":"#/$defs/node"}},"$defs":{
			"leaf":{"type":"string"},"leaf2":{"$ref":"#/$defs/leaf"},
			"node":{"properties":{"leaf":{"$ref":"#/$defs/leaf"},"next":{"$ref":"#/$defs/leaf2"}}}}}`,
		pointer: "/outputSchema/$defs/list/items/$ref",
	},
	{
		rule: "host.output.recursive", host: "claude-code", level: host.Info,
		bad:     `"outputSchema":{"type":"object","properties":{"children":{"items":{"$ref":"#"}}}}`,
		good:    `"outputSchema":{"type":"object","properties":{"children":{"items":{"$ref":"https://example.com/other"}}}}`,
		pointer: "/outputSchema/properties/children/items/$ref",
	},
	{
		rule: "host.result.integer", host: "claude-code", level: host.Warning, result: true,
		bad:     `{"content":[{"type":"text","text":"9007199254740993"}],"structuredContent":{"a":[{"id":9007199254740993}]}}`,
		good:    `{"content":[{"type":"text","text":"9007199254740993"}],"structuredContent":{"id":"9007199254740993","n":9007199254740992}}`,
		pointer: "/structuredContent",
	},
	{
		rule: "host.schema.dropped", host: "gemini", level: host.Info,
		bad:     schemaOf(`{"type":"object","additionalProperties":false}`),
		good:    schemaOf(`{"type":"object","properties":{"additionalProperties":{}}}`),
		pointer: "/inputSchema",
	},
	{
		rule: "host.output.schema", host: "claude-desktop", level: host.Info,
		bad:     `"outputSchema":{"type":"object"}`,
		good:    `"outputSchema":null`,
		pointer: "/outputSchema",
	},
	{
		rule: "host.output.draft7", host: "claude-code", level: host.Warning,
		bad:     `"outputSchema":{"$schema":"http://json-schema.org/draft-07/schema#"}`,
		good:    `"outputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema"}`,
		pointer: "/outputSchema/$schema",
	},
	{
		rule: "host.result.text", host: "gemini", level: host.Warning, result: true,
		bad:     `{"content":[],"structuredContent":{"a":1}}`,
		good:    `{"content":[{"type":"text","text":"a is 1"}],"structuredContent":{"a":1}}`,
		pointer: "/content",
	},
	{
		rule: "host.result.hollow", host: "vscode", level: host.Warning, result: true,
		bad:     `{"content":[{"type":"text","text":"a is 1"}],"structuredContent":{ }}`,
		good:    `{"content":[{"type":"text","text":"a is 1"}]}`,
		pointer: "/structuredContent",
	},
	{
		rule: "host.result.error", host: "claude-code", level: host.Info, result: true,
		bad:     `{"isError":true,"content":[{"type":"text","text":" "}],"structuredContent":{"a":1}}`,
		good:    `{"isError":true,"content":[{"type":"text","text":"no"}]}`,
		pointer: "/content",
	},
	{
		rule: "host.result.blocks", host: "claude-code", level: host.Info, result: true,
		bad:     `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`,
		good:    `{"content":[{"type":"text","text":"a"},{"type":"image"}]}`,
		pointer: "/content",
	},
	{
		rule: "host.result.long", host: "claude-code", level: host.Warning, result: true,
		bad:     `{"content":[{"type":"text","text":"` + strings.Repeat("a", 50001) + `"}]}`,
		good:    `{"content":[{"type":"text","text":"` + strings.Repeat("a", 50000) + `"}]}`,
		pointer: "/content",
	},
	{
		rule: "host.error.long", host: "claude-code", level: host.Warning, result: true,
		bad:     `{"isError":true,"content":[{"type":"text","text":"` + strings.Repeat("a", 10001) + `"}]}`,
		good:    `{"content":[{"type":"text","text":"` + strings.Repeat("a", 10001) + `"}]}`,
		pointer: "/content",
	},
	{
		rule: "host.question.empty", host: "codex", level: host.Error, question: true,
		bad:     `{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}`,
		good:    `{"message":"Sure?","requestedSchema":{"type":"object","properties":{"confirm":{"type":"boolean"}}}}`,
		pointer: "/requestedSchema/properties",
	},
	{
		rule: "host.question.none", host: "gemini", level: host.Info,
		bad:     withContract(`{"confirmation":"always"}`),
		good:    withContract(`{"confirmation":"never"}`),
		pointer: "/_meta/io.github.toolcontract~1contract/confirmation",
	},
	{
		rule: "host.hints.unasked", host: "codex", level: host.Warning,
		bad:     hintsText("fff"),
		good:    hintsText("fft"),
		pointer: "/annotations",
	},
	{
		rule: "host.hints.model", host: "goose", level: host.Warning,
		bad:     hintsText("---"),
		good:    hintsText("f--"),
		pointer: "/annotations",
	},
	{
		rule: "host.hints.contradiction", host: "vscode", level: host.Warning,
		bad:     hintsText("ttf"),
		good:    hintsText("tff"),
		pointer: "/annotations",
	},
	{
		rule: "host.hints.missing", host: "openai-directory", level: host.Error,
		bad:     hintsText("ff-"),
		good:    hintsText("fff"),
		pointer: "/annotations",
	},
	{
		rule: "host.hints.missing", host: "claude-directory", level: host.Warning,
		bad:     hintsText("-ff"),
		good:    hintsText("f--"),
		pointer: "/annotations",
	},
	{
		rule: "host.read.parallel", host: "codex", level: host.Warning,
		bad:     withContract(`{"maxConcurrent":1}`),
		good:    withContract(`{"maxConcurrent":2}`),
		pointer: "/_meta/io.github.toolcontract~1contract/maxConcurrent",
	},
	{
		rule: "host.read.cached", host: "claude-desktop", level: host.Info,
		bad:     withContract(`{"stepUp":{"maxAgeMs":1}}`),
		good:    withContract(`{}`),
		pointer: "/_meta/io.github.toolcontract~1contract",
	},
	{
		rule: "host.call.again", host: "claude-code", level: host.Info,
		bad:     hintsText("fff"),
		good:    hintsText("tff"),
		pointer: "",
	},
	{
		rule: "host.key.value", host: "claude-code", level: host.Warning,
		bad:     `"_meta":{"anthropic/requiresUserInteraction":"true"}`,
		good:    `"_meta":{"anthropic/requiresUserInteraction":true}`,
		pointer: "/_meta/anthropic~1requiresUserInteraction",
	},
}

func TestLint_FindsWhatAHostDoes(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	for i, c := range lintCases {
		tested[c.rule] = true
		name := "mail_send"
		server := func(members string) host.Server {
			if c.result {
				return host.Server{Results: map[string][]json.RawMessage{name: {json.RawMessage(members)}}}
			}
			if c.question {
				return host.Server{Questions: map[string][]json.RawMessage{name: {json.RawMessage(members)}}}
			}
			tools := []json.RawMessage{tool(t, members)}
			for n := 1; n < c.tools && members != ""; n++ {
				other := ""
				if c.tools > 2 {
					other = fmt.Sprintf(`"name":"mail_send_%d"`, n)
				}
				tools = append(tools, tool(t, other))
			}
			return host.Server{Tools: tools}
		}
		only := func(members string) []host.Finding {
			found := host.Lint(server(members), find(t, c.host))
			return slices.DeleteFunc(found, func(f host.Finding) bool { return f.Rule != c.rule })
		}
		found := only(c.bad)
		if assert.Len(t, found, 1, "%d %s", i, c.rule) {
			f := found[0]
			assert.Equal(t, c.level, f.Level, "%s %s", c.rule, c.host)
			assert.Equal(t, c.pointer, f.Pointer, c.rule)
			assert.NotEmpty(t, f.Remedy, c.rule)
			if c.rule != "host.list.unreadable" {
				of, _, _ := strings.Cut(c.host, "@")
				assert.Equal(t, of, f.Host)
				assert.NotEmpty(t, f.Source, c.rule)
				assert.Contains(t, f.String(), "["+c.rule+"]")
			}
		}
		assert.Empty(t, only(c.good), "%d %s", i, c.rule)
	}
	source, err := os.ReadFile("rule.go")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`rule\w+\s+= "([^"]+)"`).FindAllStringSubmatch(string(source), -1) {
		assert.True(t, tested[m[1]], "%s has no case", m[1])
	}
}

// An unconfirmed fact never causes an error or a warning, and a report from
// users never causes an error.
func TestLint_LevelsFollowFromCertainty(t *testing.T) {
	t.Parallel()
	for _, c := range lintCases {
		members := c.bad
		if c.result || c.question {
			continue
		}
		for _, f := range host.Lint(host.Server{Tools: []json.RawMessage{tool(t, members)}}, host.All()...) {
			if strings.Contains(f.Message, "(unconfirmed)") {
				assert.Equal(t, host.Info, f.Level, f)
			}
		}
	}
	unconfirmed := 0
	for _, h := range host.All() {
		for _, f := range slices.Concat(h.Names, h.Facts, h.Capabilities) {
			if f.Uncertain || !slices.Contains([]string{"src", "doc", "iss"}, f.Mark) {
				assert.False(t, f.Confirmed(), h.Name)
				unconfirmed++
			}
		}
	}
	assert.Greater(t, unconfirmed, 15)
}

// A _meta key is only a request to the host. Tools with one get the same
// findings.
func TestLint_MetaKeysGiveNoProtection(t *testing.T) {
	t.Parallel()
	write := func(meta string) []host.Finding {
		raw := tool(t, hintsText("fff")+`,"_meta":{`+meta+`}`)
		return host.Lint(host.Server{Tools: []json.RawMessage{raw}}, host.All()...)
	}
	found := write(`"anthropic/requiresUserInteraction":true,"cursor/requiresConfirmation":true`)
	assert.Equal(t, write(""), found)
	assert.True(t, slices.ContainsFunc(found, func(f host.Finding) bool { return f.Rule == "host.hints.unasked" }))
}

func TestLint_LeavesTheDecisionToAContract(t *testing.T) {
	t.Parallel()
	levels := func(members string) map[string]host.Level {
		all := map[string]host.Level{}
		for _, f := range host.Lint(host.Server{Tools: []json.RawMessage{tool(t, members)}}, host.All()...) {
			all[f.Rule] = f.Level
		}
		return all
	}
	const key = `,"_meta":{"` + host.MetaKeyContract + `":`
	plain := levels(hintsText("fff"))
	assert.Equal(t, host.Warning, plain["host.hints.unasked"])
	assert.Contains(t, plain, "host.call.again")
	assert.Equal(t, host.Info, levels(hintsText("fff") + key + `{"confirmation":"never"}}`)["host.hints.unasked"])
	asking := levels(hintsText("fff") + key + `{"confirmation":"always"}}`)
	assert.NotContains(t, asking, "host.hints.unasked")
	assert.NotContains(t, asking, "host.call.again")
	some := levels(hintsText("fff") + key + `{"confirmation":"always","resolves":{"confirmation":"never"}}}`)
	assert.Contains(t, some, "host.call.again", "a call that no person confirms can be repeated")
	short := levels(hintsText("fff") + key + `{"confirmation":"never","failureCodes":[],"idempotentForSeconds":900}}`)
	assert.NotContains(t, short, "host.call.again", "the summary says that a repetition soon after changes nothing")
}

func ExampleLint() {
	tool := json.RawMessage(`{"name":"notes_add","description":"Adds a note.","inputSchema":{"type":"object"},
		"annotations":{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":false}}`)
	hosts, err := host.Find("codex")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range host.Lint(host.Server{Tools: []json.RawMessage{tool}}, hosts...) {
		fmt.Println(f.Level, f.Tool, f.Message)
	}
	// Output:
	// warning notes_add Codex runs the write without a question, in its mode auto
}
