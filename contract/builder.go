package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/toolcontract/toolcontract/internal/bound"
)

// A Handler is the function behind a tool. In is a struct or a map with string
// keys; its JSON Schema is derived from the type, as described in the package's
// section "Schemas of Go types". Out is a struct, a pointer to one, or a map
// (structured content), string (text), or struct{} (no content). A nil pointer
// returned without an error fails the call with output_invalid.
type Handler[In, Out any] func(context.Context, In) (Out, error)

// A Builder collects the contract of one tool next to its handler. Create one
// with [New] or [Bind].
//
// Each verb returns the builder. A verb that takes a list appends to what
// earlier calls declared; any other verb replaces it. Verbs win over tags of
// the input type, and both win over a [Base]. Nothing is checked before Build,
// which reports all mistakes at once.
//
// A Builder is not safe for concurrent use; the [Tool] that it builds is.
type Builder[In, Out any] struct {
	draft
	functions[In, Out]
}

// A draft is the part of a Builder that does not depend on the types of its
// handler. The compiler compiles the methods of a Builder again for each pair
// of types, but those of a draft only once.
type draft struct {
	additions

	clauses []clause // those that Build checks
	verbs   layer
	tags    layer
	bases   layer
	binding *binding // nil, except for Bind

	inputSchema  json.RawMessage
	outputSchema json.RawMessage
}

// additions are what adapters add to a contract.
type additions = bound.Adapted

const ruleHandlerNil = "handler.nil"

// New starts the contract of a tool with a name such as "domain.verb". It reads
// the marker fields of In, if there are any: see [Tags], [SideEffectTag] and
// [FailureTag]. The name given here wins over one in a tag; an empty name is
// read from the tag of the [Tags] field.
//
//	var Add = contract.New("calc.add", add).
//		Description("Adds two numbers.").Version("1.0.0").
//		Effect(risk.ReadOnly).Trust(trust.Trusted).
//		MustBuild()
func New[In, Out any](name string, handler Handler[In, Out]) *Builder[In, Out] {
	b := newBuilder(handler, clauses[:])
	if name != "" {
		declaredName.set(&b.verbs, name)
	}
	return b
}

func newBuilder[In, Out any](handler Handler[In, Out], all []clause) *Builder[In, Out] {
	return &Builder[In, Out]{draft: draftOf(reflect.TypeFor[In](), all), functions: functions[In, Out]{handler: handler}}
}

func draftOf(in reflect.Type, all []clause) draft {
	return draft{clauses: all, tags: readTags(in, all)}
}

// From puts the current clauses of base under the builder's own, which win. A
// second From goes under the first.
func (b *Builder[In, Out]) From(base Base) *Builder[In, Out] {
	b.putUnder(base)
	return b
}

func (d *draft) putUnder(base Base) {
	under := base.layer(d.clauses)
	d.bases = d.bases.over(&under)
}

// InputSchema replaces the schema derived from In. Arguments are validated
// against it and then bound to In.
//
// Build refuses a schema that accepts members that a struct does not have, at
// any depth: set additionalProperties or unevaluatedProperties to false there.
// A map or a json.RawMessage takes members of any name. Build also refuses a
// JSON type that the Go type cannot hold.
//
// The schema is JSON Schema 2020-12. A schema whose $schema is draft-04,
// draft-06 or draft-07 is converted to 2020-12, so the published schema accepts
// the same arguments. A schema without $schema is converted if it has an array
// as items, additionalItems, dependencies, or a boolean exclusiveMinimum or
// exclusiveMaximum. Patterns are RE2; see [Builder.UncheckedPatterns].
func (b *Builder[In, Out]) InputSchema(schema json.RawMessage) *Builder[In, Out] {
	b.inputSchema = schemaCopy(schema)
	return b
}

// OutputSchema replaces the schema derived from Out, and is converted as that
// of [Builder.InputSchema] is. A restricted tool's output schema can't be
// replaced: it follows from the exposed fields. No schema is derived from an
// Out of json.RawMessage. Without a schema, its JSON is sanitised and limited
// in size, but not checked further.
func (b *Builder[In, Out]) OutputSchema(schema json.RawMessage) *Builder[In, Out] {
	b.outputSchema = schemaCopy(schema)
	return b
}

// schemaCopy copies a schema. The copy of an empty one is not nil, so that
// Build reports it.
func schemaCopy(schema json.RawMessage) json.RawMessage { return append(json.RawMessage{}, schema...) }

// Build checks the contract and returns the tool. The error joins a
// [DeclarationError] for every mistake; [DeclarationErrors] lists them.
func (b *Builder[In, Out]) Build() (*Tool, error) {
	tool, c, err := b.draft.build(origin{
		in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		handler: b.handler, precheck: b.precheck, reconcile: b.reconcile,
		previewCode: b.preview.Code(), previewData: b.preview.DataType(), has: b.functions.set(),
	})
	if c != nil {
		tool.holder = bound.Bind(&impl[In, Out]{core: *c, functions: b.functions})
	}
	return tool, err
}

func joined(mistakes []*DeclarationError) error {
	errs := make([]error, len(mistakes))
	for i, m := range mistakes {
		errs[i] = m
	}
	return errors.Join(errs...)
}

// pageOfRules explains every rule.
const pageOfRules = "https://github.com/toolcontract/toolcontract/blob/main/docs/rules.md"

// MustBuild is Build for package variables: it panics on a mistake, with
// Build's error and the address of the page that explains the rules.
func (b *Builder[In, Out]) MustBuild() *Tool { return must(b.Build()) }

func must(tool *Tool, err error) *Tool {
	if err != nil {
		panic(fmt.Errorf("%w\nrules: %s", err, pageOfRules))
	}
	return tool
}
