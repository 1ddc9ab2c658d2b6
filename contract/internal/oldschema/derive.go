package oldschema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// Options adjust [Derive]. The zero value publishes every field.
type Options struct {
	// Keep, where it is not nil, says which fields are published. It is asked for every field of every struct that the
	// type reaches, embedded structs aside, whose own fields are asked for. A nested struct's fields are published only
	// where both the field that leads to it and they themselves are kept.
	Keep func(field reflect.StructField) bool
	// Protect, where it is not nil, returns the keywords, of [ProtectionKeywords], that the schema of a field says with
	// the value true.
	Protect func(field reflect.StructField) []string
}

// Derive reflects t into a JSON Schema (draft 2020-12), as the package describes, and compiles it as a trial. It
// returns every mistake of the type and its tags, in the order of declaration, each mistake once, with its Go path. The
// schema is nil where there is a Problem, and has the same bytes for the same type each time.
//
// The root of an Input is a struct or a map[string]T, that of an Output a struct or a map.
//
// Derive calls the methods by which a type gives its own schema (JSONSchema, JSONSchemaExtend, JSONSchemaAlias and
// JSONSchemaProperty of github.com/invopop/jsonschema), on a zero value; a panic in one is a Problem.
func Derive(t reflect.Type, dir Direction, opts Options) (json.RawMessage, []Problem) {
	if t == nil {
		return nil, []Problem{{RuleRoot, "", "nil is no type", "use a struct"}}
	}
	d := newDeriver(dir, opts, t)
	if problem := d.checkRootType(d.rootOf); problem != nil {
		return nil, []Problem{*problem}
	}
	root := d.root(d.rootOf)
	raw, err := marshal(root)
	if err != nil {
		d.problem(RuleMarshaler, d.path, "its schema cannot be written as JSON", "correct what its JSONSchema method returns")
		return nil, d.sorted()
	}
	if _, problems := Compile(raw, CompileOptions{}); len(problems) > 0 {
		d.adopt(root, problems)
	}
	if len(d.problems) > 0 {
		return nil, d.sorted()
	}
	return raw, nil
}

// A deriver reflects one root.
type deriver struct {
	dir     Direction
	keep    func(reflect.StructField) bool
	protect func(reflect.StructField) []string
	rootOf  reflect.Type
	path    string                // the root's name, for problems of the root itself
	uses    map[reflect.Type]int  // how often a named type is used
	recurs  map[reflect.Type]bool // named types that reach themselves
	aliases map[reflect.Type]reflect.Type
	names   map[reflect.Type]string
	defs    jsonschema.Definitions
	fields  map[*jsonschema.Schema]string // the Go path that a schema comes from
	ordinal map[string]int                // Go paths in the order of declaration

	problems []Problem
}

func newDeriver(dir Direction, opts Options, t reflect.Type) *deriver {
	d := &deriver{
		dir: dir, keep: opts.Keep, protect: opts.Protect, path: displayName(t), aliases: map[reflect.Type]reflect.Type{},
		uses: map[reflect.Type]int{}, recurs: map[reflect.Type]bool{}, names: map[reflect.Type]string{},
		defs: jsonschema.Definitions{}, fields: map[*jsonschema.Schema]string{}, ordinal: map[string]int{},
	}
	if t.Kind() == reflect.Struct && t.Name() == "" {
		d.path = max(Input, dir).String()
	}
	d.declare(d.path)
	d.rootOf = t
	if t.Kind() != reflect.Pointer {
		d.rootOf = d.resolve(t, d.path)
	}
	d.survey(d.rootOf, map[reflect.Type]bool{})
	return d
}

func (d *deriver) checkRootType(t reflect.Type) *Problem {
	switch {
	case has(t, giverType):
		return nil
	case t.Kind() == reflect.Struct && t != timeType && d.text(t) == nil:
		return nil
	case t.Kind() == reflect.Map && (d.dir == Output || t.Key().Kind() == reflect.String):
		return nil
	}
	problem := Problem{RuleRoot, d.path, "cannot be the arguments of a tool, which are a JSON object", "use a struct, or a map with string keys"}
	if d.dir == Output {
		problem.Message, problem.Remedy = "cannot be the result of a tool, which is a JSON object", "use a struct, or a map"
	}
	if t.Kind() == reflect.Pointer {
		problem.Remedy += "; not a pointer to one"
	}
	return &problem
}

// root builds the document: the root written out, the types that are used more than once beside it.
func (d *deriver) root(t reflect.Type) *jsonschema.Schema {
	root := d.body(t, d.path).schema
	if len(d.defs) > 0 {
		root.Definitions = d.defs
	}
	return root
}

func (d *deriver) problem(rule, field, message, remedy string) {
	d.problems = append(d.problems, Problem{rule, field, message, remedy})
}

// declare gives a Go path its place in the order of declaration.
func (d *deriver) declare(field string) {
	if _, ok := d.ordinal[field]; !ok {
		d.ordinal[field] = len(d.ordinal)
	}
}

// adopt takes over what [Compile] says about the derived document, under the names of the Go fields. That the root is
// no object only follows where the root's type has been refused.
func (d *deriver) adopt(root *jsonschema.Schema, problems []Problem) {
	if len(d.problems) > 0 {
		problems = slices.DeleteFunc(problems, func(p Problem) bool { return p.Rule == RuleRoot })
	}
	paths := map[string]string{}
	d.locate(root, "", paths)
	for _, problem := range problems {
		field := d.path
		for pointer := problem.Field; ; pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
			if path, ok := paths[pointer]; ok {
				field = path
				break
			}
			if pointer == "" {
				break
			}
		}
		problem.Field = field
		d.problems = append(d.problems, problem)
	}
}

// locate notes at which pointers the schemas stand that have a Go path.
func (d *deriver) locate(s *jsonschema.Schema, pointer string, paths map[string]string) {
	if s == nil {
		return
	}
	if field, ok := d.fields[s]; ok {
		paths[pointer] = field
	}
	if s.Properties != nil {
		for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
			d.locate(pair.Value, jsonptr.Append(pointer, "properties", pair.Key), paths)
		}
	}
	d.locate(s.Items, jsonptr.Append(pointer, "items"), paths)
	d.locate(s.AdditionalProperties, jsonptr.Append(pointer, "additionalProperties"), paths)
	for name, def := range s.Definitions {
		d.locate(def, jsonptr.Append(pointer, "$defs", name), paths)
	}
}

// sorted returns the problems in the order of declaration.
func (d *deriver) sorted() []Problem {
	slices.SortStableFunc(d.problems, func(a, b Problem) int { return d.ordinal[a.Field] - d.ordinal[b.Field] })
	return slices.Compact(d.problems)
}

// marshal writes a schema with its properties in the order of declaration, and with text as it is.
func marshal(s *jsonschema.Schema) (raw json.RawMessage, err error) {
	defer func() {
		if recover() != nil {
			raw, err = nil, errNoJSON
		}
	}()
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("schema: marshal: %w", err)
	}
	out, err := jsontext.AppendFormat(nil, data)
	if err != nil {
		return nil, fmt.Errorf("schema: format: %w", err)
	}
	return out, nil
}
