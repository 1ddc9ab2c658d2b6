package agent

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// A Field is a member that a schema describes: an argument of a tool, or a
// field of a form. Its texts are exactly as the server wrote them.
type Field struct {
	// Name is the name of the member.
	Name string
	// Title and Description are for people. Empty: the schema has none.
	Title, Description string
	// Kinds are the JSON types it can have. Empty: any.
	Kinds []string
	// Items are the JSON types that its items can have, if it is an array.
	Items []string
	// Required means that every valid object has it, whichever branch of an
	// anyOf or oneOf the object takes.
	Required bool
	// Default is its default value. Nil: it has none.
	Default json.RawMessage
	// Choices are the only values that it, or each of its items, can have.
	// Empty: there is no such list.
	Choices []Choice
}

// A Choice is a value that a [Field] can have, with a name for it.
type Choice struct {
	// Value is the value, as the schema writes it.
	Value json.RawMessage
	// Name is the value's name for people. Empty: it has none.
	Name string
}

// Fields returns the members that a schema describes by name, in the order in
// which it lists them. The schema is a tool's input schema, or that of a
// [Question]'s form. Fields follows references, and looks into allOf, anyOf,
// oneOf and the like. It returns nil for a schema that cannot be read.
func Fields(schema json.RawMessage) []Field {
	document, err := tree.Read(schema)
	if err != nil {
		return nil
	}
	r := fieldReader{written: map[*tree.Node][]tree.Keyword{}}
	if _, err = document.Rewrite(func(n *tree.Node, written []tree.Keyword) []tree.Keyword {
		r.written[n] = written
		return written
	}); err != nil {
		return nil
	}
	var names []string
	schemas := map[string][]*tree.Node{}
	for _, n := range tree.InPlace([]*tree.Node{document.Root}, tree.Demanding) {
		members, _ := tree.Members(r.text(n, "properties")) // any other value describes no members
		for _, m := range members {
			property := n.Child("properties", m.Name)
			if property == nil || property.IsFalse() {
				continue
			}
			if schemas[m.Name] == nil {
				names = append(names, m.Name)
			}
			schemas[m.Name] = append(schemas[m.Name], property)
		}
	}
	var required []string
	for _, n := range tree.InPlace([]*tree.Node{document.Root}, tree.Always) {
		required = append(required, n.Texts("required")...)
	}
	fields := make([]Field, len(names))
	for i, name := range names {
		fields[i] = r.field(schemas[name])
		fields[i].Name = name
		fields[i].Required = slices.Contains(required, name)
	}
	return fields
}

// A fieldReader reads schemas and has the keywords of each as they were
// written.
type fieldReader struct {
	written map[*tree.Node][]tree.Keyword
}

// text returns the text of a keyword, or nil if the schema lacks it.
func (r fieldReader) text(n *tree.Node, keyword string) json.RawMessage {
	for _, k := range r.written[n] {
		if k.Name == keyword {
			return k.Text
		}
	}
	return nil
}

// field describes a member that has all of these schemas.
func (r fieldReader) field(schemas []*tree.Node) Field {
	var f Field
	var items []*tree.Node
	applied := tree.InPlace(schemas, tree.Always)
	for _, n := range applied {
		f.Title = cmp.Or(f.Title, n.Text("title"))
		f.Description = cmp.Or(f.Description, n.Text("description"))
		if f.Default == nil {
			f.Default = r.text(n, "default")
		}
		if f.Choices == nil {
			f.Choices = r.choices(n)
		}
		items = append(items, n.Below("items")...)
	}
	f.Kinds = kindNames(kindsOf(schemas))
	if len(items) > 0 {
		f.Items = kindNames(kindsOf(items))
		for _, n := range tree.InPlace(items, tree.Always) {
			f.Choices = append(f.Choices, r.choices(n)...)
		}
	}
	return f
}

// choices returns the values that a schema lists.
func (r fieldReader) choices(n *tree.Node) (all []Choice) {
	var values []json.RawMessage
	if json.Unmarshal(r.text(n, "enum"), &values) == nil && len(values) > 0 {
		names := n.Texts("enumNames")
		for i, value := range values {
			c := Choice{Value: value}
			if i < len(names) {
				c.Name = names[i]
			}
			all = append(all, c)
		}
		return all
	}
	for _, branch := range slices.Concat(n.Below("oneOf"), n.Below("anyOf")) {
		if !branch.Has("const") {
			return nil // it has other values too
		}
		all = append(all, Choice{Value: r.text(branch, "const"), Name: branch.Text("title")})
	}
	return all
}

// kindsOf returns the types of the values that have all of these schemas. If no
// part names a type, they are those of the branches.
func kindsOf(schemas []*tree.Node) (kinds tree.Types) {
	kinds = tree.AnyType
	for _, n := range tree.InPlace(schemas, isPart) {
		kinds &= ownKinds(n, tree.AnyType)
	}
	if kinds != tree.AnyType {
		return kinds
	}
	kinds = 0
	for _, n := range tree.InPlace(schemas, tree.Demanding) {
		kinds |= ownKinds(n, 0)
	}
	return kinds
}

// isPart follows what applies to every value.
func isPart(_ *tree.Node, e tree.Edge) bool { return e.Keyword == "$ref" || e.Keyword == "allOf" }

// ownKinds returns the types that a schema itself names, or else untyped.
func ownKinds(n *tree.Node, untyped tree.Types) (kinds tree.Types) {
	if types, ok := n.Types(); ok {
		return types
	}
	values := n.List("enum")
	if fixed, ok := n.Get("const"); ok {
		values = []any{fixed}
	}
	for _, value := range values {
		kinds |= tree.TypeOf(value)
	}
	return cmp.Or(kinds, untyped)
}

// kindNames returns the names of types, or nil for all types.
func kindNames(kinds tree.Types) (names []string) {
	if kinds == tree.AnyType {
		return nil
	}
	for _, kind := range []struct {
		name  string
		types tree.Types
	}{
		{"string", tree.StringType}, {"number", tree.FractionType}, {"integer", tree.IntegerType}, {"boolean", tree.BooleanType},
		{"array", tree.ArrayType}, {"object", tree.ObjectType}, {"null", tree.NullType},
	} {
		isImplied := kind.name == "integer" && kinds&tree.FractionType != 0
		if kinds&kind.types != 0 && !isImplied {
			names = append(names, kind.name)
		}
	}
	return names
}
