package catalog

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/toolcontract/toolcontract/trust"
)

const (
	// maxPageText bounds a text on the page, in characters.
	maxPageText = 2000
	// maxPageSchema bounds a schema on the page, in bytes.
	maxPageSchema = 16 << 10
)

// clean prepares a server's text for the page. It removes characters that hide
// or reorder text, and shortens the text.
func clean(text string) string { return cut(text, maxPageText) }

func cut(text string, most int) string {
	// Shorten a very long text before sanitising it, so that it costs little.
	if len(text) > 8*most {
		text = text[:8*most]
	}
	text, _ = trust.Sanitize(text)
	if all := []rune(text); len(all) > most {
		return string(all[:most]) + "…"
	}
	return text
}

// cleanAll cleans texts. It returns at most 100 of them.
func cleanAll(texts []string) []string {
	const most = 100
	var all []string
	for i, text := range texts {
		if i == most {
			return append(all, "…")
		}
		all = append(all, clean(text))
	}
	return all
}

// A shownSchema is a schema on the page.
type shownSchema struct {
	Text string
	// Cut is true if the page does not show all of it.
	Cut bool
}

// schemaText returns an indented schema, or nil if there is none.
func schemaText(raw json.RawMessage) *shownSchema {
	if len(raw) == 0 {
		return nil
	}
	var b bytes.Buffer
	if len(raw) > 4*maxPageSchema || json.Indent(&b, raw, "", "  ") != nil {
		b.Reset()
		b.Write(raw[:min(len(raw), maxPageSchema)])
	}
	s := &shownSchema{Text: b.String(), Cut: b.Len() > maxPageSchema || len(raw) > 4*maxPageSchema}
	if s.Cut {
		s.Text = strings.ToValidUTF8(s.Text[:min(len(s.Text), maxPageSchema)], "") + "\n…"
	}
	s.Text, _ = trust.Sanitize(s.Text)
	return s
}
