package toolsearch

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// The bounds of what is read of one input schema.
const (
	maxSchemaText  = 16 << 10
	maxSchemaDepth = 8
)

// words separates the words of names such as invoices_create and
// createInvoice, and leaves other text as it is.
func words(text string) string {
	var b strings.Builder
	previous := rune(0)
	for _, r := range text {
		switch {
		case r == '_' || r == '.' || r == '-':
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		previous = r
	}
	return b.String()
}

// effects returns what a call does, in words.
func effects(d contract.Document) string {
	d = d.Effective()
	parts := []string{d.Category, words(d.Effect.String()), "risk " + d.Risk.String()}
	switch d.Effect {
	case risk.ReadOnly:
		parts = append(parts, "reads")
	case risk.Destructive:
		parts = append(parts, "deletes")
	case risk.PaidOperation:
		parts = append(parts, "costs money")
	case risk.ExternalPublication:
		parts = append(parts, "sends publishes")
	default:
		parts = append(parts, "writes changes")
	}
	for _, s := range d.SideEffects {
		parts = append(parts, s.Description, s.Affects)
	}
	return strings.Join(parts, " ")
}

// arguments returns the names and descriptions of the members of an input
// schema, and nothing for one that cannot be read.
func arguments(schema json.RawMessage) string {
	var tree any
	if json.Unmarshal(schema, &tree) != nil {
		return ""
	}
	var b strings.Builder
	describe(&b, tree, 0)
	return b.String()
}

func describe(b *strings.Builder, node any, depth int) {
	object, ok := node.(map[string]any)
	if !ok || depth > maxSchemaDepth || b.Len() > maxSchemaText {
		return
	}
	if text, ok := object["description"].(string); ok && depth > 0 {
		b.WriteString(text[:min(len(text), maxSchemaText)] + "\n")
	}
	members, _ := object["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		b.WriteString(words(name) + "\n")
		describe(b, members[name], depth+1)
	}
	describe(b, object["items"], depth+1)
}
