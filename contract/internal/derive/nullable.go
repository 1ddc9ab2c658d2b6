package derive

import (
	"github.com/invopop/jsonschema"
)

// setNullable accepts null for a field that can hold it.
func setNullable(r *fieldTags, _ *target, _ setting) {
	if !r.pointer {
		r.problem(RuleTagApplies, "nullable has no meaning for a field that cannot hold null",
			"use a pointer, or one of the Null types of package database/sql")
		return
	}
	r.target.null = true
}

// written returns the schema of a value: of the target or null, if null is a
// value too. The keywords that describe the field stay beside the anyOf, where
// clients look for them.
func (t *target) written() *jsonschema.Schema {
	if !t.null {
		return t.schema
	}
	s := t.schema
	out := &jsonschema.Schema{
		Title: s.Title, Description: s.Description, Default: s.Default, Examples: s.Examples, ReadOnly: s.ReadOnly,
		WriteOnly: s.WriteOnly,
		AnyOf:     []*jsonschema.Schema{s, {Type: "null"}},
	}
	s.Title, s.Description, s.Default, s.Examples, s.ReadOnly, s.WriteOnly = "", "", nil, nil, false, false
	return out
}
