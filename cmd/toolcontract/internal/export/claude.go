package export

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// claude returns the checklist for the Claude Connectors Directory, which takes
// no file: its portal reads the server.
func claude(from source, p parameters) (r result) {
	demanded, accepted := nameOf(claudeDirectory), nameOf(claudeHost)
	hints := factOf(claudeDirectory, "host.hints.missing").Keywords
	for _, t := range from.tools {
		if t.title == "" {
			r.add(warning, t.name, "title.missing", "it has no title; give it one")
		}
		r.missing(t, wrong, hints, ", so the portal's functional tests are off for all tools")
		if !is(t.readOnly, true) {
			r.missing(t, warning, []string{"destructiveHint"}, "")
		}
		if is(t.readOnly, true) && is(t.destructive, true) {
			r.add(warning, t.name, "hint.contradiction", "it is both read-only and destructive, so the portal's tests do not call it")
		}
		if n := utf8.RuneCountInString(t.name); n > demanded.Limit {
			r.add(wrong, t.name, "name.length", "its name has %d characters; at most %d are allowed", n, demanded.Limit)
		}
		if otherCharacters(t.name, accepted.Keeps) {
			r.add(warning, t.name, "name.form", "its name has other characters than letters, digits, _ and -, "+
				"and claude.ai may drop all tools of the server")
		}
	}
	if len(from.tools) == 0 {
		r.add(wrong, "", "tools.none", "there is no tool")
	}
	switch {
	case p.url == "":
		r.asks("server.url", "pass -url, or check that the server is remote, with HTTPS")
	case !strings.HasPrefix(p.url, "https://"):
		r.add(wrong, "", "server.url", "-url must begin with https://: the directory takes remote servers only")
	}
	r.checkLength("-title", p.title, 100)
	r.checkLength("-description", p.description, 2000)
	r.text("checklist.md", checklist(from, r))
	return r
}

// checklist returns the findings, and what a person has to check.
func checklist(from source, r result) string {
	var page strings.Builder
	fmt.Fprint(&page, "# Checklist for the Claude Connectors Directory\n\n## Checked\n\n")
	for _, check := range []struct{ rule, text string }{
		{"title.missing", "every tool has a title"},
		{"hint.missing", "every tool sends readOnlyHint, and destructiveHint if it is not read-only"},
		{"hint.contradiction", "no tool is both read-only and destructive"},
		{"name.length", fmt.Sprintf("every name has at most %d characters", nameOf(claudeDirectory).Limit)},
		{"name.form", "every name has only letters, digits, _ and -"},
		{"server.url", "the server is remote, with HTTPS"},
	} {
		box, found := "x", 0
		for _, f := range r.Findings {
			if f.Rule == check.rule {
				box, found = " ", found+1
			}
		}
		fmt.Fprintf(&page, "- [%s] %s", box, check.text)
		switch found {
		case 0:
		case 1:
			fmt.Fprint(&page, ": 1 finding")
		default:
			fmt.Fprintf(&page, ": %d findings", found)
		}
		fmt.Fprintln(&page)
	}
	fmt.Fprint(&page, "\n## Tools\n\nThe portal's tests call only tools that are read-only and not destructive.\n\n"+
		"| tool | read-only | destructive | tests call it |\n|---|---|---|---|\n")
	for _, t := range from.tools {
		called := "no"
		if is(t.readOnly, true) && !is(t.destructive, true) {
			called = "yes"
		}
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", strings.NewReplacer("`", "", "|", "").Replace(cli.OneLine(t.name)),
			hintText(t.readOnly), hintText(t.destructive), called)
	}
	fmt.Fprint(&page, `
## To be checked by a person

- [ ] no tool mixes safe and unsafe HTTP methods
- [ ] a tool with a free query names the API that it reaches, and links it
- [ ] descriptions are narrow: no behaviour of the model, no calls of other tools, no hidden text, no promotion
- [ ] errors are specific, and results are bounded
- [ ] no tool transfers money, and none generates images, video or audio

## To be written by a person

- [ ] name, at most 100 characters; one line, at most 200; text, at most 2,000
- [ ] 1 to 5 categories, and 3 prompts
- [ ] addresses of the documentation, the privacy policy and the support, and an icon
`)
	return page.String()
}
