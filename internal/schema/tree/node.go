package tree

import (
	"iter"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A Node is a schema of a document. It is immutable.
type Node struct {
	// Ref is the schema that $ref leads to. It is nil if there is no $ref or it
	// leads nowhere.
	Ref *Node

	parent *Node // nil for the root
	step   Step  // from the parent
	value  any   // as returned by strictjson.Parse
	below  []*Node
	index  int32
}

// A Step leads from a schema to a direct subschema.
type Step struct {
	Keyword string // such as "properties"
	Name    string // the property, pattern or index; "" if the keyword holds one subschema
}

// From returns the JSON Pointer of the subschema, given the schema's own
// pointer.
func (s Step) From(pointer string) string {
	if s.isOnly() {
		return strictjson.Pointer(pointer, s.Keyword)
	}
	return strictjson.Pointer(pointer, s.Keyword, s.Name)
}

// isOnly reports whether the keyword's value is itself the subschema.
func (s Step) isOnly() bool {
	return s.Name == "" && (holdsOneSchema(s.Keyword) || s.Keyword == "additionalItems")
}

// An Edge leads from a schema to one that it applies: a subschema or the target
// of its $ref.
type Edge struct {
	Step
	To *Node
}

// A Form tells how a schema is written.
type Form uint8

// The forms.
const (
	NoSchema Form = iota // anything else in a schema's place
	Object
	True
	False
)

// Form returns how the schema is written.
func (n *Node) Form() Form {
	switch value := n.value.(type) {
	case map[string]any:
		return Object
	case bool:
		if value {
			return True
		}
		return False
	default:
		return NoSchema
	}
}

// IsFalse reports whether the schema is false. A nil Node isn't.
func (n *Node) IsFalse() bool { return n != nil && n.Form() == False }

// Bounds reports whether the schema is false or has any keyword. A nil Node
// bounds nothing.
func (n *Node) Bounds() bool {
	if n == nil {
		return false
	}
	written, _ := n.value.(map[string]any)
	return len(written) > 0 || n.IsFalse()
}

// Index returns the schema's index in Document.All.
func (n *Node) Index() int { return int(n.index) }

// IsRoot reports whether the schema is the root of its document.
func (n *Node) IsRoot() bool { return n.parent == nil }

// Pointer returns the JSON Pointer of the schema in its document; "" is the
// root. It is computed on each call, because all pointers together may be much
// longer than the document.
func (n *Node) Pointer() string {
	var up []*Node
	for at := n; at.parent != nil; at = at.parent {
		up = append(up, at)
	}
	var b strings.Builder
	for _, at := range slices.Backward(up) {
		b.WriteString(at.step.From(""))
	}
	return b.String()
}

// Written returns the schema as strictjson.Parse read it. The caller must not
// change it.
func (n *Node) Written() any { return n.value }

// Below returns the direct subschemas that a keyword holds, sorted by name or
// index. The caller must not change the slice.
func (n *Node) Below(keyword string) []*Node {
	first, _ := slices.BinarySearchFunc(n.below, keyword, func(below *Node, keyword string) int {
		return strings.Compare(below.step.Keyword, keyword)
	})
	end := first
	for end < len(n.below) && n.below[end].step.Keyword == keyword {
		end++
	}
	return slices.Clip(n.below[first:end])
}

// Child returns a direct subschema of a keyword, or nil. name is "" for a
// keyword that holds one subschema.
func (n *Node) Child(keyword, name string) *Node {
	held := n.Below(keyword)
	if holdsSchemas(keyword) || keyword == "items" && name != "" {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(held) && held[i].step.Name == name {
			return held[i]
		}
		return nil
	}
	i, found := slices.BinarySearchFunc(held, name, func(below *Node, name string) int {
		return strings.Compare(below.step.Name,
			name)
	})
	if !found {
		return nil
	}
	return held[i]
}

// Step returns the step from the parent. The root's is empty.
func (n *Node) Step() Step { return n.step }

// Subschemas returns the direct subschemas, including those that are only
// defined. The caller must not change the slice.
func (n *Node) Subschemas() []*Node { return n.below }

// Edges iterates over the schemas that the schema applies: first its
// subschemas, except those that are only defined, then its Ref.
func (n *Node) Edges() iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		for _, to := range n.below {
			if !defines(to.step.Keyword) && !yield(Edge{to.step, to}) {
				return
			}
		}
		if n.Ref != nil {
			yield(Edge{Step{Keyword: "$ref"}, n.Ref})
		}
	}
}

// Degree returns the number of edges that Edges yields.
func (n *Node) Degree() int {
	edges := 0
	for range n.Edges() {
		edges++
	}
	return edges
}

// Keywords iterates over the keywords and their values in no particular order.
// Only an [Object] has keywords.
func (n *Node) Keywords() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		written, _ := n.value.(map[string]any)
		for name, value := range written {
			if !yield(name, value) {
				return
			}
		}
	}
}

// Names returns the names of the keywords, sorted.
func (n *Node) Names() []string {
	written, _ := n.value.(map[string]any)
	return sortedNames(written)
}

// Get returns the value of a keyword as strictjson.Parse read it. The caller
// must not change it.
func (n *Node) Get(keyword string) (value any, ok bool) {
	written, _ := n.value.(map[string]any)
	value, ok = written[keyword]
	return value, ok
}

// Value is like Get but returns nil for an absent keyword.
func (n *Node) Value(keyword string) any {
	value, _ := n.Get(keyword)
	return value
}

// Has reports whether the schema has a keyword.
func (n *Node) Has(keyword string) bool {
	_, ok := n.Get(keyword)
	return ok
}

// Text returns the value of a keyword if it is a text, and "" otherwise.
func (n *Node) Text(keyword string) string {
	text, _ := n.Value(keyword).(string)
	return text
}

// Is reports whether the value of a keyword is true.
func (n *Node) Is(keyword string) bool { return n.Value(keyword) == true }

// List returns the value of a keyword if it is a list, and nil otherwise.
func (n *Node) List(keyword string) []any {
	list, _ := n.Value(keyword).([]any)
	return list
}

// Texts returns the texts in a keyword whose value is a list, ignoring other
// items. It returns nil if the keyword is absent or isn't a list.
func (n *Node) Texts(keyword string) []string { return textsIn(n.Value(keyword)) }

func textsIn(value any) []string {
	list, _ := value.([]any)
	var texts []string
	for _, item := range list {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Requires reports whether the schema requires a member of every object.
func (n *Node) Requires(name string) bool { return slices.Contains(n.List("required"), any(name)) }

// DependentRequired returns, for each member name, the members an object with
// that member must have.
func (n *Node) DependentRequired() map[string][]string {
	dependent, _ := n.Value("dependentRequired").(map[string]any)
	all := make(map[string][]string, len(dependent))
	for name, list := range dependent {
		all[name] = textsIn(list)
	}
	return all
}

// Size returns the value of a counting keyword, such as minLength.
func (n *Node) Size(keyword string) (size int, ok bool) { return SizeOf(n.Value(keyword)) }

// SizeOf returns a count as an int. ok is false if the value isn't one.
func SizeOf(value any) (size int, ok bool) {
	number, ok := value.(int64)
	if !ok || number < 0 || number > math.MaxInt32 {
		return 0, false
	}
	return int(number), true
}

// Number returns the numeric value of a keyword, or nil.
func (n *Node) Number(keyword string) *big.Rat { return Rational(n.Value(keyword)) }
