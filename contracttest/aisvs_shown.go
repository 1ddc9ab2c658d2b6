package contracttest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/risk"
)

// How much of the arguments that are not tagged review a question shows. The
// guard's package consent has the same limits.
const (
	shownBytes     = 400
	shownArguments = 50
	shownRune      = 10 // bytes of the escape that stands for a hidden character
)

// judgeShown requires that a question, if the tool asks one, shows every
// argument in full. The guard refuses a call whose review arguments it cannot
// show in full, and cuts the others.
func judgeShown(t *aisvsTool) (verdict, text string) {
	verdict, text = t.approval(risk.High)
	switch {
	case verdict != aisvsMet:
		return verdict, text
	case t.doc.Confirmation == contract.ConfirmationUpstream:
		return aisvsDeclared, "confirmation upstream"
	case t.doc.Confirmation == contract.ConfirmationNever:
		return aisvsMet, text
	}
	named, closed := t.arguments()
	if !closed {
		return aisvsUnmet, "its inputSchema does not name each argument"
	}
	var cut []string
	short := 0
	for _, name := range slices.Sorted(maps.Keys(named)) {
		argument := named[name]
		if !argument.isTagged(schema.ReviewKeyword) {
			short++
		}
		switch isWhole := argument.isTagged(schema.ReviewKeyword) || argument.fits(shownBytes) && short <= shownArguments; {
		case argument.isTagged(schema.SecretKeyword):
			cut = append(cut, name+" (secret)")
		case !isWhole:
			cut = append(cut, name)
		}
	}
	if len(cut) > 0 {
		return aisvsUnmet, "its question may cut arguments that are neither tagged review nor short: " + strings.Join(cut, ", ")
	}
	return aisvsMet, fmt.Sprintf("confirmation %s, and each argument is tagged review or short", t.doc.Confirmation)
}

// isTagged reports whether the schema, or one of its parts, has a keyword with
// the value true.
func (m member) isTagged(keyword string) bool {
	seen := map[*tree.Node]bool{}
	var has func(n *tree.Node) bool
	has = func(n *tree.Node) bool {
		if seen[n] {
			return false
		}
		seen[n] = true
		for e := range n.Edges() {
			if has(e.To) {
				return true
			}
		}
		return n.Is(keyword)
	}
	return has(m.schemas[0])
}

// fits reports whether the JSON of every value, as a question shows it, is at
// most limit bytes long. A schema that compiles has no hidden characters, but a
// string value can be full of them.
func (m member) fits(limit int) bool {
	if n := m.withKeyword("enum"); n != nil {
		return !slices.ContainsFunc(n.List("enum"), func(value any) bool {
			text, err := json.Marshal(value)
			return err != nil || len(text) > limit
		})
	}
	if !m.has("type") || m.isA(tree.ArrayType|tree.ObjectType) {
		return false
	}
	if !m.isA(tree.StringType) {
		return true // a guard reads numbers of at most 64 digits
	}
	n := m.withKeyword("maxLength")
	if n == nil {
		return false
	}
	most, ok := n.Size("maxLength")
	return ok && most <= (limit-len(`""`))/shownRune
}
