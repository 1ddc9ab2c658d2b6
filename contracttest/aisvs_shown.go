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
		isReview := argument.isTagged(schema.ReviewKeyword)
		if !isReview {
			short++
		}
		if argument.isTagged(schema.SecretKeyword) || !isReview && (short > shownArguments || !argument.fits(shownBytes)) {
			cut = append(cut, name)
		}
	}
	if len(cut) > 0 {
		return aisvsUnmet, "its question may cut what is secret, or neither tagged review nor short: " + strings.Join(cut, ", ")
	}
	return aisvsMet, fmt.Sprintf("confirmation %s, and each argument is tagged review or short", t.doc.Confirmation)
}

// isTagged reports whether the schema, or one of its parts, has a keyword with
// the value true.
func (m member) isTagged(keyword string) bool {
	seen := map[*tree.Node]bool{}
	var has func(n *tree.Node) bool
	has = func(n *tree.Node) bool {
		seen[n] = true
		found := n.Is(keyword)
		for e := range n.Edges() {
			found = found || !seen[e.To] && has(e.To)
		}
		return found
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
	most, isBounded := 0, false
	if n := m.withKeyword("maxLength"); n != nil {
		most, isBounded = n.Size("maxLength")
	}
	return m.has("type") && !m.isA(tree.ArrayType|tree.ObjectType) && // a guard reads numbers of at most 64 digits
		(!m.isA(tree.StringType) || isBounded && most <= (limit-len(`""`))/shownRune)
}
