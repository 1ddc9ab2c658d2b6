package describe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// An Argument is a property of a schema.
type Argument struct {
	Name, Title, Description string
	// Kinds are the types of JSON that it may have. Empty: any, or unknown.
	Kinds []string
	// Items are the types of its items, if it is an array.
	Items    []string
	Required bool
	// Default is its default. Nil: there is none.
	Default json.RawMessage
	// Choices are the values that it may have. Empty: others too.
	Choices []Choice
}

// A Choice is a value that an argument may have, and its name.
type Choice struct {
	Value json.RawMessage
	Name  string
}

// A property is the part of a schema that a command line needs. Everything else
// is left to the validation.
type property struct {
	Ref         string                     `json:"$ref"`
	Type        json.RawMessage            `json:"type"`
	Title       string                     `json:"title"`
	Description string                     `json:"description"`
	Default     json.RawMessage            `json:"default"`
	Const       json.RawMessage            `json:"const"`
	Enum        []json.RawMessage          `json:"enum"`
	EnumNames   []string                   `json:"enumNames"`
	AnyOf       []property                 `json:"anyOf"`
	OneOf       []property                 `json:"oneOf"`
	Items       *property                  `json:"items"`
	Required    []string                   `json:"required"`
	Defs        map[string]json.RawMessage `json:"$defs"`
}

// Arguments returns the properties of a schema in its order. They are as the
// server wrote them.
func Arguments(schema json.RawMessage) []Argument {
	var root property
	var members struct {
		Properties json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &root) != nil || json.Unmarshal(schema, &members) != nil {
		return nil
	}
	names, values := ordered(members.Properties)
	arguments := make([]Argument, 0, len(names))
	for i, name := range names {
		var p property
		_ = json.Unmarshal(values[i], &p) // a schema of true or false describes nothing
		p = root.resolve(p)
		a := Argument{
			Name: name, Title: p.Title, Description: p.Description, Default: p.Default, Required: slices.Contains(root.Required, name),
			Kinds: root.kinds(p), Choices: choices(p),
		}
		if p.Items != nil {
			items := root.resolve(*p.Items)
			a.Items = root.kinds(items)
			a.Choices = append(a.Choices, choices(items)...)
		}
		arguments = append(arguments, a)
	}
	return arguments
}

// ordered returns the members of an object in their order.
func ordered(object json.RawMessage) (names []string, values []json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(object))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, nil
	}
	for d.More() {
		name, err := d.Token()
		text, isText := name.(string)
		var value json.RawMessage
		if err != nil || !isText || d.Decode(&value) != nil {
			return nil, nil
		}
		names, values = append(names, text), append(values, value)
	}
	return names, values
}

// resolve follows a reference into the $defs of the root, and keeps the texts
// that stand beside it.
func (root property) resolve(p property) property {
	for range 8 { // references may form a circle
		name, local := strings.CutPrefix(p.Ref, "#/$defs/")
		if !local {
			return p
		}
		var to property
		if json.Unmarshal(root.Defs[name], &to) != nil {
			return p
		}
		to.Title, to.Description = cmp.Or(p.Title, to.Title), cmp.Or(p.Description, to.Description)
		if p.Default != nil {
			to.Default = p.Default
		}
		p = to
	}
	return p
}

// kinds returns the types that a property may have.
func (root property) kinds(p property) (kinds []string) {
	var one string
	switch {
	case json.Unmarshal(p.Type, &one) == nil:
		return []string{one}
	case json.Unmarshal(p.Type, &kinds) == nil:
		return kinds
	}
	for _, value := range append(p.Enum, p.Const) {
		if k := kindOf(value); k != "" && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	for _, branch := range append(p.AnyOf, p.OneOf...) {
		for _, k := range root.kinds(root.resolve(branch)) {
			if !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	return kinds
}

// choices returns the values that a property may have, if they are a list.
func choices(p property) (all []Choice) {
	for i, value := range p.Enum {
		c := Choice{Value: value}
		if i < len(p.EnumNames) {
			c.Name = p.EnumNames[i]
		}
		all = append(all, c)
	}
	if len(all) > 0 {
		return all
	}
	for _, branch := range append(p.OneOf, p.AnyOf...) {
		if branch.Const == nil {
			return nil // it has other values too
		}
		all = append(all, Choice{Value: branch.Const, Name: branch.Title})
	}
	return all
}

// kindOf returns the type of a JSON value, and "" if the text is no JSON. An
// integer is also a number.
func kindOf(value json.RawMessage) string {
	var v any
	if len(value) == 0 || json.Unmarshal(value, &v) != nil {
		return ""
	}
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
	}
	return "number"
}

// Value reads what a person typed for the argument. A text that can only be a
// string is one, and everything else is JSON. What fits neither becomes a
// string, which the validation then reports.
func (a Argument) Value(typed string) json.RawMessage { return value(a.Kinds, a.Items, typed) }

func value(kinds, items []string, typed string) json.RawMessage {
	raw := json.RawMessage(strings.TrimSpace(typed))
	kind := kindOf(raw)
	fits := slices.Contains(kinds, kind) || kind == "integer" && slices.Contains(kinds, "number")
	switch {
	case kind != "" && kind != "string" && fits:
		return raw
	case slices.Contains(kinds, "string"):
	case slices.Contains(kinds, "array") && kind != "array":
		return slices.Concat(json.RawMessage("["), value(items, nil, typed), json.RawMessage("]"))
	case kind != "":
		return raw
	}
	text, _ := json.Marshal(typed) //nolint:errchkjson // a string is always JSON
	return text
}
