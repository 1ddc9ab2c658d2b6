package derive

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// Options adjusts [Compile] and [Derive]. The zero value publishes every field.
type Options struct {
	// Keep reports whether a field is published; nil publishes all. It is
	// called for every field of every struct the type reaches. For an embedded
	// struct it is called for the promoted fields instead. A field of a nested
	// struct is published if Keep returns true for it and for all fields that
	// lead to it.
	Keep func(field reflect.StructField) bool
	// Protect returns the keywords, of [schema.ProtectionKeywords], that a
	// field's schema sets to true. It may be nil.
	Protect func(field reflect.StructField) []string
	// Types holds schemas declared for types by others. They take precedence
	// over what a type itself describes.
	Types map[reflect.Type]*TypeSchema
	// OneOf is the type of the blank field that marks a struct as a choice, of
	// which exactly one member is present. Nil means there is none.
	OneOf reflect.Type
	// Duration is the type of durations. Its values are ISO 8601 texts, and its
	// tags hold Go durations. Nil means there is none.
	Duration reflect.Type
}

// Derive returns the text of the schema that [Compile] compiles.
func Derive(t reflect.Type, dir schema.Direction, opts Options) (json.RawMessage, []schema.Problem) {
	compiled, problems := Compile(t, dir, opts)
	if len(problems) > 0 {
		return nil, problems
	}
	return compiled.JSON(), nil
}

// Compile derives the JSON Schema of t, as the package comment describes, and
// compiles it. The problems are all mistakes of the type and its tags: each
// appears once, with its Go path, in declaration order. A type's schema has the
// same bytes every time.
//
// The root of an Input is a struct or a map[string]T; that of an Output is a
// struct or a map.
//
// Compile calls the methods by which a type describes its own schema
// (JSONSchema, JSONSchemaExtend, JSONSchemaAlias and JSONSchemaProperty of
// github.com/invopop/jsonschema) on a zero value. A panic in one of them is a
// mistake.
func Compile(t reflect.Type, dir schema.Direction, opts Options) (*schema.Schema, []schema.Problem) {
	if t == nil {
		return nil, []schema.Problem{{Rule: schema.RuleRoot, Message: "nil is no type", Remedy: "use a struct"}}
	}
	d := newDeriver(t, dir, opts)
	if problem := d.checkRoot(); problem != nil {
		return nil, []schema.Problem{*problem}
	}
	root := d.body(d.root, d.path).schema
	if len(d.defs) > 0 {
		var defs []tree.Property
		for _, name := range slices.Sorted(maps.Keys(d.defs)) {
			defs = append(defs, tree.Property{Name: name, Schema: d.defs[name]})
		}
		root.Set("$defs", defs)
	}
	compiled, problems := schema.Compile(root.Text(), schema.CompileOptions{Direction: dir})
	d.adopt(root, problems)
	if len(d.problems) > 0 {
		return nil, d.sorted()
	}
	return compiled, nil
}

// A deriver derives the schema of one root type.
type deriver struct {
	dir     schema.Direction
	opts    Options
	root    reflect.Type
	path    string                // the name of the root
	uses    map[reflect.Type]int  // how often each named type is used
	recurs  map[reflect.Type]bool // named types that contain themselves
	aliases map[reflect.Type]reflect.Type
	names   map[reflect.Type]string
	known   map[reflect.Type]knownType
	structs map[reflect.Type]*structType
	defs    map[string]*tree.Builder

	order    map[string]int // of Go paths, by declaration
	problems []schema.Problem
}

func newDeriver(t reflect.Type, dir schema.Direction, opts Options) *deriver {
	d := &deriver{
		dir: dir, opts: opts, root: t, path: displayName(t), uses: map[reflect.Type]int{}, recurs: map[reflect.Type]bool{},
		aliases: map[reflect.Type]reflect.Type{}, names: map[reflect.Type]string{}, known: map[reflect.Type]knownType{},
		structs: map[reflect.Type]*structType{}, defs: map[string]*tree.Builder{},
		order: map[string]int{},
	}
	if t.Kind() == reflect.Struct && t.Name() == "" {
		d.path = max(schema.Input, dir).String()
	}
	d.declare(d.path)
	if t.Kind() != reflect.Pointer {
		d.root = d.resolve(t, d.path)
	}
	d.survey(d.root, map[reflect.Type]bool{})
	return d
}

func (d *deriver) checkRoot() *schema.Problem {
	t := d.root
	switch {
	case d.typeSchema(t) == nil && has(t, giverType):
		return nil
	case t.Kind() == reflect.Struct && t != timeType && d.text(t) == nil && d.typeSchema(t) == nil && !isNull(t):
		return nil
	case t.Kind() == reflect.Map && (d.dir == schema.Output || t.Key().Kind() == reflect.String):
		return nil
	}
	problem := schema.Problem{
		Rule: schema.RuleRoot, Field: d.path, Message: "cannot be the arguments of a tool, which are a JSON object",
		Remedy: "use a struct, or a map with string keys",
	}
	if d.dir == schema.Output {
		problem.Message, problem.Remedy = "cannot be the result of a tool, which is a JSON object", "use a struct, or a map"
	}
	if t.Kind() == reflect.Pointer {
		problem.Remedy += "; not a pointer to one"
	}
	return &problem
}

func (d *deriver) problem(rule, field, message, remedy string) {
	d.problems = append(d.problems, schema.Problem{Rule: rule, Field: field, Message: message, Remedy: remedy})
}

// declare assigns a Go path its position in declaration order.
func (d *deriver) declare(field string) {
	if _, ok := d.order[field]; !ok {
		d.order[field] = len(d.order)
	}
}

// adopt adds the problems of the derived document under the names of the Go
// fields. If the type was already refused, it skips the problem that the root
// isn't an object, because that follows from the refusal.
func (d *deriver) adopt(root *tree.Builder, problems []schema.Problem) {
	refused := len(d.problems) > 0
	for _, problem := range problems {
		if problem.Rule == schema.RuleRoot && refused {
			continue
		}
		problem.Field = cmp.Or(root.OriginAt(problem.Field), d.path)
		d.problems = append(d.problems, problem)
	}
}

// sorted returns the problems in declaration order.
func (d *deriver) sorted() []schema.Problem {
	slices.SortStableFunc(d.problems, func(a, b schema.Problem) int { return d.order[a.Field] - d.order[b.Field] })
	return slices.Compact(d.problems)
}
