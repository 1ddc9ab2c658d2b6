package export

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// The constants of OpenAI's formats, as of 2026-10.
const (
	pluginSchema    = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
	pluginMCPSchema = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
	legacySchema    = "https://developers.openai.com/apps-sdk/schemas/chatgpt-app-submission.v1.json"
	// otherLegacySchema is also in use.
	otherLegacySchema = "https://developers.openai.com/plugins/schemas/chatgpt-app-submission.v1.json"

	maxPluginName  = 64
	maxDisplayName = 30
	maxPluginURL   = 1024
)

var pluginName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// annotations are the hints in a submission.
type annotations struct {
	ReadOnly    bool `json:"readOnlyHint"`
	OpenWorld   bool `json:"openWorldHint"`
	Destructive bool `json:"destructiveHint"`
}

// openAI returns the files of a plugin, as far as contracts and flags supply
// them. A plugin has no member for hints and justifications, so they go on a
// page for the person who types them into the portal.
func openAI(from source, p parameters) (r result) {
	checkOpenAI(&r, from)
	r.checkLength("-name", p.name, maxPluginName)
	r.checkLength("-title", p.title, maxDisplayName)
	r.checkLength("-url", p.url, maxPluginURL)
	if p.name != "" && !pluginName.MatchString(p.name) {
		r.add(wrong, "", "plugin.name", "-name must have only lower-case letters, digits and single hyphens")
	}
	if p.url != "" && !strings.HasPrefix(p.url, "https://") {
		r.add(wrong, "", "server.url", "-url must begin with https://")
	}
	type face struct {
		DisplayName string `json:"displayName,omitempty"`
	}
	plugin := struct {
		Schema      string         `json:"$schema"`
		Name        string         `json:"name,omitempty"`
		Version     string         `json:"version,omitempty"`
		Description string         `json:"description,omitempty"`
		Extensions  map[string]any `json:"extensions"`
	}{pluginSchema, p.name, p.version, p.description, map[string]any{"com.openai": map[string]any{"interface": face{p.title}}}}
	for _, missing := range []struct{ what, value string }{
		{"name", p.name}, {"version", p.version}, {"description", p.description}, {"title", p.title}, {"url", p.url},
	} {
		if missing.value == "" {
			r.asks("plugin.incomplete", fmt.Sprintf("the package lacks the %s; pass -%s", missing.what, missing.what))
		}
	}
	r.asks("plugin.author", "add the author, and in interface the developer's name, the category, the addresses and the pictures")
	r.asks("plugin.cases", "add exactly 5 positive and 3 negative test cases; they come from a person")
	r.asks("plugin.justifications", "type the justifications of hints.md into the portal, if it asks for them")
	r.file("plugin.json", plugin)
	if p.name != "" && p.url != "" {
		type server struct {
			Type string `json:"type"`
			URL  string `json:"url"`
		}
		r.file("mcp.json", struct {
			Schema  string            `json:"$schema"`
			Servers map[string]server `json:"mcpServers"`
		}{pluginMCPSchema, map[string]server{p.name: {"streamable-http", p.url}}})
	}
	r.text("hints.md", hintsPage(from))
	return r
}

// checkOpenAI adds findings for what OpenAI's scan refuses or warns about.
func checkOpenAI(r *result, from source) {
	if len(from.tools) == 0 {
		r.add(wrong, "", "tools.none", "there is no tool")
	}
	hints := factOf(openAIDirectory, "host.hints.missing").Keywords
	long := factOf(openAIDirectory, "host.description.long")
	for _, t := range from.tools {
		r.missing(t, wrong, hints, ", and every tool must have all three hints")
		if is(t.readOnly, true) && is(t.destructive, true) {
			r.add(wrong, t.name, "hint.contradiction", "it is both read-only and destructive")
		}
		if is(t.readOnly, false) && is(t.destructive, false) {
			r.add(person, t.name, "hint.undo", "check destructiveHint: the directory wants true for a tool that deletes, overwrites, "+
				"sends for good, revokes or administers, also if that can be undone")
		}
		if !t.output {
			r.add(warning, t.name, "schema.output", "it has no output schema")
		}
		if utf8.RuneCountInString(t.description) > long.Limit {
			r.add(warning, t.name, "description.length", "its description has more than %d characters, which the portal may refuse "+
				"(unconfirmed)", long.Limit)
		}
		if t.doc == nil {
			r.add(person, t.name, "justification.missing", "it has no contract; write its justifications")
		}
	}
}

// hintsPage returns the hints and justifications as a page.
func hintsPage(from source) string {
	var page strings.Builder
	fmt.Fprint(&page, "# Hints and justifications\n\nThe portal reads the hints from the server. They cannot be changed there.\n")
	for _, t := range from.tools {
		fmt.Fprintf(&page, "\n## %s\n\n", cli.OneLine(t.name))
		why := justifications{"To be written by a person.", "To be written by a person.", "To be written by a person."}
		if t.isComplete() {
			why = justify(t)
		}
		fmt.Fprintf(&page, "- readOnlyHint %s: %s\n- openWorldHint %s: %s\n- destructiveHint %s: %s\n",
			hintText(t.readOnly), why.ReadOnly, hintText(t.open), why.OpenWorld, hintText(t.destructive), why.Destructive)
	}
	return page.String()
}

// isComplete reports whether sentences can be made from the contract.
func (t tool) isComplete() bool {
	return t.doc != nil && !slices.Contains([]*bool{t.readOnly, t.destructive, t.open}, nil)
}

func hintText(hint *bool) string {
	if hint == nil {
		return "missing"
	}
	return fmt.Sprint(*hint)
}

// legacy returns chatgpt-app-submission.json, the older form.
func legacy(from source, p parameters) (r result) {
	checkOpenAI(&r, from)
	if p.schema != legacySchema && p.schema != otherLegacySchema {
		r.add(wrong, "", "submission.schema", "-schema must be %s or %s", legacySchema, otherLegacySchema)
	}
	type submitted struct {
		Annotations    annotations     `json:"annotations"`
		Justifications *justifications `json:"justifications,omitempty"`
	}
	file := struct {
		Schema  string               `json:"$schema"`
		Version int                  `json:"schema_version"`
		Tools   map[string]submitted `json:"tools"`
	}{p.schema, 1, map[string]submitted{}}
	for _, t := range from.tools {
		s := submitted{Annotations: annotations{is(t.readOnly, true), is(t.open, true), is(t.destructive, true)}}
		if t.isComplete() {
			why := justify(t)
			s.Justifications = &why
		}
		file.Tools[t.name] = s
	}
	r.asks("submission.app", "add app_info: the name, a subtitle of at most 30 characters, a description of at most 4,000, "+
		"and the category")
	r.asks("submission.cases", "add 5 test cases and 3 negative ones; they come from a person")
	r.file("chatgpt-app-submission.json", file)
	return r
}
