package tree

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// The bounds of a document. A schema beyond them is refused before anything
// else happens to it, because each of its schemas may cost more than its text:
// the validator and an author's problems name schemas by pointers, which repeat
// the names of all schemas above.
const (
	// MaxSchemas is the largest number of schemas in one document.
	MaxSchemas = 10_000
	// MaxPointers is the largest total length of these schemas' pointers, in
	// bytes.
	MaxPointers = 8 << 20
)

// A Document is a JSON Schema document with all its schemas. It is immutable
// and safe for concurrent use.
type Document struct {
	Root *Node
	// All holds the root and every subschema: a schema before its own
	// subschemas, which are sorted by keyword and then by name or index.
	All []*Node

	text    []byte // as read; nil for a document made by Of
	older   bool   // of a draft before 2019-09
	anchors map[string]*Node
}

// Read reads a document. The error is a [*strictjson.Error] if the text isn't
// JSON or exceeds [MaxSchemas] or [MaxPointers].
func Read(text []byte) (*Document, error) { return read(text, false) }

// ReadOlder reads a document of a draft before 2019-09. There items may be a
// list, and dependencies and additionalItems hold schemas too.
func ReadOlder(text []byte) (*Document, error) { return read(text, true) }

func read(text []byte, older bool) (*Document, error) {
	value, err := strictjson.Parse(text, strictjson.Limits{})
	if err != nil {
		return nil, err
	}
	d := of(value, older)
	d.text = text
	if len(d.All) > MaxSchemas {
		return nil, &strictjson.Error{Rule: strictjson.RuleSize, Message: fmt.Sprintf("has more than %d schemas", MaxSchemas)}
	}
	if d.pointers() > MaxPointers {
		return nil, &strictjson.Error{
			Rule:    strictjson.RuleSize,
			Message: fmt.Sprintf("has schemas whose pointers have more than %d bytes together: too many below long names", MaxPointers),
		}
	}
	return d, nil
}

// Of returns the document for a value that strictjson.Parse returned. The
// caller must not change the value. Of enforces no bounds.
func Of(value any) *Document { return of(value, false) }

func of(value any, older bool) *Document {
	d := &Document{older: older}
	d.Root = d.add(nil, Step{}, value)
	for _, n := range d.All {
		if anchor := n.Text("$anchor"); anchor != "" && d.anchors[anchor] == nil {
			if d.anchors == nil {
				d.anchors = map[string]*Node{}
			}
			d.anchors[anchor] = n
		}
	}
	for _, n := range d.All {
		n.Ref = d.Resolve(n.Text("$ref"))
	}
	return d
}

func (d *Document) add(parent *Node, step Step, value any) *Node {
	n := &Node{parent: parent, step: step, value: value, index: int32(len(d.All))}
	d.All = append(d.All, n)
	written, _ := value.(map[string]any)
	var room [8]string
	holding := room[:0]
	for name := range written {
		if d.holds(name, written[name]) != holdsNone {
			holding = append(holding, name)
		}
	}
	slices.Sort(holding)
	for _, name := range holding {
		d.addSubschemas(n, name, written[name])
	}
	return n
}

// addSubschemas adds the subschemas that a keyword holds.
func (d *Document) addSubschemas(n *Node, keyword string, value any) {
	switch d.holds(keyword, value) {
	case holdsOne:
		n.below = append(n.below, d.add(n, Step{Keyword: keyword}, value))
	case holdsList:
		list, _ := value.([]any)
		for i, item := range list {
			n.below = append(n.below, d.add(n, Step{keyword, strconv.Itoa(i)}, item))
		}
	default:
		members, _ := value.(map[string]any)
		for _, name := range sortedNames(members) {
			n.below = append(n.below, d.add(n, Step{keyword, name}, members[name]))
		}
	}
}

func sortedNames(members map[string]any) []string {
	names := slices.AppendSeq(make([]string, 0, len(members)), maps.Keys(members))
	slices.Sort(names)
	return names
}

func (d *Document) holds(keyword string, value any) holding {
	switch {
	case !d.older:
	case keyword == "additionalItems":
		return holdsOne
	case keyword == "dependencies":
		return holdsMap
	case keyword == "items":
		if _, isList := value.([]any); isList {
			return holdsList
		}
	}
	return keywords[keyword].holds
}

// pointers returns the total length of all schemas' pointers.
func (d *Document) pointers() int {
	sum := 0
	lengths := make([]int, len(d.All))
	for i, n := range d.All[1:] {
		lengths[i+1] = lengths[n.parent.index] + len(n.step.From(""))
		sum += lengths[i+1]
	}
	return sum
}

// At returns the schema at a JSON Pointer, or nil if there is none.
func (d *Document) At(pointer string) *Node {
	tokens, err := strictjson.SplitPointer(pointer)
	if err != nil {
		return nil
	}
	n := d.Root
	for len(tokens) > 0 && n != nil {
		held := n.Below(tokens[0])
		switch {
		case len(held) > 0 && held[0].step.isOnly():
			n, tokens = held[0], tokens[1:]
		case len(held) > 0 && len(tokens) > 1:
			n = n.Child(tokens[0], tokens[1])
			tokens = tokens[2:]
		default:
			return nil
		}
	}
	return n
}

// Resolve returns the schema a reference leads to: "#", "#/pointer" or
// "#anchor". It returns nil if the reference leads out of the document or to
// nothing.
func (d *Document) Resolve(ref string) *Node {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	if fragment == "" || fragment[0] == '/' {
		return d.At(fragment)
	}
	return d.anchors[fragment]
}
