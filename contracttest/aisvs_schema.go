package contracttest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// enforceable returns a schema, or nil if there is none or a guard refuses it.
func enforceable(raw json.RawMessage, direction schema.Direction) *tree.Document {
	s, problems := schema.Compile(raw, schema.CompileOptions{Lenient: true, Direction: direction})
	if len(problems) > 0 {
		return nil
	}
	return s.Document()
}

// judgeSchema requires a schema that a guard enforces and that checks every
// value.
func judgeSchema(clause string, document *tree.Document) (verdict, text string) {
	if document == nil {
		return aisvsUnmet, "declares no " + clause + " that a guard enforces"
	}
	w := uncheckedWalk{seen: map[*tree.Node]bool{}}
	w.value(document.Root)
	for _, p := range schema.UnknownKeywords(document) {
		w.found = append(w.found, p.Field)
	}
	if len(w.found) > 0 {
		slices.Sort(w.found)
		return aisvsUnmet, "may accept unchecked values in " + clause + strings.Join(slices.Compact(w.found), ", "+clause)
	}
	return aisvsMet, clause + " that checks every value"
}

// An uncheckedWalk finds the places at which a schema accepts values that it
// does not check. A form that it does not know is such a place.
type uncheckedWalk struct {
	seen  map[*tree.Node]bool
	found []string // JSON Pointers
}

// value visits the schema of a value. Either its own type decides, with the
// schemas of all members and items, or all schemas that it applies in place.
// Its other keywords only narrow the values.
func (w *uncheckedWalk) value(n *tree.Node) {
	if w.seen[n] || n.IsFalse() || n.Has("enum") || n.Has("const") {
		return
	}
	w.seen[n] = true
	types, isChecked := n.Types()
	isChecked = isChecked && (types&tree.ObjectType == 0 || n.Child("additionalProperties", "") != nil) &&
		(types&tree.ArrayType == 0 || n.Child("items", "") != nil)
	parts := []string{"$ref", "allOf", "anyOf", "oneOf"}
	if isChecked {
		parts = []string{"properties", "patternProperties", "additionalProperties", "prefixItems", "items"}
	}
	for e := range n.Edges() {
		if slices.Contains(parts, e.Keyword) {
			isChecked = true
			w.value(e.To)
		}
	}
	if !isChecked {
		w.found = append(w.found, n.Pointer())
	}
}

// judgeExact requires that the schemas alone decide.
func judgeExact(t *aisvsTool) (verdict, text string) {
	if len(t.doc.Lenient) > 0 {
		return aisvsUnmet, "lenient accepts other forms than its inputSchema"
	}
	verdict, text = aisvsMet, "no lenient forms"
	judgePatterns(&t.subject, func(where, message string) { verdict, text = aisvsUnmet, message+" in "+where })
	return verdict, text
}

// arguments returns the schemas of the arguments that the handler gets, by
// name, and whether no other argument passes.
func (t *aisvsTool) arguments() (named map[string]member, closed bool) {
	named = map[string]member{}
	root := t.inputRoot.withKeyword("additionalProperties")
	if root == nil || !root.Child("additionalProperties", "").IsFalse() || root.Has("patternProperties") {
		return named, false
	}
	for _, property := range root.Below("properties") {
		named[property.Step().Name] = memberAt(t.inputRoot.path+property.Pointer(), property)
	}
	if t.doc.DryRun == dryrun.Supported || t.doc.DryRun == dryrun.Required {
		delete(named, "dryRun") // a guard removes both
		delete(named, "dryRunToken")
	}
	return named, true
}
