package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/toolcontract/toolcontract/internal/bound"
)

// A Handler is the function behind a tool. In is a struct, or a map with string
// keys; its JSON Schema is derived from the type, as the section "Schemas of Go
// types" of the package describes. Out is a struct, a pointer to one, or a map
// (structured content), string (text), or struct{} (no content). A nil pointer
// without an error is output_invalid.
type Handler[In, Out any] func(context.Context, In) (Out, error)

// A Builder collects the contract of one tool beside its handler. Make one with
// [New] or [Bind].
//
// Each verb returns the builder. A verb that takes a list adds to what earlier
// calls declared; any other verb replaces it. Verbs win over tags of the input
// type, and both win over a [Base]. Nothing is checked before Build, which
// reports all mistakes at once.
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
	reported

	clauses []clause // those that Build checks
	verbs   layer
	tags    layer
	bases   layer
	binding *binding // nil, except for Bind

	inputSchema  json.RawMessage
	outputSchema json.RawMessage
}

// reported holds what adapters add to a contract.
type reported = bound.Adapted

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

// From puts the clauses of base, as they are now, under the builder's own. The
// clauses of a second From lie under those of the first.
func (b *Builder[In, Out]) From(base Base) *Builder[In, Out] {
	b.putUnder(base)
	return b
}

func (d *draft) putUnder(base Base) {
	under := base.layer(d.clauses)
	d.bases = d.bases.over(&under)
}

// InputSchema replaces the schema that is derived from In. Arguments are
// validated against it and then bound to In.
//
// The schema is JSON Schema 2020-12. A schema whose $schema is draft-04,
// draft-06 or draft-07 is converted to that draft, so the published schema
// accepts the same arguments. A schema without $schema is converted if it has
// items that are a list, additionalItems, dependencies, or an exclusiveMinimum
// or exclusiveMaximum that is a boolean. Patterns are RE2; see
// [Builder.UncheckedPatterns].
func (b *Builder[In, Out]) InputSchema(schema json.RawMessage) *Builder[In, Out] {
	b.inputSchema = written(schema)
	return b
}

// OutputSchema replaces the schema that is derived from Out. It is converted
// like that of [Builder.InputSchema]. It cannot be
// replaced for a restricted tool, because it follows from the exposed fields.
// No schema is derived from an Out of json.RawMessage. Without a schema, its
// JSON is sanitised and bounded in size, and not checked further.
func (b *Builder[In, Out]) OutputSchema(schema json.RawMessage) *Builder[In, Out] {
	b.outputSchema = written(schema)
	return b
}

// written copies a schema. An empty one is not nil, so it is an error of Build.
func written(schema json.RawMessage) json.RawMessage { return append(json.RawMessage{}, schema...) }

// Build checks the contract and returns the tool. The error joins a
// [DeclarationError] for every mistake; [DeclarationErrors] lists them.
func (b *Builder[In, Out]) Build() (*Tool, error) {
	tool, c, err := b.draft.build(origin{
		in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		handler: b.handler, precheck: b.precheck, previewCode: b.preview.Code(), previewData: b.preview.DataType(),
		has: b.functions.set(),
	})
	if c != nil {
		tool.private = bound.Bind(&half[In, Out]{core: *c, functions: b.functions})
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

// MustBuild is Build for package variables: it panics on a mistake, with the
// error of Build and the address of the page that explains its rules.
func (b *Builder[In, Out]) MustBuild() *Tool { return must(b.Build()) }

func must(tool *Tool, err error) *Tool {
	if err != nil {
		panic(fmt.Errorf("%w\nrules: %s", err, pageOfRules))
	}
	return tool
}
