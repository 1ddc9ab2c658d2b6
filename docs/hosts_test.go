package docs_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/host"
)

const hostsPage = "docs/hosts.md"

var hostsTable = regexp.MustCompile(`(?s)(<!-- host: (\w+) -->\n).*?(<!-- end -->)`)

// The page of hosts has the facts of package host. This test may write the
// page, so it runs before the parallel tests read it.
func TestHostsPage_HasTheFacts(t *testing.T) {
	text := read(t, hostsPage)
	written := map[string]bool{}
	want := hostsTable.ReplaceAllStringFunc(text, func(part string) string {
		m := hostsTable.FindStringSubmatch(part)
		write := hostTables[m[2]]
		require.NotNil(t, write, m[2])
		written[m[2]] = true
		var b strings.Builder
		write(&b)
		return m[1] + "\n" + b.String() + "\n" + m[3]
	})
	if *update {
		require.NoError(t, os.WriteFile(hostsPage, []byte(want), 0o644))
		text = want
	}
	sameText(t, want, text, hostsPage)
	assert.Len(t, written, len(hostTables))
}

// hostTables write the tables of the page.
var hostTables = map[string]func(*strings.Builder){
	"names": func(b *strings.Builder) {
		b.WriteString("| host | as of | the name that the model gets | other characters | longer names | source |\n" +
			"|---|---|---|---|---|---|\n")
		for _, h := range host.All() {
			for _, f := range h.Names {
				other := "become `_`"
				if f.Other == "refuse" {
					other = "are refused: " + f.Does
				}
				long := "–"
				if f.Limit > 0 {
					long = fmt.Sprintf("over %d: %s", f.Limit, f.Does)
				}
				row(b, h.Title, h.Date, "`"+f.Form+"`", "all but A-Z a-z 0-9 `"+f.Keeps+"` "+other, long, sourceOf(f))
			}
		}
	},
	"approval": func(b *strings.Builder) {
		type column struct {
			h host.Host
			m host.Mode
		}
		var columns []column
		head := []string{"hints"}
		for _, h := range host.All() {
			for _, m := range h.Modes {
				if len(m.Rules) > 1 {
					columns = append(columns, column{h, m})
					head = append(head, h.Title+", "+m.Name)
				}
			}
		}
		row(b, head...)
		b.WriteString("|" + strings.Repeat("---|", len(head)) + "\n")
		for _, hints := range []string{"---", "t--", "tff", "tft", "ttf", "f--", "fff", "fft", "ft-"} {
			cells := []string{"`" + hints + "`"}
			for _, c := range columns {
				do, review := c.h.Decide(c.m.Name, hintsOf(hints))
				cell := string(do)
				if review {
					cell += ", review"
				}
				cells = append(cells, cell)
			}
			row(b, cells...)
		}
		sources := []string{"source"}
		for _, c := range columns {
			sources = append(sources, sourceOf(c.m.Fact))
		}
		row(b, sources...)
	},
	"modes": func(b *strings.Builder) {
		b.WriteString("| host, mode | as of | every call | | source |\n|---|---|---|---|---|\n")
		for _, h := range host.All() {
			for _, m := range h.Modes {
				if len(m.Rules) == 1 {
					do, _ := h.Decide(m.Name, host.Hints{})
					row(b, h.Title+", "+m.Name, h.Date, string(do), m.Does, sourceOf(m.Fact))
				}
			}
		}
	},
	"capabilities": func(b *strings.Builder) {
		all := []string{"form", "url", "sampling", "tasks", "listChanged"}
		b.WriteString("| host | version, date | form | address | sampling | tasks | reads a changed list again |\n" +
			"|---|---|---|---|---|---|---|\n")
		for _, h := range host.All() {
			if len(h.Capabilities) == 0 {
				continue
			}
			cells := []string{h.Title, h.Version + ", " + h.Date}
			for _, name := range all {
				f := h.Has(name)
				if f.Has == "" {
					cells = append(cells, "not examined")
				} else {
					cells = append(cells, f.Has+": "+sourceOf(f))
				}
			}
			row(b, cells...)
		}
	},
	"lint": func(b *strings.Builder) {
		b.WriteString("| host | what it does | rule | source |\n|---|---|---|---|\n")
		eachFact(true, func(h host.Host, f host.Fact) {
			row(b, h.Title, f.Does, fmt.Sprintf("[%s](rules.md#%s)", f.Rule, f.Rule), sourceOf(f))
		})
	},
	"unhelped": func(b *strings.Builder) {
		b.WriteString("| host | what it does | source |\n|---|---|---|\n")
		eachFact(false, func(h host.Host, f host.Fact) { row(b, h.Title, f.Does, sourceOf(f)) })
	},
}

// eachFact visits the facts that a rule compares with, or all others.
func eachFact(withRule bool, visit func(host.Host, host.Fact)) {
	for _, h := range host.All() {
		for _, f := range h.Facts {
			if (f.Rule != "") == withRule {
				visit(h, f)
			}
		}
	}
}

func row(b *strings.Builder, cells ...string) {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", "\\|")
	}
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

var issueAddress = regexp.MustCompile(`/issues/(\d+)$`)

// sourceOf returns the source of a fact, and whether it is unconfirmed.
func sourceOf(f host.Fact) string {
	text := f.Source
	if m := issueAddress.FindStringSubmatch(text); m != nil {
		text = "[#" + m[1] + "](" + text + ")"
	} else if strings.HasPrefix(text, "https://") {
		text = "[source](" + text + ")"
	}
	if f.Mark == "iss" {
		text += ", reported"
	}
	if !f.Confirmed() {
		text += ", unconfirmed"
	}
	return text
}

// hintsOf reads t, f or - for readOnlyHint, destructiveHint and openWorldHint.
func hintsOf(text string) host.Hints {
	hint := func(c byte) *bool {
		if c == '-' {
			return nil
		}
		is := c == 't'
		return &is
	}
	return host.Hints{ReadOnly: hint(text[0]), Destructive: hint(text[1]), OpenWorld: hint(text[2])}
}
